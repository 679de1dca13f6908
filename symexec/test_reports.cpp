#include "symexec/test_reports.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace symbiosis {

static bool isReport(StringRef name) {
  if (!name.starts_with("_ZN7testing") && !name.starts_with("_ZNK7testing")) return false;
  // HasFatalFailure() and its kin are asked of checks that pass.
  if (name.contains("Failure") && !name.contains("Has")) return true;
  return name.contains("7MessageC") || name.contains("12AssertHelper");
}

bool reportsFailedCheck(const CallBase& call) {
  if (const Function* callee = call.getCalledFunction(); callee && isReport(callee->getName())) return true;
  for (const DILocation* at = call.getDebugLoc(); at; at = at->getInlinedAt())
    if (const DISubprogram* function = at->getScope()->getSubprogram(); isReport(function->getLinkageName()))
      return true;
  return false;
}

bool endsFailedCheck(const Function* callee) {
  return callee && callee->getName().starts_with("_ZNK7testing8internal12AssertHelperaS");
}

} // namespace symbiosis
