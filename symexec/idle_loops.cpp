#include "symexec/idle_loops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace symbiosis {
namespace {

// Operations that change nothing when they do not succeed, and those that only wait. That a try has succeeded in a
// round is seen in the trace.
bool onlyWaits(const Function& callee) {
  static constexpr StringRef names[] = {"pthread_cond_wait",
                                        "cnd_wait",
                                        "pthread_mutex_trylock",
                                        "mtx_trylock",
                                        "pthread_spin_trylock",
                                        "sem_trywait",
                                        "pthread_rwlock_tryrdlock",
                                        "pthread_rwlock_trywrlock",
                                        "sched_yield",
                                        "thrd_yield",
                                        "usleep",
                                        "nanosleep",
                                        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
                                        "__clang_call_terminate",
                                        "_ZSt20__throw_system_errori"};
  return is_contained(names, callee.getName());
}

constexpr unsigned kDeepestCall = 4;
bool onlyLooks(const Function& function, unsigned depth);

// `within`: the function whose own variables may be written, because they are gone with it; null: none.
bool leavesNoTrace(const Instruction& instruction, const Function* within, unsigned depth) {
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return within && isa<AllocaInst>(store->getPointerOperand()->stripInBoundsOffsets()) && !store->isAtomic();
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction)) return false;
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call) return true;
  if (isa<DbgInfoIntrinsic>(call) || call->isLifetimeStartOrEnd() || call->doesNotAccessMemory()) return true;
  const Function* callee = call->getCalledFunction();
  if (!callee) return false;
  return callee->isDeclaration() ? onlyWaits(*callee) : depth < kDeepestCall && onlyLooks(*callee, depth + 1);
}

bool onlyLooks(const Function& function, unsigned depth) {
  return all_of(instructions(function),
                [&](const Instruction& instruction) { return leavesNoTrace(instruction, &function, depth); });
}

bool isIdleLoop(const Loop& loop) {
  if (!loop.isInnermost()) return false;
  // What differs from round to round comes in here.
  for (const PHINode& carried : loop.getHeader()->phis())
    for (unsigned i = 0; i < carried.getNumIncomingValues(); ++i)
      if (loop.contains(carried.getIncomingBlock(i)) && carried.getIncomingValue(i) != &carried) return false;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (!leavesNoTrace(instruction, nullptr, 0)) return false;
  return true;
}

} // namespace

const Loop* IdleLoops::loopAround(const BasicBlock& block) {
  auto& function = const_cast<Function&>(*block.getParent()); // the analyses want it so, and change nothing
  std::unique_ptr<Loops>& loops = loopsOf_[&function];
  if (!loops) loops = std::make_unique<Loops>(function);
  const Loop* loop = loops->info.getLoopFor(&block);
  if (!loop) return nullptr;
  const auto [known, isNew] = loops->isIdle.try_emplace(loop, false);
  if (isNew) known->second = isIdleLoop(*loop);
  return known->second ? loop : nullptr;
}

bool IdleLoops::staysIn(const Instruction& at, const BasicBlock& block) {
  const Loop* loop = loopAround(*at.getParent());
  return loop && loop->contains(&block);
}

} // namespace symbiosis
