#pragma once
// Values that the recording does not have. At the levels below `full` not every load was logged; what is read from
// shared memory is a symbol anyway, but two kinds of values then stand for themselves, as symbols that no event
// produces:
//   input  private memory that uninstrumented code has filled: unknown, but the same in every schedule
//   lost   computed from shared memory by something that expressions cannot say
// A condition on inputs alone holds in every schedule, since it held in the recorded run. One that mixes them with
// shared memory, or has a lost value, cannot be used: the run must be recorded at a higher level.
#include "trace/symbolic_trace.h"
#include <optional>
#include <unordered_map>

namespace symbiosis {

class Unknowns {
public:
  enum Kind : uint8_t { read = 1, input = 2, lost = 4 };

  explicit Unknowns(const ExprPool& exprs) : exprs_(exprs) {}
  void add(uint32_t symbol, Kind kind) { kinds_[symbol] = kind; }
  // The expressions are others now.
  void reset() {
    kinds_.clear();
    masks_.clear();
  }
  // The kinds of all symbols in it, or'ed.
  unsigned kindsIn(ExprId expr);
  bool isUsable(ExprId condition) { return (kindsIn(condition) & (input | lost)) == 0; }
  bool isFixed(ExprId condition) { return kindsIn(condition) == input; }
  // Takes out the conditions that hold in every schedule: all they depend on is inputs, and memory that only one
  // thread touches and fills from these. (Such memory counts as shared where one thread's stack slot lies at the
  // address of another's.)
  void dropFixed(SymbolicTrace& trace);
  // The first condition of the trace, if any, that depends on an unknown value by way of shared memory.
  std::optional<size_t> firstSpoiled(const SymbolicTrace& trace);

private:
  const ExprPool& exprs_;
  std::unordered_map<uint32_t, Kind> kinds_; // symbols that are not here are reads
  std::vector<uint8_t> masks_;               // by expression
};

} // namespace symbiosis
