#pragma once
// Finds the failure in the walk of a thread: the assertion, the exit with a wrong status, the signal that the
// recording names, or the report of a failed check. Where it is found it becomes an event, with the bug condition.
// What a signal was caused by is in crash.cpp.
#include "symexec/scalars.h"

namespace symbiosis {

class FailureFinder {
public:
  FailureFinder(WalkContext& context, LogReader& logs, CallStack& stack, ScalarMath& math, EventMaker& events);

  // --- is it this thread, and is it here? ---
  bool isFailing() const { return isFailing_; } // it is this thread that the recording names
  // The walk has come to the last piece of code before the signal.
  bool crashIsNext() const { return isCrashing_ && crashRecordIsNext(); }
  bool crashesHere(const Step& step);
  // The process is ending with a status that is the failure.
  bool isExiting() const { return exit_.step; }
  // After the walk of a thread that a signal ended: 0 if the values that it used explain the signal, 1 if they do
  // not, 2 if it is not even seen where it came.
  unsigned doubt() const;

  // --- what the walk passes on its way ---
  void leavesAt(const Step& call); // instrumented code, or is still outside
  void cameBack() { outside_ = {}; }
  void noteThrow() { thrown_ = outside_; } // by the call that is under way
  void noteReport(const Step& call);       // of a failed check
  void exitsHere(const Step& step, const Scalar& status);

  // --- the failure: the walk of the thread ends ---
  void failsHere(const Step& step); // the latest event is the record of a failed assertion
  void hasExited();                 // the latest event is the exit of an exiting process
  void crashHere(const Step& step);
  void endedBySignal(const Step* step); // null: outside of all instrumented code

private:
  bool crashRecordIsNext() const;
  const llvm::Instruction* reportingCall(const Step* step) const;

  // --- signals (crash.cpp) ---
  static constexpr unsigned kNoArgument = ~0u;
  struct Used {
    unsigned operand;
    uint64_t size;
    const char* verb; // "read of", "write of"
  };
  std::vector<Used> memoryUsed(const Step& step) const;
  bool dividesBadly(const Step& step, const llvm::BinaryOperator& operation) const;
  bool copiesAfter(const Step& step) const;
  unsigned usedAsArgument(const Step& step) const;
  // The call's operation is announced before it is made, and has not been recorded yet.
  bool announces(const Step& step, const llvm::CallBase& call) const;
  ExprId isBadAddress(const Scalar& pointer);
  bool usesFreed(const Step& step, const Scalar* guilty) const;
  void readLife(const Step& step, const Scalar& pointer, const std::string& used); // `used`: the name of what is
  std::string nameOfUsed(const Step& step, const Scalar* guilty) const;
  void blameArguments(const Step& step, const llvm::CallBase& call);
  std::string describeCrash(const Step& step, const Scalar*& guilty) const;
  std::string describeCall(const Step& step, const llvm::CallBase& call, const Scalar*& guilty) const;
  const Scalar* operand(const Step& step, unsigned number) const { return stack_.operand(step, number); }

  WalkContext& context_;
  LogReader& logs_;
  CallStack& stack_;
  ScalarMath& math_;
  EventMaker& events_;
  ThreadEvents& result_;
  const bool isFailing_, isCrashing_;
  CallMark outside_; // the call out of instrumented code that is under way, or was last
  CallMark report_;  // the first call that reports the check which failed last
  CallMark thrown_;  // the call that threw the latest exception
  CallMark exit_;    // where the status was decided that is the failure
};

} // namespace symbiosis
