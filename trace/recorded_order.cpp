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
  }
  // What nobody interrupted any more: the failing thread was the last to run.
  void finish() {
    const ThreadIndex failing = trace_.failure.event == kNoEvent ? kNone : trace_.threadOf(trace_.failure.event);
    for (ThreadIndex thread = 0; thread < next_.size(); ++thread)
      if (thread != failing) runUpTo(thread, ~uint64_t{0});
    if (failing != kNone) runUpTo(failing, ~uint64_t{0});
    for (ThreadIndex thread = 0; thread < next_.size(); ++thread)
      while (next_[thread] < endOf(thread)) order.push_back(next_[thread]++);
  }

  EventOrder order;

private:
  EventRef endOf(ThreadIndex thread) const {
    return trace_.threads[thread].firstEvent + trace_.threads[thread].eventCount;
  }
  bool happens(ThreadIndex thread) const {
    if (next_[thread] >= endOf(thread)) return false;
    const Event& event = trace_.event(next_[thread]);
    return !event.tail && !event.synthetic;
  }

  const SymbolicTrace& trace_;
  std::vector<EventRef> next_; // of each thread
};

} // namespace

EventOrder recordedOrder(const SymbolicTrace& trace, const Recording& recording) {
  if (recording.granted.empty()) return {};
  std::map<std::string, ThreadIndex> numbers;
  for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread) numbers[trace.threads[thread].id] = thread;
  std::map<uint32_t, ThreadIndex> bySerial;
  for (const ThreadLog& log : recording.threads)
    if (auto known = numbers.find(log.id); known != numbers.end()) bySerial[log.serial] = known->second;
  GrantedOrder granted(trace);
  for (const format::ControlEntry& entry : recording.granted) {
    const auto thread = bySerial.find(entry.thread);
    if (thread == bySerial.end()) continue; // it did nothing that the trace holds
    // A silent operation carries the index of the point that comes next.
    const bool isEvent = entry.type == format::EntryType::event && !(entry.kind & format::kSilentBit);
    granted.runUpTo(thread->second, entry.index + (isEvent ? 1 : 0));
  }
  granted.finish();
  return std::move(granted.order);
}

} // namespace symbiosis
