// Which branches are "the check"? (DESIGN §6.) For assert(a && b) and assert(a || b) all branches stand on the
// line of the failing call; for `if (bad) abort();` and `if (c) assert(0)` it is the nearest branch, the guard. A
// write to shared memory ends the search: what was decided before it is part of the path, not of the check.
//
// Among the branches of the check only those belong to the bug condition whose other side avoids the failing
// block. In assert(a && b) that failed at b, the branch on `a` has the failing block as its other side: negating
// it would not pass the check, so it stays a path condition.
#include "symexec/failing_check.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace symbiosis {
namespace {

bool sameFunctionScope(const DILocation* a, const DILocation* b) {
  return a && b && a->getScope()->getSubprogram() == b->getScope()->getSubprogram() &&
         a->getInlinedAt() == b->getInlinedAt();
}

bool writesAfter(const std::vector<RawEvent>& events, size_t position) {
  for (size_t i = position + 1; i < events.size(); ++i)
    if (events[i].kind == EventKind::write || events[i].kind == EventKind::rmw) return true;
  return false;
}

// The side that was not taken leads straight to the failing block too.
bool otherSideFails(const RawCondition& condition, const Instruction& failing) {
  const BasicBlock* block = condition.otherSide;
  for (int hops = 0; block && hops < 4; ++hops) {
    if (block == failing.getParent()) return true;
    const auto* jump = dyn_cast<BranchInst>(block->getTerminator());
    if (!jump || jump->isConditional() || block->sizeWithoutDebug() > 1) return false;
    block = jump->getSuccessor(0);
  }
  return false;
}

// `place`: of `failing`, or of a call around it that was inlined; null: unknown.
std::vector<ExprId> takeCheckAt(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                const Instruction& failing, const DILocation* place) {
  std::vector<size_t> check;
  for (size_t i = conditions.size(); i-- > 0;) {
    const RawCondition& condition = conditions[i];
    if (writesAfter(events, condition.after)) break;
    if (!condition.isBranch) continue; // an address or a concretised value: part of the path
    const DILocation* decidedAt = condition.instruction->getDebugLoc();
    const bool sameScope = sameFunctionScope(decidedAt, place);
    if (isSameLine(decidedAt, place) || isSameLine(condition.statement, place)) {
      check.push_back(i);
      continue;
    }
    const bool isGuard = check.empty() && sameScope;
    // Without debug information the nearest branch in the same function has to do.
    const bool blind =
        check.empty() && (!decidedAt || !place) && condition.instruction->getFunction() == failing.getFunction();
    if (isGuard || blind) check.push_back(i);
    break;
  }
  std::vector<ExprId> bug;
  for (size_t i : check) {
    // A return is where both sides meet; only a call that fails is a side of its own.
    if (isa<CallBase>(failing) && otherSideFails(conditions[i], failing)) continue;
    bug.insert(bug.begin(), conditions[i].expr);
    conditions.erase(conditions.begin() + ptrdiff_t(i));
  }
  return bug;
}

} // namespace

bool isSameLine(const DILocation* a, const DILocation* b) {
  return sameFunctionScope(a, b) && a->getLine() == b->getLine();
}

std::vector<ExprId> takeFailingCheck(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                     const std::vector<const Instruction*>& failing) {
  for (const Instruction* at : failing) {
    const DILocation* place = at->getDebugLoc();
    do {
      std::vector<ExprId> bug = takeCheckAt(conditions, events, *at, place);
      if (!bug.empty()) return bug;
      place = place ? place->getInlinedAt() : nullptr;
    } while (place);
  }
  return {};
}

} // namespace symbiosis
