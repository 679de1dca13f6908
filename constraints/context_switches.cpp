// Theory (§3.7, Algorithm 1; Tinertia §3; SimTrace §3). A schedule is a list of segments, maximal runs of one
// thread. A move joins a segment to the next one of its thread: moveUp brings the later one up behind the
// earlier, moveDown takes the earlier one down before the later. A move counts if the schedule still has its
// outcome, which is evaluated where the paper solves. Passes of moves are repeated until none succeeds.
//
// Running the whole schedule for each move is what a short schedule can afford; long ones are first shortened by
// moves that are judged by the state behind them (window_moves.h).
//
// Where moves end depends on where they begin, and a schedule with as few switches as possible is NP-hard to
// find. So we begin several times: at the schedule itself, and at orders of the same dependence graph
// (candidate edges and program order: the same values everywhere) in which a thread runs on for as long as
// the graph lets it, one for each thread that may run first.
#include "constraints/call_watch.h"
#include "constraints/schedule_solver.h"
#include "constraints/sync_structure.h"
#include "constraints/window_moves.h"
#include <algorithm>

namespace symbiosis {

namespace {

// Orders of one dependence graph, each thread running on until it must wait for another.
class StickyOrders {
public:
  StickyOrders(const SymbolicTrace& trace, const EventOrder& order, Outcome outcome)
      : trace_(trace), successors_(trace.events.size()), missing_(trace.events.size(), 0) {
    for (const OrderEdge& edge : candidateEdges(trace, order)) link(edge);
    for (const OrderEdge& edge : allMust(analyseSync(trace))) link(edge);
    if (outcome != Outcome::failing) return;
    const TraceEnd ending(trace);
    for (EventRef last : ending.last()) holdBack(last, ending);
  }

  // `first` is asked first whether it can run, then the threads after it, in turn.
  EventOrder startingWith(ThreadIndex first) const {
    std::vector<uint32_t> missing = missing_, next(trace_.threads.size(), 0);
    EventOrder order;
    auto isReady = [&](ThreadIndex thread) {
      const TraceThread& events = trace_.threads[thread];
      return next[thread] < events.eventCount && missing[events.firstEvent + next[thread]] == 0;
    };
    for (ThreadIndex thread = first, idle = 0; idle < trace_.threads.size();) {
      if (!isReady(thread)) {
        thread = (thread + 1) % ThreadIndex(trace_.threads.size());
        ++idle;
        continue;
      }
      idle = 0;
      const EventRef event = trace_.threads[thread].firstEvent + next[thread]++;
      order.push_back(event);
      for (EventRef later : successors_[event]) --missing[later];
    }
    return order;
  }

private:
  // Until all that completed has happened.
  void holdBack(EventRef last, const TraceEnd& ending) {
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      if (ending.isCompleted(ref) && trace_.threadOf(ref) != trace_.threadOf(last)) link({ref, last});
  }
  void link(const OrderEdge& edge) {
    successors_[edge.before].push_back(edge.after);
    ++missing_[edge.after];
  }

  const SymbolicTrace& trace_;
  std::vector<std::vector<EventRef>> successors_; // in other threads
  std::vector<uint32_t> missing_;                 // predecessors in other threads
};

// Algorithm 1 on one schedule.
class SegmentMoves {
public:
  SegmentMoves(const SymbolicTrace& trace, Evaluator& evaluator, Outcome wanted, const CallWatch& watch)
      : trace_(trace), evaluator_(evaluator), wanted_(wanted), watch_(watch) {}

  EventOrder reduce(EventOrder order) {
    order_ = std::move(order);
    segments_ = segments(trace_, order_);
    for (size_t before = segments_.size() + 1; segments_.size() < before && !watch_.expired();) {
      before = segments_.size();
      for (size_t i = 0; i < segments_.size() && !watch_.expired();)
        if (!joinNext(i, Direction::up)) ++i;
      for (size_t i = segments_.size(); i-- > 0 && !watch_.expired();)
        if (i < segments_.size()) joinNext(i, Direction::down);
    }
    return std::move(order_);
  }

private:
  enum class Direction { up, down };

  // Joins segment `i` and the next one of its thread, if the outcome allows it.
  bool joinNext(size_t i, Direction direction) {
    const auto next = std::find_if(segments_.begin() + long(i) + 1, segments_.end(),
                                   [&](const Segment& s) { return s.thread == segments_[i].thread; });
    if (next == segments_.end()) return false;
    const auto at = [&](size_t position) { return order_.begin() + long(position); };
    const size_t begin = direction == Direction::up ? segments_[i].end : segments_[i].begin;
    const size_t middle = direction == Direction::up ? next->begin : segments_[i].end;
    const size_t end = direction == Direction::up ? next->end : next->begin;
    std::rotate(at(begin), at(middle), at(end));
    if (evaluator_.run(order_).outcome == wanted_) {
      segments_ = segments(trace_, order_);
      return true;
    }
    std::rotate(at(begin), at(begin + (end - middle)), at(end));
    return false;
  }

  const SymbolicTrace& trace_;
  Evaluator& evaluator_;
  const Outcome wanted_;
  const CallWatch& watch_;
  EventOrder order_;
  std::vector<Segment> segments_; // of order_
};

} // namespace

// Events that the moves of one pass over whole schedules may run.
static constexpr double kMostEvaluatedWhole = 3e7;

// Wider and wider windows, while what they cost is bearable: the fewer segments are left, the wider they may be.
static EventOrder reduceInWindows(const SymbolicTrace& trace, EventOrder order, const CallWatch& watch) {
  constexpr size_t kFirstWindow = 1500, kWiden = 8;
  constexpr double kMostEvaluated = 3e8; // events
  const CompiledTrace code(trace);
  WindowMoves moves(code);
  for (size_t window = kFirstWindow;; window *= kWiden) {
    order = moves.reduce(order, window, watch);
    const double segmentCount = double(contextSwitches(trace, order) + 1);
    if (segmentCount * double(order.size()) <= kMostEvaluatedWhole) return order; // whole schedules are run next
    const double cost = segmentCount * double(window * kWiden);
    if (window >= order.size() || cost > kMostEvaluated || watch.expired()) return order;
  }
}

// Short schedules are begun from everywhere; of the beginnings of a long one only the best is followed.
EventOrder reduceContextSwitches(const SymbolicTrace& trace, const EventOrder& order, SolverLimits limits) {
  constexpr ThreadIndex kMostStarts = 8;
  constexpr size_t kShort = 2000;
  const CallWatch watch(limits);
  Evaluator evaluator(trace);
  const Outcome wanted = evaluator.run(order).outcome;
  if (wanted == Outcome::infeasible) return order;
  const StickyOrders sticky(trace, order, wanted);
  std::vector<EventOrder> starts{order};
  for (ThreadIndex first = 0; first < std::min(ThreadIndex(trace.threads.size()), kMostStarts); ++first) {
    EventOrder start = sticky.startingWith(first);
    if (!watch.expired() && evaluator.run(start).outcome == wanted) starts.push_back(std::move(start));
  }
  auto isBetter = [&](const EventOrder& a, const EventOrder& b) {
    return contextSwitches(trace, a) < contextSwitches(trace, b);
  };
  if (order.size() > kShort) {
    EventOrder& best = *std::min_element(starts.begin(), starts.end(), isBetter);
    EventOrder shorter = reduceInWindows(trace, best, watch);
    if (evaluator.run(shorter).outcome != wanted) shorter = best;
    starts = {std::move(shorter)};
  }
  SegmentMoves moves(trace, evaluator, wanted, watch);
  EventOrder best = starts[0];
  for (EventOrder& start : starts) {
    const double segmentCount = double(contextSwitches(trace, start) + 1);
    if (segmentCount * double(order.size()) <= kMostEvaluatedWhole) start = moves.reduce(std::move(start));
    if (isBetter(start, best)) best = std::move(start);
  }
  return best;
}

} // namespace symbiosis
