#include "dsp/diagnosis.h"
#include "trace/evaluated_schedule.h"

namespace symbiosis {

const char* toText(ProofStatus status) {
  switch (status) {
  case ProofStatus::proved: return "proved";
  case ProofStatus::tested: return "tested";
  case ProofStatus::unknown: return "unknown";
  }
  return "?";
}

const char* toText(AlternateStatus status) {
  switch (status) {
  case AlternateStatus::found: return "found";
  case AlternateStatus::noneProved: return "noneProved";
  case AlternateStatus::noneFound: return "noneFound";
  case AlternateStatus::unknown: return "unknown";
  }
  return "?";
}

const char* toText(AlternateMethod method) {
  return method == AlternateMethod::inversion ? "inversion" : "search";
}

void showWhoProceeds(SymbolicTrace& trace, const Alternate& alternate) {
  if (alternate.status != AlternateStatus::found) return;
  const EvaluatedSchedule passing(trace, alternate.order);
  if (passing.proceeded() == kNoEvent) return;
  trace.failure.event = passing.proceeded();
  trace.failure.location = trace.event(trace.failure.event).location;
}

const char* toText(BugClass bugClass) {
  switch (bugClass) {
  case BugClass::atomicityViolation: return "atomicity violation";
  case BugClass::lostUpdate: return "lost update";
  case BugClass::orderViolation: return "order violation";
  case BugClass::multiVariable: return "multi-variable inconsistency";
  case BugClass::deadlock: return "deadlock";
  case BugClass::lostWakeup: return "lost wake-up";
  case BugClass::hang: return "hang";
  case BugClass::other: return "other";
  }
  return "?";
}

} // namespace symbiosis
