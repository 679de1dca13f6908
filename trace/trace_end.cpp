#include "trace/trace_end.h"
#include <algorithm>

namespace symbiosis {

static TraceEndKind kindOf(const Failure& failure) {
  switch (failure.kind) {
  case FailureKind::deadlock:
  case FailureKind::hang: return TraceEndKind::waiting;
  case FailureKind::none: // a run that passed: a check that holds in no schedule
  case FailureKind::assertion:
  case FailureKind::crash:
  case FailureKind::exception:
  case FailureKind::useAfterFree:
  case FailureKind::doubleFree:
  case FailureKind::invalidFree:
  case FailureKind::useAfterDestroy:
  case FailureKind::exit: break;
  }
  return TraceEndKind::check;
}

TraceEnd::TraceEnd(const SymbolicTrace& trace) : trace_(&trace), kind_(kindOf(trace.failure)) {
  switch (kind_) {
  case TraceEndKind::check:
    if (failure() != kNoEvent) last_ = {failure()};
    break;
  case TraceEndKind::waiting:
    waits_ = last_ = trace.pendingEvents();
    std::copy_if(waits_.begin(), waits_.end(), std::back_inserter(deciding_),
                 [&](EventRef ref) { return !trace.event(ref).bystander; });
    break;
  }
}

} // namespace symbiosis
