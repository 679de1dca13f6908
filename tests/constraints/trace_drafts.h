#pragma once
// What the generators of random traces share: events drafted thread by thread, random values and tests over what a
// thread has read, and conditions that mostly hold in some interleaving, as they do in a recorded run.
#include "trace/symbolic_trace.h"
#include <random>

namespace symbiosis::testing {

class TraceDrafts {
protected:
  struct Draft {
    Event event;
    std::vector<Part> parts;
    std::vector<ExprId> conditions;
    bool isFailure = false;
  };

  explicit TraceDrafts(std::mt19937& random) : random_(random) {}

  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  ExprPool& exprs() { return trace_.exprs; }

  Draft& add(ThreadIndex thread, EventKind kind);
  // Gives the parts of an access the symbols that it reads and the values that it writes.
  void fillParts(ThreadIndex thread, Draft& draft);
  ExprId resize(ExprId expr, unsigned width);
  ExprId randomValue(ThreadIndex thread, unsigned width);
  ExprId randomTest(ThreadIndex thread);
  std::vector<ExprId>& known(ThreadIndex thread) { return known_.resize(drafts_.size()), known_[thread]; }
  // The last events of the thread, its first excepted.
  void markTail(ThreadIndex thread, uint32_t events);

  void assemble();
  // The bug condition is made of `bug`. Negates most of what does not hold in a random interleaving, for which up
  // to `walks` random walks look.
  void chooseConditions(const std::vector<ExprId>& bug, unsigned walks = 1);

  std::mt19937& random_;
  std::vector<std::vector<Draft>> drafts_; // by thread
  SymbolicTrace trace_;

private:
  ExprId randomKnown(ThreadIndex thread);
  void append(Draft& draft);

  std::vector<std::vector<ExprId>> known_; // by thread: symbols read so far
  std::vector<Condition> planned_;
};

} // namespace symbiosis::testing
