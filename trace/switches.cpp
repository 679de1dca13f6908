#include "trace/switches.h"
#include "trace/execution.h"
#include "trace/trace_end.h"
#include <algorithm>

namespace symbiosis {

std::vector<ContextSwitch> switchesOf(const SymbolicTrace& trace, const EventOrder& order) {
  const CompiledTrace code(trace);
  Execution execution(code, Execution::Journal::none);
  std::vector<ContextSwitch> found;
  for (size_t i = 0; i < order.size(); ++i) {
    const ThreadIndex left = trace.threadOf(order[i > 0 ? i - 1 : 0]);
    if (left != trace.threadOf(order[i])) {
      ContextSwitch change{i, left, trace.threadOf(order[i]), order[i - 1]};
      if (!execution.isFinished(left)) {
        change.next = execution.nextOf(left);
        change.preemptive = execution.isPossible(change.next);
      }
      found.push_back(change);
    }
    if (trace.event(order[i]).pending || execution.step(order[i]) == Execution::Step::impossible) break;
  }
  return found;
}

EventOrder untilFailure(const SymbolicTrace& trace, const EventOrder& order) {
  const EventRef failure = TraceEnd(trace).failure();
  const auto at = std::find(order.begin(), order.end(), failure);
  return {order.begin(), at == order.end() ? at : at + 1};
}

size_t preemptions(const SymbolicTrace& trace, const EventOrder& order) {
  const std::vector<ContextSwitch> switches = switchesOf(trace, order);
  return size_t(std::count_if(switches.begin(), switches.end(), [&](const ContextSwitch& change) {
    return change.preemptive && !trace.event(change.next).pending;
  }));
}

} // namespace symbiosis
