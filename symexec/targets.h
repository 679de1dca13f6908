#pragma once
// Where an access can be. If its address depends on shared memory (`ring[tail] = x`, where another thread may move
// `tail`), it has several *targets*: the places of the object that it can be at, each with a guard. See
// targets.cpp.
#include "symexec/thread_memory.h"

namespace symbiosis {

struct Target {
  uint64_t address = 0;
  Scalar guard = {.bits = 1}; // the access is here
};

struct Targets {
  uint64_t address = 0;        // where it was in the recorded run
  std::vector<Target> several; // all of them, that one first; empty: it can only be there
};

inline void markTarget(RawPart& part, const Target& target) {
  part.guard = target.guard.expr;
  part.wasHere = target.guard.bits & 1;
}

class TargetFinder {
public:
  TargetFinder(WalkContext& context, const LogReader& logs, ScalarMath& math, EventMaker& events,
               const ThreadMemory& memory)
      : context_(context), logs_(logs), math_(math), events_(events), memory_(memory) {}

  // Of an access of `size` bytes at `pointer`; a pointer or offset that cannot move is fixed by a condition.
  Targets find(const Step& step, const Scalar& pointer, uint64_t size, bool writes);
  bool touchShared(const Targets& targets, uint64_t size) const;
  bool readShared(const Targets& targets, uint64_t size) const; // what the thread reads may be another one's

private:
  struct Offset { // what moves of an address
    ExprId expr = kNoExpr;
    uint64_t observed = 0;
    uint64_t stride = 0;
  };
  std::optional<Offset> offsetOf(const Scalar& pointer);
  std::vector<uint64_t> placesOf(const Scalar& pointer, const Offset& offset, Range object, uint64_t size) const;
  Targets only(const Scalar& pointer);

  WalkContext& context_;
  const LogReader& logs_;
  ScalarMath& math_;
  EventMaker& events_;
  const ThreadMemory& memory_;
};

} // namespace symbiosis
