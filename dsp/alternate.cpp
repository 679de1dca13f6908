// The alternate schedule (Symbiosis §3.5): one that passes and differs from the failing one in as little as
// possible.
//
// First by inversion: the pairs of events of the root cause, nearest first, each turned round by `invert` and
// its mirror. A lock in the way refuses most inversions of single accesses, so that whole critical sections
// and whole segments are moved as well. Inversions are evaluated, not solved; of those of one pair that pass
// we take the one that loses no update, then with the fewest changed dataflows, then the fewest context switches,
// then the fewest events moved. A pair that is farther apart may need fewer changes, so a few more are tried after
// one that passes.
//
// The paper claims that some inversion always passes (1-Recall). It does not: two lost updates at once need
// two. Then any passing schedule of the same path will do, brought nearer (search/approach.h).
#include "dsp/critical_sections.h"
#include "dsp/diagnosis.h"
#include "search/approach.h"
#include "search/inversion.h"
#include "search/lost_updates.h"
#include "trace/evaluated_schedule.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <set>

namespace symbiosis {

namespace {

constexpr size_t kMostPairs = 200'000;
constexpr size_t kMorePairs = 12;             // tried after the nearest that passes …
constexpr std::chrono::seconds kForBetter{5}; // … for so long

size_t changedReads(const std::vector<EventRef>& a, const std::vector<EventRef>& b) {
  size_t changed = 0;
  for (size_t i = 0; i < a.size(); ++i) changed += a[i] != b[i];
  return changed;
}

class InversionSearch {
public:
  using Clock = std::chrono::steady_clock;

  InversionSearch(const SymbolicTrace& trace, const EventOrder& failing, Clock::time_point deadline)
      : trace_(trace), deadline_(deadline), failing_(trace, failing), failingReads_(failing_.sources()),
        sections_(trace), evaluator_(trace), updates_(trace), lostWhenFailing_(updates_.in(failing).size()) {
    segmentOf_.resize(failing.size());
    segments_ = segments(trace, failing);
    for (uint32_t s = 0; s < segments_.size(); ++s)
      for (size_t i = segments_[s].begin; i < segments_[s].end; ++i) segmentOf_[i] = s;
  }

  // Up to `most`, each with other dataflows, those that change fewest first; if there is none, one that says so.
  std::vector<Alternate> find(const RootCause& rootCause, size_t most) {
    std::vector<std::pair<Cost, Alternate>> found;
    std::set<std::vector<EventRef>> known; // what the reads of those found take
    size_t tried = 0, enough = kMostPairs;
    for (const OrderEdge& pair : nearestFirst(rootCause)) {
      if (tried == kMostPairs || (tried >= enough && found.size() >= most) || isOver()) break;
      ++tried;
      if (!invert(pair)) continue;
      evaluator_.run(best_);
      if (!known.insert(evaluator_.sources()).second) continue;
      if (found.empty()) {
        enough = tried + kMorePairs;
        deadline_ = std::min(deadline_, Clock::now() + kForBetter);
      }
      Alternate alternate;
      alternate.status = AlternateStatus::found;
      alternate.inverted = pair;
      alternate.order = best_;
      alternate.pairsTried = tried;
      alternate.losesUpdate = bestCost_[0] > 0;
      found.push_back({bestCost_, std::move(alternate)});
    }
    auto isBetter = [](const auto& a, const auto& b) {
      return std::pair(a.first[0], a.first[1]) < std::pair(b.first[0], b.first[1]);
    };
    std::stable_sort(found.begin(), found.end(), isBetter);
    if (found.size() > most) found.resize(most);
    std::vector<Alternate> alternates;
    for (auto& [cost, alternate] : found) alternates.push_back(std::move(alternate));
    if (!alternates.empty()) return alternates;
    Alternate none;
    none.status = AlternateStatus::noneFound;
    none.pairsTried = tried;
    return {none};
  }

private:
  std::vector<OrderEdge> nearestFirst(const RootCause& rootCause) const {
    std::vector<EventRef> events;
    for (const OrderEdge& edge : rootCause.orders) {
      events.push_back(edge.before);
      events.push_back(edge.after);
    }
    std::sort(events.begin(), events.end(), [&](EventRef a, EventRef b) { return failing_.isBefore(a, b); });
    events.erase(std::unique(events.begin(), events.end()), events.end());
    std::vector<OrderEdge> pairs;
    for (size_t i = 0; i < events.size() && pairs.size() < kMostPairs; ++i)
      for (size_t k = i + 1; k < events.size(); ++k)
        if (trace_.threadOf(events[i]) != trace_.threadOf(events[k])) pairs.push_back({events[i], events[k]});
    // Where threads wait, an ordering of the cause says more than two acquisitions that merely stand nearer.
    auto isCause = [&](const OrderEdge& e) {
      return std::find(rootCause.orders.begin(), rootCause.orders.end(), e) != rootCause.orders.end();
    };
    const bool bySync = !TraceEnd(trace_).isDecidedByValues();
    auto distance = [&](const OrderEdge& e) {
      return std::pair(bySync && !isCause(e), failing_.position(e.after) - failing_.position(e.before));
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
        if (j >= k || isOver()) continue;
        consider(moveEarlier(trace_, failing_.order(), j, k));
        consider(moveLater(trace_, failing_.order(), j, k));
      }
    return bestCost_ != kNothing;
  }

  // Where to begin moving so that `event` goes along: itself, its critical sections, its segment.
  std::vector<size_t> startsFor(EventRef event) const {
    std::vector<size_t> starts{failing_.position(event), segments_[segmentOf_[failing_.position(event)]].begin};
    for (const LockedRegion& section : sections_.around(event)) starts.push_back(failing_.position(section.first));
    return withoutRepetition(starts);
  }
  std::vector<size_t> endsFor(EventRef event) const {
    std::vector<size_t> ends{failing_.position(event), segments_[segmentOf_[failing_.position(event)]].end - 1};
    for (const LockedRegion& section : sections_.around(event)) ends.push_back(failing_.position(section.last));
    return withoutRepetition(ends);
  }
  static std::vector<size_t> withoutRepetition(std::vector<size_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  // Schedules of a long trace take milliseconds each.
  bool isOver() const { return Clock::now() >= deadline_; }

  void consider(const EventOrder& order) {
    if (order.empty() || evaluator_.run(order).outcome != Outcome::passing) return;
    size_t moved = 0;
    for (size_t i = 0; i < order.size(); ++i) moved += order[i] != failing_.order()[i];
    const size_t lost = updates_.in(order).size();
    const Cost cost{lost - std::min(lost, lostWhenFailing_), changedReads(failingReads_, evaluator_.sources()),
                    contextSwitches(trace_, order), moved};
    if (bestCost_ <= cost) return;
    bestCost_ = cost;
    best_ = order;
  }

  // Updates lost that the failing schedule keeps, changed dataflows, context switches, events moved.
  using Cost = std::array<size_t, 4>;
  static constexpr Cost kNothing{~size_t{0}, ~size_t{0}, ~size_t{0}, ~size_t{0}};

  const SymbolicTrace& trace_;
  Clock::time_point deadline_;
  EvaluatedSchedule failing_;
  const std::vector<EventRef> failingReads_;
  CriticalSections sections_;
  Evaluator evaluator_; // of the schedules that are tried
  LostUpdates updates_;
  size_t lostWhenFailing_;
  std::vector<Segment> segments_;
  std::vector<uint32_t> segmentOf_; // by position
  Cost bestCost_ = kNothing;
  EventOrder best_;
};

} // namespace

std::vector<Alternate> findAlternates(const SymbolicTrace& trace, ScheduleSolver& solver,
                                      const EventOrder& failing, const RootCause& rootCause, size_t most) {
  // Some time is left for any passing schedule.
  const auto now = InversionSearch::Clock::now();
  const auto deadline = solver.deadline();
  const auto forInversions = deadline == ScheduleSolver::Deadline::max() ? deadline : now + (deadline - now) / 2;
  std::vector<Alternate> inversions = InversionSearch(trace, failing, forInversions).find(rootCause, most);
  Alternate& alternate = inversions.front();
  if (alternate.status == AlternateStatus::found) return inversions;
  alternate.method = AlternateMethod::search;
  ScheduleAnswer any = solver.passing({});
  switch (any.answer) {
  case Answer::unsat:
    alternate.status = AlternateStatus::noneProved;
    alternate.note = "every schedule of this path fails; the path itself may depend on the schedule";
    // The proof is about schedules in which every access goes where it went.
    alternate.addressesMatter = std::any_of(trace.conditions.begin(), trace.conditions.end(),
                                            [](const Condition& c) { return c.kind == ConditionKind::address; });
    if (alternate.addressesMatter)
      alternate.note = "none with the recorded addresses and values given to functions outside; one in which they "
                       "differ may pass";
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
    alternate.order = nearestTo(trace, solver, failing, Goal::passing, std::move(any.order));
    alternate.losesUpdate = LostUpdates(trace).in(alternate.order).size() > LostUpdates(trace).in(failing).size();
    break;
  }
  return inversions;
}

Alternate findAlternate(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                        const RootCause& rootCause) {
  return std::move(findAlternates(trace, solver, failing, rootCause, 1).front());
}

} // namespace symbiosis
