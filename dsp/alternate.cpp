// The alternate schedule (Symbiosis §3.5): one that passes and differs from the failing one in as little as
// possible.
//
// First by inversion: the pairs of events of the root cause, nearest first, each turned round by `invert` and
// its mirror. A lock in the way refuses most inversions of single accesses, so that whole critical sections
// and whole segments are moved as well. Inversions are evaluated, not solved; of those of one pair that pass
// we take the one with the fewest changed dataflows, then the fewest context switches, then the fewest events
// moved.
//
// The paper claims that some inversion always passes (1-Recall). It does not: two lost updates at once need
// two. Then any passing schedule of the same path will do, brought nearer: as many orderings of the failing
// schedule as the solver can keep are kept (a maximal set, found by halving), and what they leave open
// follows the failing one.
#include "dsp/critical_sections.h"
#include "dsp/diagnosis.h"
#include "dsp/inversion.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <queue>

namespace symbiosis {

namespace {

constexpr size_t kMostPairs = 200'000;
constexpr size_t kMostCallsToApproach = 200;
constexpr size_t kUnknownsUntilWeStop = 3;

size_t changedReads(const std::vector<EventRef>& a, const std::vector<EventRef>& b) {
  size_t changed = 0;
  for (size_t i = 0; i < a.size(); ++i) changed += a[i] != b[i];
  return changed;
}

class InversionSearch {
public:
  InversionSearch(const SymbolicTrace& trace, const EventOrder& failing)
      : trace_(trace), failing_(failing), position_(positionsOf(trace, failing)), sections_(trace),
        evaluator_(trace) {
    evaluator_.run(failing);
    failingReads_ = evaluator_.readFrom();
    segmentOf_.resize(failing.size());
    segments_ = segments(trace, failing);
    for (uint32_t s = 0; s < segments_.size(); ++s)
      for (size_t i = segments_[s].begin; i < segments_[s].end; ++i) segmentOf_[i] = s;
  }

  Alternate find(const RootCause& rootCause) {
    Alternate alternate;
    alternate.status = AlternateStatus::noneFound;
    for (const OrderEdge& pair : nearestFirst(rootCause)) {
      if (alternate.pairsTried == kMostPairs) break;
      ++alternate.pairsTried;
      if (!invert(pair)) continue;
      alternate.status = AlternateStatus::found;
      alternate.inverted = pair;
      alternate.order = best_;
      break;
    }
    return alternate;
  }

private:
  std::vector<OrderEdge> nearestFirst(const RootCause& rootCause) const {
    std::vector<EventRef> events;
    for (const OrderEdge& edge : rootCause.orders) {
      events.push_back(edge.before);
      events.push_back(edge.after);
    }
    std::sort(events.begin(), events.end(), [&](EventRef a, EventRef b) { return position_[a] < position_[b]; });
    events.erase(std::unique(events.begin(), events.end()), events.end());
    std::vector<OrderEdge> pairs;
    for (size_t i = 0; i < events.size() && pairs.size() < kMostPairs; ++i)
      for (size_t k = i + 1; k < events.size(); ++k)
        if (trace_.threadOf(events[i]) != trace_.threadOf(events[k])) pairs.push_back({events[i], events[k]});
    // Where threads wait, an ordering of the cause says more than two acquisitions that merely stand nearer.
    auto isCause = [&](const OrderEdge& e) {
      return std::find(rootCause.orders.begin(), rootCause.orders.end(), e) != rootCause.orders.end();
    };
    auto distance = [&](const OrderEdge& e) {
      return std::pair(trace_.endsWaiting() && !isCause(e), position_[e.after] - position_[e.before]);
    };
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const OrderEdge& a, const OrderEdge& b) { return distance(a) < distance(b); });
    return pairs;
  }

  // Tries every way to turn the pair round; the best that passes is in best_.
  bool invert(const OrderEdge& pair) {
    bestCost_ = kNothing;
    for (size_t j : startsFor(pair.before))
      for (size_t k : endsFor(pair.after)) {
        if (j >= k) continue;
        consider(moveEarlier(trace_, failing_, j, k));
        consider(moveLater(trace_, failing_, j, k));
      }
    return bestCost_ != kNothing;
  }

  // Where to begin moving so that `event` goes along: itself, its critical sections, its segment.
  std::vector<size_t> startsFor(EventRef event) const {
    std::vector<size_t> starts{position_[event], segments_[segmentOf_[position_[event]]].begin};
    for (const CriticalSection& section : sections_.around(event)) starts.push_back(position_[section.first]);
    return withoutRepetition(starts);
  }
  std::vector<size_t> endsFor(EventRef event) const {
    std::vector<size_t> ends{position_[event], segments_[segmentOf_[position_[event]]].end - 1};
    for (const CriticalSection& section : sections_.around(event)) ends.push_back(position_[section.last]);
    return withoutRepetition(ends);
  }
  static std::vector<size_t> withoutRepetition(std::vector<size_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  void consider(const EventOrder& order) {
    if (order.empty() || evaluator_.run(order).outcome != Outcome::passing) return;
    size_t moved = 0;
    for (size_t i = 0; i < order.size(); ++i) moved += order[i] != failing_[i];
    const Cost cost{changedReads(failingReads_, evaluator_.readFrom()), contextSwitches(trace_, order), moved};
    if (bestCost_ <= cost) return;
    bestCost_ = cost;
    best_ = order;
  }

  using Cost = std::array<size_t, 3>;
  static constexpr Cost kNothing{~size_t{0}, ~size_t{0}, ~size_t{0}};

  const SymbolicTrace& trace_;
  const EventOrder& failing_;
  std::vector<uint32_t> position_;
  CriticalSections sections_;
  Evaluator evaluator_;
  std::vector<EventRef> failingReads_;
  std::vector<Segment> segments_;
  std::vector<uint32_t> segmentOf_; // by position
  Cost bestCost_ = kNothing;
  EventOrder best_;
};

// The schedule with the conflicts of `order`, and otherwise as near to `model` as they allow: of the events
// that may come next, always the one that comes first in `model`.
EventOrder inTheMannerOf(const SymbolicTrace& trace, const EventOrder& model, const EventOrder& order) {
  std::vector<OrderEdge> edges = candidateEdges(trace, order);
  for (const TraceThread& thread : trace.threads)
    for (uint32_t i = 1; i < thread.eventCount; ++i)
      edges.push_back({thread.firstEvent + i - 1, thread.firstEvent + i});
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    const Event& event = trace.event(ref);
    if (event.peer == kNone || trace.threads[event.peer].eventCount == 0) continue;
    const TraceThread& peer = trace.threads[event.peer];
    if (event.kind == EventKind::fork) edges.push_back({ref, peer.firstEvent});
    if (event.kind == EventKind::join)
      for (EventRef other = peer.firstEvent; other < peer.firstEvent + peer.eventCount; ++other)
        if (trace.event(other).kind == EventKind::exit) edges.push_back({other, ref});
  }
  std::vector<std::vector<EventRef>> after(trace.events.size());
  std::vector<uint32_t> waitingFor(trace.events.size());
  for (const OrderEdge& edge : edges) {
    after[edge.before].push_back(edge.after);
    ++waitingFor[edge.after];
  }
  const std::vector<uint32_t> position = positionsOf(trace, model);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready; // positions in the model
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (waitingFor[ref] == 0) ready.push(position[ref]);
  EventOrder result;
  while (!ready.empty()) {
    EventRef next = model[ready.top()];
    ready.pop();
    result.push_back(next);
    for (EventRef follower : after[next])
      if (--waitingFor[follower] == 0) ready.push(position[follower]);
  }
  return result;
}

// Keeps a maximal set of the failing schedule's edges that some passing schedule allows.
class Approach {
public:
  Approach(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing, EventOrder passing)
      : trace_(trace), solver_(solver), failing_(failing) {
    become(std::move(passing));
  }

  EventOrder nearest() {
    std::vector<OrderEdge> lost;
    for (const OrderEdge& edge : candidateEdges(trace_, failing_)) (keeps(edge) ? kept_ : lost).push_back(edge);
    regain(lost);
    EventOrder tidied = inTheMannerOf(trace_, failing_, order_);
    if (Evaluator(trace_).run(tidied).outcome == Outcome::passing) return tidied;
    return order_;
  }

private:
  bool keeps(const OrderEdge& edge) const { return position_[edge.before] < position_[edge.after]; }
  void become(EventOrder order) {
    order_ = std::move(order);
    position_ = positionsOf(trace_, order_);
  }

  void regain(const std::vector<OrderEdge>& edges) {
    if (edges.empty()) return;
    std::vector<OrderEdge> wanted = kept_;
    wanted.insert(wanted.end(), edges.begin(), edges.end());
    if (allow(edges, wanted)) {
      kept_ = std::move(wanted);
      return;
    }
    if (edges.size() == 1) return;
    const auto middle = edges.begin() + ptrdiff_t(edges.size() / 2);
    regain({middle, edges.end()});
    regain({edges.begin(), middle});
  }

  bool allow(const std::vector<OrderEdge>& edges, const std::vector<OrderEdge>& wanted) {
    if (std::all_of(edges.begin(), edges.end(), [&](const OrderEdge& e) { return keeps(e); })) return true;
    if (calls_ == kMostCallsToApproach || unknowns_ == kUnknownsUntilWeStop) return false;
    ++calls_;
    ScheduleAnswer answer = solver_.passing(wanted);
    if (answer.answer == Answer::unknown) ++unknowns_;
    if (answer.answer != Answer::sat) return false;
    become(std::move(answer.order));
    return true;
  }

  const SymbolicTrace& trace_;
  ScheduleSolver& solver_;
  const EventOrder& failing_;
  EventOrder order_; // passes, and keeps kept_
  std::vector<uint32_t> position_;
  std::vector<OrderEdge> kept_;
  size_t calls_ = 0, unknowns_ = 0;
};

} // namespace

Alternate findAlternate(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                        const RootCause& rootCause) {
  Alternate alternate = InversionSearch(trace, failing).find(rootCause);
  if (alternate.status == AlternateStatus::found) return alternate;
  alternate.method = AlternateMethod::search;
  ScheduleAnswer any = solver.passing({});
  switch (any.answer) {
  case Answer::unsat:
    alternate.status = AlternateStatus::noneProved;
    alternate.note = "every schedule of this path fails; the path itself may depend on the schedule";
    if (!trace.unmodelled.empty()) {
      // The proof is about the trace; these may have done more than the trace says.
      alternate.status = AlternateStatus::noneFound;
      alternate.note =
          fmt::format("not proved: what {} did is not in the trace", fmt::join(trace.unmodelled, ", "));
    }
    break;
  case Answer::unknown:
    alternate.status = alternate.pairsTried > 0 ? AlternateStatus::noneFound : AlternateStatus::unknown;
    alternate.note = any.reason;
    break;
  case Answer::sat:
    alternate.status = AlternateStatus::found;
    alternate.order = Approach(trace, solver, failing, std::move(any.order)).nearest();
    break;
  }
  return alternate;
}

} // namespace symbiosis
