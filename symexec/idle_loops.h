#pragma once
// Loops in which a thread does nothing but look and wait: `while (!ready) pthread_cond_wait(…)`, `while (!flag)
// ;`, `while (pthread_mutex_trylock(…)) sched_yield();`. Nothing is stored, nothing is carried from one round to
// the next, so a round that ends where it began has left no trace in its thread.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <map>
#include <memory>

namespace symbiosis {

class IdleLoops {
public:
  // The innermost loop around the instruction is idle.
  bool isIn(const llvm::Instruction& at) { return loopAround(*at.getParent()) != nullptr; }
  // … and this block is in it, too.
  bool staysIn(const llvm::Instruction& at, const llvm::BasicBlock& block);

private:
  struct Loops {
    explicit Loops(llvm::Function& function) : dominators(function), info(dominators) {}
    llvm::DominatorTree dominators;
    llvm::LoopInfo info;
    std::map<const llvm::Loop*, bool> isIdle;
  };
  const llvm::Loop* loopAround(const llvm::BasicBlock& block); // null: none that is idle

  std::map<const llvm::Function*, std::unique_ptr<Loops>> loopsOf_;
};

} // namespace symbiosis
