#pragma once
// Walks one thread along its recorded path through the snapshot: one path, no search, no solver. Everything is
// computed concretely; what depends on shared memory is computed as an expression beside it.
//
// The executor itself decides only what is executed next. The rest has owners:
//   LogReader        how far the walk has come in the thread's logs
//   CallStack        frames, with the values of their instructions; names and places
//   EventMaker       the events and conditions so far
//   Arithmetic       instructions that only compute
//   ThreadMemory     what the thread has in memory
//   ValueSource      what a load yields, by level and walk
//   Accesses         loads, stores, atomics and copies
//   OutsideEffects   what a function outside may have done
//   TextReader       functions of libc that look at memory
//   FailureFinder    where the thread failed, and why
//   OperationReader  the records of locks, forks, allocations …
#include "symexec/accesses.h"
#include "symexec/arithmetic.h"
#include "symexec/operation_reader.h"
#include "symexec/outside_effects.h"
#include "symexec/text_functions.h"

namespace symbiosis {

class ThreadExecutor {
public:
  ThreadExecutor(WalkContext& context, const ThreadLog& log);
  // Throws ExecutionError, NotRecorded.
  ThreadEvents run();
  // Or piece by piece: about one instruction, unless the walk has ended.
  void advance();
  bool ended() const { return ended_; }
  uint64_t points() const { return logs_.points; }
  uint64_t operations() const { return logs_.operations(); } // of the log, that have been made
  unsigned doubt() const { return failure_.doubt(); }        // see FailureFinder

private:
  // --- flow (executor.cpp); each: false if the thread's path ends there ---
  bool step();
  bool execute(const Step& step); // an instruction that is followed by the next one
  bool branch(const Step& step, const llvm::BranchInst& branch);
  bool switchOver(const Step& step, const llvm::SwitchInst& choice);
  bool returnFrom(const Step& step, const llvm::ReturnInst& instruction);
  bool unwind();
  bool returnToSetjmp(uint32_t site);
  bool enterFromOutside();
  bool goOnAfter(const Step& call);
  void enterFunction(const llvm::Function& function, std::span<const Scalar> arguments, const Step* call);
  void leaveFunction(const Scalar* result, size_t count);
  void enterBlock(const llvm::BasicBlock* block);
  void enterBlock(uint32_t index);
  void copyPhis(const BlockPlan& target, uint32_t from);
  [[noreturn]] void wentOtherwise(const llvm::BranchInst& branch, bool taken) const;

  // --- calls (calls.cpp) ---
  bool call(const Step& step, const llvm::CallBase& call);
  bool intrinsic(const Step& step, const llvm::IntrinsicInst& call);
  bool callOutside(const Step& step, const llvm::CallBase& call);
  bool enterThroughPointer(const Step& step, const llvm::CallBase& call, const llvm::Function& target);
  bool takeOperation(const Step& step, const llvm::CallBase& call, const format::OpRecord& record);
  void fixWhatIsMeant(const Step& step, const llvm::CallBase& call);
  // `returned`: the record that proves it; null: none.
  bool finishOutsideCall(const Step& step, const llvm::CallBase& call, const format::OpRecord* returned = nullptr);
  bool tellsMore(const Step& step, const format::OpRecord& record) const;

  const Scalar* operand(const Step& step, unsigned number) const { return stack_.operand(step, number); }
  Scalar* result(const Step& step) { return stack_.result(step); }
  void takeScalars(llvm::Type* type, Scalar* out) { logs_.takeScalars(context_.planner.layouts, type, out); }

  WalkContext& context_;
  LogReader logs_;
  CallStack stack_;
  EventMaker events_;
  Arithmetic arithmetic_;
  ThreadMemory memory_;
  std::unique_ptr<ValueSource> values_;
  Accesses accesses_;
  OutsideEffects outside_;
  TextReader text_;
  FailureFinder failure_;
  OperationReader operations_;
  bool ended_ = false;
  std::vector<Scalar> phiValues_, arguments_; // kept for their room only
};

} // namespace symbiosis
