#pragma once
// What a call of a function outside of instrumented code may have done: to memory, and with what it was given.
// By name and attributes (outside_functions.h) as little as possible is assumed; what cannot be known is said.
#include "symexec/value_source.h"

namespace symbiosis {

class OutsideEffects {
public:
  OutsideEffects(WalkContext& context, const CallStack& stack, ScalarMath& math, EventMaker& events,
                 ThreadMemory& memory, ValueSource& values)
      : context_(context), stack_(stack), math_(math), events_(events), memory_(memory), values_(values) {}

  // The call computed something from its arguments. If it has returned it, they are what they were; if it has
  // written it somewhere, they are once that is read. `returned`: the record that proves that it has returned.
  void usesArguments(const Step& step, const llvm::CallBase& call, const format::OpRecord* returned);
  // Where the log does not tell what it has written: forgets what may have changed.
  void writesMemory(const Step& step, const llvm::CallBase& call);
  // Names it in the report if it may have written shared memory without an event, or returned what it has read
  // there.
  void noteUnmodelled(const Step& step, const llvm::CallBase& call);

private:
  // Nothing that the program does depends on what the call was given.
  bool onlyShows(const Step& step, const llvm::CallBase& call) const;
  std::vector<Range> writable(const Step& step, const llvm::CallBase& call);
  void addReachable(uint64_t address, unsigned depth, std::vector<Range>& ranges);
  void addSymbolic(Range range, std::vector<Scalar>& values);
  void addText(uint64_t begin, std::vector<Scalar>& values);
  const Scalar* operand(const Step& step, unsigned number) const { return stack_.operand(step, number); }

  WalkContext& context_;
  const CallStack& stack_;
  ScalarMath& math_;
  EventMaker& events_;
  ThreadMemory& memory_;
  ValueSource& values_;
};

} // namespace symbiosis
