#include "trace/recorded_order.h"
#include <map>

namespace symbiosis {
namespace {

class GrantedOrder {
public:
  explicit GrantedOrder(const SymbolicTrace& trace) : trace_(trace) {
    for (const TraceThread& thread : trace.threads) next_.push_back(thread.firstEvent);
  }

  // The thread's next events, up to but not including the one with this index.
  void runUpTo(ThreadIndex thread, uint64_t index) {
    while (happens(thread) && trace_.event(next_[thread]).id.index < index) order.push_back(next_[thread]++);
    // With the end of its owner a robust mutex is free; others are never asked for again.
    const bool hasEnded = next_[thread] > trace_.threads[thread].firstEvent &&
                          trace_.event(next_[thread] - 1).kind == EventKind::exit;
    while (hasEnded && next_[thread] < endOf(thread)) order.push_back(next_[thread]++);
  }
  // What nobody interrupted any more, the failure (the failing thread has let the others run on before), then what
  // happened while the process ended or never.
  void finish() {
    for (ThreadIndex thread = 0; thread < next_.size(); ++thread)
      while (happens(thread) && !trace_.event(next_[thread]).tail) order.push_back(next_[thread]++);
    if (trace_.failure.event != kNoEvent) order.push_back(next_[trace_.threadOf(trace_.failure.event)]++);
    for (size_t before = 0; before != order.size();) {
      before = order.size();
      for (ThreadIndex thread = 0; thread < next_.size(); ++thread)
        while (next_[thread] < endOf(thread) && !waits(trace_.event(next_[thread])))
          order.push_back(next_[thread]++);
    }
  }

  EventOrder order;

private:
  EventRef endOf(ThreadIndex thread) const {
    return trace_.threads[thread].firstEvent + trace_.threads[thread].eventCount;
  }
  bool waits(const Event& event) const {
    return event.kind == EventKind::join && event.peer != kNone && next_[event.peer] < endOf(event.peer);
  }
  bool happens(ThreadIndex thread) const {
    return next_[thread] < endOf(thread) && next_[thread] != trace_.failure.event &&
           !trace_.event(next_[thread]).synthetic && !trace_.event(next_[thread]).pending;
  }

  const SymbolicTrace& trace_;
  std::vector<EventRef> next_; // of each thread
};

std::map<uint32_t, ThreadIndex> threadsBySerial(const SymbolicTrace& trace, const Recording& recording) {
  std::map<std::string, ThreadIndex> numbers;
  for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread) numbers[trace.threads[thread].id] = thread;
  std::map<uint32_t, ThreadIndex> bySerial;
  for (const ThreadLog& log : recording.threads)
    if (auto known = numbers.find(log.id); known != numbers.end()) bySerial[log.serial] = known->second;
  return bySerial;
}

} // namespace

EventOrder recordedOrder(const SymbolicTrace& trace, const Recording& recording) {
  if (recording.granted.empty()) return {};
  const std::map<uint32_t, ThreadIndex> bySerial = threadsBySerial(trace, recording);
  GrantedOrder granted(trace);
  for (const format::ControlEntry& entry : recording.granted) {
    const auto thread = bySerial.find(entry.thread);
    if (thread == bySerial.end()) continue; // it did nothing that the trace holds
    granted.runUpTo(thread->second, format::pointsAfter(entry));
  }
  granted.finish();
  return std::move(granted.order);
}

} // namespace symbiosis
