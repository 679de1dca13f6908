#include "dsp/diagnosis.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

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

ShownFailure shownFailure(const SymbolicTrace& trace, const Dsp& dsp) {
  if (dsp.proceeds == kNoEvent) return {trace.failure.event, trace.failure.location};
  return {dsp.proceeds, trace.event(dsp.proceeds).location};
}

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  symexec += other.symexec;
  failing += other.failing;
  rootCause += other.rootCause;
  alternate += other.alternate;
  csr += other.csr;
  replay += other.replay;
  total += other.total;
  return *this;
}

std::vector<std::string> limitsOf(const SymbolicTrace& trace) {
  std::vector<std::string> limits;
  if (!trace.unmodelled.empty())
    limits.push_back(
        fmt::format("external functions that may have written shared memory, or ordered threads, unseen: {}",
                    fmt::join(trace.unmodelled, ", ")));
  if (trace.weaklyOrdered > 0)
    limits.push_back(fmt::format("atomics are taken as sequentially consistent; {} of the accesses ask for less "
                                 "(relaxed, acquire, release)",
                                 trace.weaklyOrdered));
  if (trace.failure.kind == FailureKind::hang)
    limits.push_back("not every thread waited when the time limit ended the run: the wait may not have been for "
                     "ever");
  return limits;
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
  case BugClass::checkThenAct: return "check-then-act";
  case BugClass::ifForWhile: return "if for while";
  case BugClass::doubleClaim: return "double claim";
  case BugClass::stalePointer: return "stale pointer";
  case BugClass::testThenWait: return "test before wait";
  case BugClass::other: return "other";
  }
  return "?";
}

} // namespace symbiosis
