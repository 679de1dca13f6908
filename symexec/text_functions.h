#pragma once
// Functions of libc that look at memory and do nothing else (memcmp, strlen …), and the operands of copies of
// text.
#include "symexec/accesses.h"

namespace symbiosis {

class TextReader {
public:
  TextReader(WalkContext& context, LogReader& logs, CallStack& stack, ScalarMath& math, EventMaker& events,
             ThreadMemory& memory, ValueSource& values, Accesses& accesses)
      : context_(context), logs_(logs), stack_(stack), math_(math), events_(events), memory_(memory),
        values_(values), accesses_(accesses) {}

  // The call at `step`, which has returned what is its result now: an event, and an expression for the result.
  void lookAt(const Step& step, const llvm::CallBase& call);
  // A pointer or a length with which text is copied, logged before that: at level `path` it may not have been
  // known.
  void learnOperand(const Step& step);

private:
  struct Text { // at which such a function looks
    bool compares = false, searches = false, endsAtZero = false;
    std::vector<uint64_t> begin; // one string, or two to compare
    uint64_t length = 0;         // bytes of each
    bool isWhole = false;        // it never looks further
  };
  struct Found {
    Scalar value; // what the function returns
    Scalar found; // it came to its end within the bytes that are known
  };
  Text textOf(const Step& step, const llvm::CallBase& call);
  std::vector<Scalar> bytesOf(uint64_t begin, uint64_t length);
  Found search(const Step& step, const Text& text, const std::vector<Scalar>& a, const std::vector<Scalar>& b,
               unsigned width);

  WalkContext& context_;
  LogReader& logs_;
  CallStack& stack_;
  ScalarMath& math_;
  EventMaker& events_;
  ThreadMemory& memory_;
  ValueSource& values_;
  Accesses& accesses_;
};

} // namespace symbiosis
