#pragma once
// Runs a total order of events against a symbolic trace: each read takes the last write, each sync operation must
// be enabled, each path condition must hold (except those of tail events after the failure). Linear in the number
// of events. This is the definition of what a schedule does; whatever the solver answers is checked here before
// anybody sees it.
#include "trace/schedule.h"
#include "trace/symbolic_trace.h"
#include "trace/sync_model.h"

namespace symbiosis {

enum class Outcome : uint8_t {
  failing,    // follows the path; the bug condition holds, after everything that completed before the failure
  passing,    // follows the path; the bug condition does not hold
  failsEarly, // follows the path and the bug condition holds, but completed events stand after the failure
  infeasible, // leaves the path, or an operation was not possible
};
const char* toText(Outcome outcome);

struct Evaluation {
  Outcome outcome = Outcome::infeasible;
  size_t position = 0; // infeasible: position of the first event that could not happen
  std::string reason;  // infeasible: why, in words; filled by `explain` only
};

class Evaluator {
public:
  explicit Evaluator(const SymbolicTrace& trace);

  // `order` must hold every event of the trace once; anything else is infeasible.
  Evaluation run(const EventOrder& order);
  // The same, with the reason in words.
  Evaluation explain(const EventOrder& order);

  // After a run that was not infeasible:
  uint64_t symbolValue(uint32_t symbol) const { return values_.symbolValue(symbol); }
  uint64_t value(ExprId expr) { return values_.value(expr); }
  // The event whose write each part read; kNoEvent: the initial value. Indexed like SymbolicTrace::parts.
  const std::vector<EventRef>& readFrom() const { return readFrom_; }
  // Value of the access, parts put together (at most 8 bytes; larger accesses give their first 8).
  AccessValue accessValue(EventRef event);

private:
  bool step(EventRef ref);
  bool stepSync(const Event& event);
  bool conditionsHold(EventRef ref);
  bool blame(std::string_view reason); // false, for `return blame(…)`

  const SymbolicTrace& trace_;
  ExprEvaluator values_;
  std::vector<std::vector<uint32_t>> conditionsAfter_; // by event
  std::vector<uint32_t> nextOfThread_;
  std::vector<uint64_t> memory_;    // by cell
  std::vector<EventRef> lastWrite_; // by cell
  std::vector<EventRef> readFrom_;  // by part
  std::vector<sync::ThreadState> threads_;
  std::vector<sync::MutexState> mutexes_; // by object
  bool failureSeen_ = false;
  bool explaining_ = false;
  std::string reason_;
};

} // namespace symbiosis
