#include "symexec/walk_together.h"
#include <algorithm>
#include <deque>

namespace symbiosis {
namespace {

constexpr uint64_t kEnd = ~uint64_t{0};

// A thread goes on until it has passed so many points and made so many operations.
struct Stop {
  size_t thread = 0;
  uint64_t points = 0, operations = 0;
};

std::vector<Stop> stopsOf(const Recording& recording) {
  std::vector<Stop> stops;
  std::map<uint32_t, size_t> bySerial;
  for (size_t t = 0; t < recording.threads.size(); ++t) bySerial[recording.threads[t].serial] = t;
  for (const format::ControlEntry& entry : recording.granted)
    if (auto thread = bySerial.find(entry.thread); thread != bySerial.end())
      stops.push_back({thread->second, format::pointsAfter(entry), 0});
  if (!stops.empty()) {
    stops.push_back({stops.back().thread, kEnd, 0}); // nobody interrupted it any more
    return stops;
  }
  std::vector<std::pair<uint64_t, Stop>> timed;
  for (size_t t = 0; t < recording.threads.size(); ++t)
    for (size_t op = 0; op < recording.threads[t].ops.size(); ++op)
      timed.push_back({recording.threads[t].ops[op].timestamp, {t, 0, op + 1}});
  std::stable_sort(timed.begin(), timed.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (auto& [time, stop] : timed) stops.push_back(stop);
  return stops;
}

// Where a thread waits until another one has written a pointer there.
using Delays = std::map<std::pair<size_t, uint64_t>, uint64_t>; // thread and point: address

class Walk {
public:
  Walk(const Recording& recording, ExecutionContext& context, const Delays& delays)
      : context_(context), delays_(delays) {
    for (const ThreadLog& log : recording.threads) {
      threads_.emplace_back(context, log);
      until_.push_back({});
    }
  }

  // The thread that cannot go on, in `stuck`, if this throws AddressUnknown.
  void run(const std::vector<Stop>& stops) {
    for (const Stop& stop : stops) {
      until_[stop.thread] = stop;
      goOn(stop.thread);
    }
    for (size_t t = 0; t < threads_.size(); ++t) {
      until_[t] = {t, kEnd, 0};
      goOn(t);
    }
    waiting_.clear(); // for what never came
    for (bool obeys : {true, false})
      for (size_t t = 0; t < threads_.size(); ++t) {
        obeys_ = obeys;
        goOn(t);
      }
  }

  size_t stuck = 0;

private:
  bool waits(size_t t) {
    if (!obeys_) return false;
    auto delay = delays_.find({t, threads_[t].points()});
    if (delay == delays_.end()) return false;
    const Scalar there = context_.common.memory.load(delay->second, 8);
    return !there.known || there.bits == 0;
  }

  void goOn(size_t t) {
    ThreadExecutor& thread = threads_[t];
    stuck = t;
    while (!thread.ended() && (thread.points() < until_[t].points || thread.operations() < until_[t].operations)) {
      if (!delays_.empty() && waits(t)) {
        if (std::find(waiting_.begin(), waiting_.end(), t) == waiting_.end()) waiting_.push_back(t);
        return;
      }
      thread.advance();
      if (waiting_.empty()) continue;
      auto ready = std::find_if(waiting_.begin(), waiting_.end(), [&](size_t other) { return !waits(other); });
      if (ready == waiting_.end() || *ready == t) continue;
      const size_t other = *ready;
      waiting_.erase(ready);
      goOn(other);
      stuck = t;
    }
  }

  ExecutionContext& context_;
  const Delays& delays_;
  std::deque<ThreadExecutor> threads_;
  std::vector<Stop> until_;
  std::vector<size_t> waiting_;
  bool obeys_ = true;
};

} // namespace

void walkTogether(const Recording& recording, ExecutionContext& context) {
  constexpr size_t kMostDelays = 64;
  const std::vector<Stop> stops = stopsOf(recording);
  Delays delays;
  for (;;) {
    context.common.reset();
    Walk walk(recording, context, delays);
    try {
      walk.run(stops);
      return;
    } catch (const AddressUnknown&) {
      auto missing = context.common.lastEmpty.find(recording.threads[walk.stuck].serial);
      if (missing == context.common.lastEmpty.end() || delays.size() == kMostDelays ||
          !delays.insert({{walk.stuck, missing->second.point}, missing->second.address}).second)
        throw;
    }
  }
}

} // namespace symbiosis
