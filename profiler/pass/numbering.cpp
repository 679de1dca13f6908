#include "profiler/pass/numbering.h"
#include "profiler/pass/outside_calls.h"
#include "profiler/pass/pass_options.h"
#include "trace/format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <fnmatch.h>

using namespace llvm;

namespace symbiosis {

bool isInstrumented(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasMetadata(kExcludedMetadata);
}

static bool mustStayWhole(const Function& function) {
  if (function.hasFnAttribute(Attribute::Naked)) return true;
  // Tables of label addresses point into one body; a copy of the body would jump into the original.
  return any_of(function, [](const BasicBlock& block) {
    return block.hasAddressTaken() || isa<CallBrInst, IndirectBrInst>(block.getTerminator());
  });
}

bool isPrivateSlot(const AllocaInst& slot) {
  SmallVector<const Value*, 16> pending{&slot};
  SmallPtrSet<const Value*, 16> seen;
  while (!pending.empty()) {
    const Value* value = pending.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const Use& use : value->uses()) {
      const User* user = use.getUser();
      if (isa<LoadInst>(user)) continue;
      if (const auto* store = dyn_cast<StoreInst>(user)) {
        if (store->getValueOperand() == value) return false;
        continue;
      }
      if (isa<GetElementPtrInst, BitCastInst, PHINode, SelectInst>(user)) {
        pending.push_back(user);
        continue;
      }
      if (const auto* intrinsic = dyn_cast<IntrinsicInst>(user))
        if (intrinsic->isLifetimeStartOrEnd() || isa<MemIntrinsic>(intrinsic) || isa<DbgInfoIntrinsic>(intrinsic))
          continue;
      return false;
    }
  }
  return true;
}

// The value that it was linked with is the only one that it ever has: nobody stores there, and nobody outside can.
static bool isInitOnly(const GlobalVariable& global) {
  if (!global.hasLocalLinkage() || !global.hasDefinitiveInitializer() || global.isThreadLocal() ||
      global.isExternallyInitialized())
    return false;
  SmallVector<const Value*, 16> pending{&global};
  while (!pending.empty())
    for (const User* user : pending.pop_back_val()->users()) {
      if (isa<LoadInst>(user)) continue;
      const auto* operation = dyn_cast<Operator>(user);
      if (!operation || !isa<GEPOperator, BitCastOperator>(operation)) return false;
      pending.push_back(user);
    }
  return true;
}

bool mayBeShared(const Value* address) {
  const Value* object = getUnderlyingObject(address, 0);
  if (const auto* slot = dyn_cast<AllocaInst>(object)) return slot->hasMetadata(kStackMetadata);
  if (const auto* global = dyn_cast<GlobalVariable>(object)) return !global->isConstant() && !isInitOnly(*global);
  return true;
}

bool leavesInstrumentedCode(const CallBase& call) {
  if (isa<IntrinsicInst>(call) || call.isInlineAsm()) return false;
  const auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
  return !callee || !isInstrumented(*callee) || callee->isInterposable();
}

// A function of libc that reads memory and does nothing else; symexec/text_functions.cpp knows what each returns.
static bool onlyLooks(const CallBase& call) {
  static constexpr StringRef names[] = {"memcmp",  "bcmp",   "memchr",  "strlen",
                                        "strnlen", "strcmp", "strncmp", "strchr"};
  const Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && is_contained(names, callee->getName()) && !call.isMustTailCall();
}

static bool isPoint(const Instruction& instruction) {
  if (const auto* call = dyn_cast<CallBase>(&instruction); call && onlyLooks(*call))
    return any_of(call->args(), [](const Use& argument) {
      return argument->getType()->isPointerTy() && mayBeShared(argument.get());
    });

  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return mayBeShared(load->getPointerOperand());
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return mayBeShared(store->getPointerOperand());
  if (isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction)) return true;
  if (const auto* copy = dyn_cast<MemTransferInst>(&instruction))
    return mayBeShared(copy->getRawSource()) || mayBeShared(copy->getRawDest());
  if (const auto* fill = dyn_cast<MemSetInst>(&instruction)) return mayBeShared(fill->getRawDest());
  return false;
}

namespace {

class Marker {
public:
  explicit Marker(Module& module) : context_(module.getContext()), i32_(Type::getInt32Ty(context_)) {}

  void mark(Instruction& instruction, const char* name, uint32_t number) {
    instruction.setMetadata(name, MDNode::get(context_, ConstantAsMetadata::get(ConstantInt::get(i32_, number))));
  }

private:
  LLVMContext& context_;
  Type* i32_;
};

} // namespace

// What `symbiosis cc --exclude` was given: patterns of function names, one per line.
static SmallVector<StringRef, 4> exclusionPatterns() {
  SmallVector<StringRef, 4> patterns;
  if (const char* text = std::getenv(kExcludeVariable)) StringRef(text).split(patterns, '\n', -1, false);
  return patterns;
}

static bool isExcluded(const Function& function, ArrayRef<StringRef> patterns) {
  if (patterns.empty()) return false;
  const std::string plain = demangle(function.getName());
  const std::string names[] = {function.getName().str(), plain, plain.substr(0, plain.find('('))};
  return any_of(patterns, [&](StringRef pattern) {
    return any_of(names,
                  [&](const std::string& name) { return fnmatch(pattern.str().c_str(), name.c_str(), 0) == 0; });
  });
}

// Where the block's end leads without a decision that the path knows anyway; null: nowhere, or it depends.
static BasicBlock* onlySuccessor(const BasicBlock& block) {
  const Instruction* end = block.getTerminator();
  if (const auto* invoke = dyn_cast<InvokeInst>(end)) return invoke->getNormalDest(); // the other is marked
  const auto* branch = dyn_cast<BranchInst>(end);
  return branch && all_equal(branch->successors()) ? branch->getSuccessor(0) : nullptr;
}

// Loops such as `for (;;) sleep(1);`. One jump of each: into the first of its blocks that we come to.
static void markRounds(Function& function, Marker& marker) {
  DenseSet<const BasicBlock*> known; // lead to no loop that is not yet marked
  for (BasicBlock& start : function) {
    SmallPtrSet<const BasicBlock*, 8> passed;
    BasicBlock* block = &start;
    BasicBlock* next = onlySuccessor(*block);
    for (; next && !known.contains(block); block = next, next = onlySuccessor(*block)) {
      passed.insert(block);
      if (!passed.contains(next)) continue;
      marker.mark(*block->getTerminator(), kRoundMetadata, 0);
      break;
    }
    known.insert(passed.begin(), passed.end());
  }
}

Numbering numberPoints(Module& module) {
  Numbering numbering;
  const SmallVector<StringRef, 4> patterns = exclusionPatterns();
  Marker marker(module);
  for (Function& function : module) {
    if (!function.isDeclaration() && (mustStayWhole(function) || isExcluded(function, patterns)))
      function.setMetadata(kExcludedMetadata, MDNode::get(module.getContext(), {}));
    numbering.functions.push_back(&function);
  }
  for (GlobalVariable& global : module.globals()) numbering.globals.push_back(&global);
  uint32_t blocks = 0, slots = 0, points = 0, sites = 0;
  for (Function& function : module) {
    if (!isInstrumented(function)) continue;
    // Slots first: whether an access may be shared depends on them.
    for (Instruction& instruction : instructions(function))
      if (auto* slot = dyn_cast<AllocaInst>(&instruction); slot && !isPrivateSlot(*slot))
        marker.mark(instruction, kStackMetadata, slots++);
    markRounds(function, marker);
    for (BasicBlock& block : function) {
      numbering.blocks[&block] = ++blocks;
      for (Instruction& instruction : block) {
        const bool isLook = isPoint(instruction);
        if (isLook) marker.mark(instruction, kPointMetadata, points++);
        if (auto* copy = dyn_cast<MemTransferInst>(&instruction); copy && mayBeShared(copy->getRawSource()))
          marker.mark(instruction, kLoggedMetadata, 0);
        if (auto* call = dyn_cast<CallBase>(&instruction); call && leavesInstrumentedCode(*call))
          marker.mark(instruction, kSiteMetadata, ++sites);
        if (auto* call = dyn_cast<CallBase>(&instruction); call && !isLook && givesMemory(*call)) {
          marker.mark(instruction, kPointMetadata, points++);
          marker.mark(instruction, kGivenMetadata, 0);
        }
      }
    }
  }
  if (sites >= format::kMostSites)
    report_fatal_error("symbiosis: too many calls of functions outside the program");
  return numbering;
}

} // namespace symbiosis
