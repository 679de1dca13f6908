#include "breakpoints/orderings.h"
#include "trace/evaluator.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

bool happens(const Event& event) { return !event.pending && !event.synthetic; }

// The events that happen, up to the failure and with it.
EventOrder untilFailure(const SymbolicTrace& trace, const EventOrder& failing) {
  EventOrder result;
  for (EventRef ref : failing) {
    if (happens(trace.event(ref))) result.push_back(ref);
    if (ref == trace.failure.event && happens(trace.event(ref))) break;
  }
  return result;
}

// What the other threads would do next when the run fails. Where the recorded run ended before that, nobody knows
// what it is: then they are held behind the last that they did. Nothing in a run that ends because threads wait.
Orderings heldAtFailure(const SymbolicTrace& trace, const EventOrder& failing) {
  const EventRef failure = trace.failure.event;
  if (failure == kNoEvent || trace.event(failure).pending) return {};
  std::vector<EventRef> last(trace.threads.size(), kNoEvent), next = last;
  bool isBehind = false;
  for (EventRef ref : failing) {
    const Event& event = trace.event(ref);
    if (!happens(event)) continue;
    if (!isBehind)
      last[event.id.thread] = ref;
    else if (next[event.id.thread] == kNoEvent && event.kind != EventKind::start)
      next[event.id.thread] = ref;
    isBehind = isBehind || ref == failure;
  }
  Orderings held;
  for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread) {
    const bool isKnown = next[thread] != kNoEvent;
    const EventRef at = isKnown ? next[thread] : last[thread];
    if (thread == trace.threadOf(failure) || at == kNoEvent || trace.event(at).kind == EventKind::exit) continue;
    held.push_back({failure, kNoEvent, at, true, !isKnown});
  }
  return held;
}

// By thread, how many of the others' events come before, because threads are started and joined.
class StartsAndJoins {
public:
  StartsAndJoins(const SymbolicTrace& trace, const EventOrder& order) : trace_(trace) {
    const size_t count = trace.threads.size();
    std::vector<std::vector<EventRef>> known(count, std::vector<EventRef>(count, 0)), atStart = known;
    known_.resize(trace.events.size());
    for (EventRef ref : order) {
      const Event& event = trace.event(ref);
      std::vector<EventRef>& mine = known[event.id.thread];
      if (event.kind == EventKind::start) merge(mine, atStart[event.id.thread]);
      if (event.kind == EventKind::join && event.peer < count) merge(mine, known[event.peer]);
      mine[event.id.thread] = ref + 1;
      if (event.kind == EventKind::fork && event.peer < count) atStart[event.peer] = mine;
      known_[ref] = mine;
    }
  }
  bool implies(EventRef before, EventRef after) const { return known_[after][trace_.threadOf(before)] > before; }

private:
  static void merge(std::vector<EventRef>& into, const std::vector<EventRef>& from) {
    for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
  }
  const SymbolicTrace& trace_;
  std::vector<std::vector<EventRef>>
      known_; // by event: the events of each thread that come before, one past the last
};

EventRef nextOf(const SymbolicTrace& trace, EventRef ref) {
  const TraceThread& thread = trace.threads[trace.threadOf(ref)];
  const EventRef next = ref + 1;
  const bool isThere = next < thread.firstEvent + thread.eventCount && !trace.event(next).synthetic;
  return isThere ? next : kNoEvent;
}

// Threads start and end, and are waited for, when they can be: nothing of that has to be forced.
bool comesByItself(const Event& event) {
  return event.kind == EventKind::start || event.kind == EventKind::exit || event.kind == EventKind::fork ||
         event.kind == EventKind::join;
}

// In a run that ends because threads wait: each has done all that it did before another one begins to wait.
std::vector<std::pair<EventRef, EventRef>> meetings(const SymbolicTrace& trace) {
  std::vector<EventRef> waits;
  for (EventRef ref : trace.pendingEvents())
    if (!trace.event(ref).bystander && trace.event(ref).kind != EventKind::join) waits.push_back(ref);
  std::vector<std::pair<EventRef, EventRef>> result;
  for (EventRef one : waits)
    for (EventRef other : waits)
      if (one != other && one > trace.threads[trace.threadOf(one)].firstEvent) result.emplace_back(one - 1, other);
  return result;
}

} // namespace

Orderings orderingsOf(const SymbolicTrace& trace, const EventOrder& failing) {
  const EventOrder all = untilFailure(trace, failing);
  const StartsAndJoins implied(trace, all);
  Orderings result;
  EventRef last = kNoEvent;
  for (EventRef ref : all) {
    if (comesByItself(trace.event(ref))) continue;
    const bool isSwitch = last != kNoEvent && trace.threadOf(last) != trace.threadOf(ref);
    // Who fails next does not come to say anything before that; then what is forced is that nobody else goes on.
    const EventRef next = isSwitch ? nextOf(trace, last) : kNoEvent;
    const bool isHold = next != kNoEvent && next == trace.failure.event && !trace.event(next).pending;
    if (isSwitch && isHold)
      result.push_back({trace.failure.event, kNoEvent, ref, true});
    else if (isSwitch && !implied.implies(last, ref))
      result.push_back({last, next, ref});
    last = ref;
  }
  for (const auto& [before, after] : meetings(trace)) result.push_back({before, nextOf(trace, before), after});
  for (const Ordering& held : heldAtFailure(trace, failing)) result.push_back(held);
  return result;
}

namespace {

// Whether the order is interrupted between these two events of one thread: others stand between them.
struct Interruption {
  size_t first = 0, second = 0; // positions of two neighbouring events of one thread
};

std::vector<Interruption> interruptions(const SymbolicTrace& trace, const Visits& visits,
                                        const EventOrder& order) {
  std::vector<Interruption> result;
  std::vector<size_t> last(trace.threads.size(), order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    size_t& before = last[trace.threadOf(order[i])];
    if (before < order.size() && before + 1 < i && visits.visitOf(order[before]) != kNone &&
        visits.visitOf(order[before]) == visits.visitOf(order[i]))
      result.push_back({before, i});
    before = i;
  }
  return result;
}

// The thread's events of one statement, from position `from` on as far as they go without a break, moved before
// position `to`.
EventOrder movedTo(const SymbolicTrace& trace, const Visits& visits, const EventOrder& order, size_t from,
                   size_t to, bool backwards) {
  const uint32_t visit = visits.visitOf(order[from]);
  std::vector<EventRef> moved;
  EventOrder rest;
  auto belongs = [&](size_t at) {
    return trace.threadOf(order[at]) == trace.threadOf(order[from]) && visits.visitOf(order[at]) == visit &&
           (backwards ? at <= from : at >= from);
  };
  size_t target = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == to) target = rest.size();
    if (belongs(i))
      moved.push_back(order[i]);
    else
      rest.push_back(order[i]);
  }
  rest.insert(rest.begin() + long(target), moved.begin(), moved.end());
  return rest;
}

} // namespace

EventOrder alignedToStatements(const SymbolicTrace& trace, const Visits& visits, EventOrder failing) {
  constexpr size_t kMostMoves = 200;
  Evaluator evaluator(trace);
  auto fails = [&](const EventOrder& order) { return evaluator.run(order).outcome == Outcome::failing; };
  size_t given = 0; // interruptions that have to stay
  for (size_t moves = 0; moves < kMostMoves; ++moves) {
    const std::vector<Interruption> found = interruptions(trace, visits, failing);
    if (given >= found.size()) break;
    const Interruption at = found[given];
    const EventOrder earlier = movedTo(trace, visits, failing, at.second, at.first + 1, false);
    const EventOrder later = movedTo(trace, visits, failing, at.first, at.second, true);
    auto isBetter = [&](const EventOrder& order) {
      return fails(order) && interruptions(trace, visits, order).size() < found.size();
    };
    if (isBetter(earlier))
      failing = earlier;
    else if (isBetter(later))
      failing = later;
    else
      ++given;
  }
  return failing;
}

namespace {

Error cannotPlace(const Visits& visits, EventRef event, const Error& why) {
  return {why.kind, fmt::format("{}: {}", visits.describe(event), why.message)};
}

// Where a thread stands before the event, having done all that comes before it.
Result<Coming> comingTo(const Visits& visits, EventRef event) {
  Result<Coming> coming = visits.firstOf(event) == event ? visits.before(event) : visits.within(event);
  if (!coming) return cannotPlace(visits, event, coming.error());
  return coming;
}

// The last place to which the thread comes before it ends, from the event back.
Result<Coming> lastBefore(const SymbolicTrace& trace, const Visits& visits, EventRef event) {
  const EventRef first = trace.threads[trace.threadOf(event)].firstEvent;
  for (EventRef at = event + 1; at-- > first;)
    if (Result<Coming> coming = visits.before(visits.firstOf(at)); coming) return coming;
  return gaveUp(fmt::format("thread {} does nothing that the sources show",
                            trace.threads[trace.threadOf(event)].displayName));
}

bool isEnd(const SymbolicTrace& trace, const Ordering& ordering) {
  return ordering.next != kNoEvent && trace.event(ordering.next).kind == EventKind::exit;
}

// A thread that begins to wait at a condition variable gives its mutex away at the same time; until then nobody
// comes past that, so that it may say so a moment too early.
Result<Coming> reachedPlace(const SymbolicTrace& trace, const Visits& visits, const Ordering& ordering) {
  if (isEnd(trace, ordering)) return lastBefore(trace, visits, ordering.before);
  if (trace.event(ordering.before).kind == EventKind::waitBegin) return comingTo(visits, ordering.before);
  if (ordering.next != kNoEvent) return comingTo(visits, ordering.next);
  Result<Coming> behind = visits.behind(ordering.before);
  if (!behind) return cannotPlace(visits, ordering.before, behind.error());
  return behind;
}

} // namespace

Result<PlacedOrdering> placed(const SymbolicTrace& trace, const Visits& visits, const Ordering& ordering) {
  PlacedOrdering result;
  result.reachedThread = trace.threads[trace.threadOf(ordering.before)].id;
  result.awaitsThread = trace.threads[trace.threadOf(ordering.after)].id;
  if (!ordering.isHold) {
    Result<Coming> reached = reachedPlace(trace, visits, ordering);
    if (!reached) return reached.error();
    result.reached = *reached;
    result.isAtEnd = isEnd(trace, ordering);
  }
  Result<Coming> awaits = ordering.isBehind ? visits.behind(ordering.after) : comingTo(visits, ordering.after);
  if (!awaits) return ordering.isBehind ? cannotPlace(visits, ordering.after, awaits.error()) : awaits.error();
  result.awaits = *awaits;
  return result;
}

Orderings movedToPlaces(const SymbolicTrace& trace, const Visits& visits, Orderings orderings) {
  auto canMove = [&](EventRef event) {
    const EventRef next = nextOf(trace, event);
    return !comingTo(visits, event) && next != kNoEvent && trace.event(next).kind != EventKind::exit;
  };
  for (Ordering& each : orderings) {
    if (each.isBehind) continue;
    while (canMove(each.after)) ++each.after;
    if (each.isHold || each.next == kNoEvent || isEnd(trace, each)) continue;
    while (canMove(each.next)) ++each.next;
    each.before = each.next - 1;
  }
  return orderings;
}

} // namespace symbiosis
