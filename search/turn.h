#pragma once
// Asks the model of a run whether one of its decisions can be made otherwise, and for the nearest schedule in
// which it is.
#include "constraints/schedule_solver.h"
#include "trace/cut.h"

namespace symbiosis {

enum class TurnStatus {
  possible,
  notAlone,   // only if another thread takes back a decision that it had made before
  impossible, // proved: every schedule of the recorded paths decides as recorded
  unknown,    // a limit was reached
};

struct Turn {
  TurnStatus status = TurnStatus::unknown;
  // possible, notAlone: a schedule up to and with the decision, in events of the whole trace.
  EventOrder prefix;
  std::string reason; // unknown: why
};

// `failing`: an order of the whole trace, near which the answer is looked for.
Turn turn(const SymbolicTrace& trace, const EventOrder& failing, const Decision& decision,
          const SolverLimits& limits);

} // namespace symbiosis
