#include "symexec/walk_together.h"
#include "symexec/executor.h"
#include <algorithm>
#include <deque>
#include <tuple>

namespace symbiosis {
namespace {

constexpr uint64_t kEnd = ~uint64_t{0};

// A thread goes on until it has passed so many points and made so many operations.
struct Stop {
  size_t thread = 0;
  uint64_t points = 0, operations = 0;
};

std::vector<Stop> grantedStops(const Recording& recording) {
  std::vector<Stop> stops;
  std::map<uint32_t, size_t> bySerial;
  for (size_t t = 0; t < recording.threads.size(); ++t) bySerial[recording.threads[t].serial] = t;
  for (const format::ControlEntry& entry : recording.granted)
    if (auto thread = bySerial.find(entry.thread); thread != bySerial.end())
      stops.push_back({thread->second, format::pointsAfter(entry), 0});
  if (!stops.empty())
    stops.push_back({stops.back().thread, kEnd, 0}); // the last thread that was granted runs to its end
  return stops;
}

std::vector<Stop> timedStops(const Recording& recording) {
  std::vector<std::pair<uint64_t, Stop>> timed;
  for (size_t t = 0; t < recording.threads.size(); ++t)
    for (size_t op = 0; op < recording.threads[t].ops.size(); ++op)
      timed.push_back({recording.threads[t].ops[op].timestamp, {t, 0, op + 1}});
  std::stable_sort(timed.begin(), timed.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<Stop> stops;
  for (auto& [time, stop] : timed) stops.push_back(stop);
  return stops;
}

// Points at which a thread is held back until another one has written a pointer to an address.
using Delays = std::map<std::pair<size_t, uint64_t>, uint64_t>; // thread and point: address

// How much of the recorded run a walk of all threads leaves unexplained.
struct Verdict {
  size_t stuck = 0;    // threads that could not go on …
  uint64_t passed = 0; // … behind so many points
  unsigned doubts = 0;
  std::vector<size_t> inDoubt; // threads of both kinds
  std::exception_ptr problem;  // the first that left a thread stuck
  bool isBetterThan(const Verdict& other) const {
    return std::tuple(stuck, doubts, other.passed) < std::tuple(other.stuck, other.doubts, passed);
  }
};

class Walk {
public:
  Walk(const Recording& recording, WalkContext& context, const Delays& delays)
      : context_(context), delays_(delays), until_(recording.threads.size()), stuck_(recording.threads.size()) {
    context.common.reset();
    context.sharing.forgetAll();
    for (const ThreadLog& log : recording.threads) threads_.emplace_back(context, log);
  }

  void run(const std::vector<Stop>& stops) {
    for (const Stop& stop : stops) {
      until_[stop.thread] = stop;
      goOn(stop.thread);
    }
    for (Stop& until : until_) until.points = kEnd;
    for (bool obeys : {true, false}) { // at last, a thread whose pointer nobody writes goes on without it
      obeys_ = obeys;
      waiting_.clear();
      for (size_t t = 0; t < threads_.size(); ++t) goOn(t);
    }
  }

  Verdict verdict() const {
    Verdict sum;
    sum.problem = problem_;
    for (size_t t = 0; t < threads_.size(); ++t) {
      sum.stuck += stuck_[t];
      sum.doubts += threads_[t].doubt();
      if (stuck_[t]) sum.passed += threads_[t].points();
      if (stuck_[t] || threads_[t].doubt()) sum.inDoubt.push_back(t);
    }
    return sum;
  }

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
    while (!stuck_[t] && !thread.ended() &&
           (thread.points() < until_[t].points || thread.operations() < until_[t].operations)) {
      if (!delays_.empty() && waits(t)) {
        if (std::find(waiting_.begin(), waiting_.end(), t) == waiting_.end()) waiting_.push_back(t);
        return;
      }
      try {
        thread.advance();
      } catch (const std::runtime_error&) {
        if (!problem_) problem_ = std::current_exception();
        stuck_[t] = true;
      }
      if (waiting_.empty()) continue;
      auto ready = std::find_if(waiting_.begin(), waiting_.end(), [&](size_t other) { return !waits(other); });
      if (ready == waiting_.end() || *ready == t) continue;
      const size_t other = *ready;
      waiting_.erase(ready);
      goOn(other);
    }
  }

  WalkContext& context_;
  const Delays& delays_;
  std::deque<ThreadExecutor> threads_;
  std::vector<Stop> until_;
  std::vector<bool> stuck_;
  std::vector<size_t> waiting_;
  bool obeys_ = true;
  std::exception_ptr problem_;
};

// Something that may mend a guess.
struct Change {
  size_t thread = 0;
  CommonMemory::Load load;
  std::optional<uint64_t> value; // that the load finds; empty: it waits
};

// The latest loads first: they are the likeliest to have gone wrong.
std::vector<Change> changesFor(const Verdict& verdict, const Recording& recording, WalkContext& context) {
  std::vector<Change> changes;
  CommonMemory& common = context.common;
  for (size_t t : verdict.inDoubt) {
    const CommonMemory::Found& found = common.found[recording.threads[t].serial];
    for (auto load = found.latest.rbegin(); load != found.latest.rend(); ++load) {
      if (load->isEmpty && load->size == 8) changes.push_back({t, *load, std::nullopt});
      std::vector<uint64_t> values = common.written[{load->address, load->size}];
      if (load->size <= 8 && context.addresses.hasFirstValue(load->address))
        values.push_back(context.initial.load(load->address, unsigned(load->size)).bits);
      for (uint64_t value : values) changes.push_back({t, *load, value});
    }
  }
  return changes;
}

} // namespace

void walkTogether(const Recording& recording, WalkContext& context) {
  constexpr uint64_t kMostInstructions = 200'000'000; // spent on mending
  constexpr int kMostWalks = 200;
  std::vector<Stop> stops = grantedStops(recording);
  const bool isGuess = stops.empty();
  if (isGuess) stops = timedStops(recording);
  Delays delays;
  auto walk = [&] {
    Walk all(recording, context, delays);
    all.run(stops);
    return all.verdict();
  };
  Verdict best = walk();
  if (best.inDoubt.empty() || !isGuess) {
    if (best.problem) std::rethrow_exception(best.problem);
    return;
  }
  const uint64_t before = context.stats.instructions;
  context.common.keepsWritten = true;
  best = walk();
  int walks = 0;
  for (bool isBetter = true; isBetter && !best.inDoubt.empty();) {
    isBetter = false;
    for (const Change& change : changesFor(best, recording, context)) {
      if (++walks > kMostWalks || context.stats.instructions - before > kMostInstructions) break;
      const Delays delaysBefore = delays;
      const auto insteadBefore = context.common.instead;
      if (change.value)
        context.common.instead[{recording.threads[change.thread].serial, change.load.number}] = *change.value;
      else
        delays[{change.thread, change.load.point}] = change.load.address;
      Verdict next = walk();
      isBetter = next.isBetterThan(best);
      if (isBetter) {
        best = next;
        break;
      }
      delays = delaysBefore;
      context.common.instead = insteadBefore;
    }
  }
  best = walk(); // what its loads find is what counts
  if (best.problem) std::rethrow_exception(best.problem);
}

} // namespace symbiosis
