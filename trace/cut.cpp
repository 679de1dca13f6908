#include "trace/cut.h"

namespace symbiosis {
namespace {

// All that is not events or conditions.
SymbolicTrace shellOf(const SymbolicTrace& from) {
  SymbolicTrace shell;
  shell.exprs = from.exprs;
  for (const TraceThread& thread : from.threads) {
    shell.threads.push_back({.id = thread.id,
                             .displayName = thread.displayName,
                             .startFunction = thread.startFunction,
                             .createdAt = thread.createdAt,
                             .marks = {}});
  }
  shell.objects = from.objects;
  shell.cells = from.cells;
  shell.parts = from.parts;
  shell.symbols = from.symbols;
  shell.locations = from.locations;
  shell.unmodelled = from.unmodelled;
  return shell;
}

// An operation that is always possible, behind everything that its thread has done.
Event stopOf(ThreadIndex thread, uint64_t index, uint32_t location) {
  Event stop;
  stop.id = {thread, index};
  stop.kind = EventKind::input;
  stop.pending = true;
  stop.location = location;
  return stop;
}

class Cutter {
public:
  Cutter(const SymbolicTrace& trace, const Decision& decision, const Otherwise& otherwise)
      : from_(trace), decision_(decision), otherwise_(otherwise), self_(trace.threadOf(decision.event)) {}

  Cut make() {
    SymbolicTrace& out = cut_.trace;
    out = shellOf(from_);
    keepEvents();
    keepConditions();
    for (SymbolInfo& symbol : out.symbols)
      if (symbol.event != kNoEvent) symbol.event = cut_.inCut[symbol.event];
    out.failure = {.kind = FailureKind::hang,
                   .message = {},
                   .event = cut_.stop,
                   .location = locationOf(from_, decision_),
                   .bug = {}};
    finishThreads(out);
    return std::move(cut_);
  }

private:
  bool isKept(EventRef ref) const {
    const Event& event = from_.event(ref);
    if (event.pending || event.synthetic || event.kind == EventKind::failure) return false;
    return event.id.thread != self_ || ref <= decision_.event;
  }

  void keepEvents() {
    cut_.inCut.assign(from_.events.size(), kNoEvent);
    for (EventRef ref = 0; ref < from_.events.size(); ++ref) {
      if (!isKept(ref)) continue;
      cut_.inCut[ref] = add(from_.event(ref), ref);
      cut_.trace.events.back().tail = false;
      if (ref == decision_.event) stopBehind(ref);
    }
  }

  EventRef add(const Event& event, EventRef original) {
    cut_.trace.events.push_back(event);
    cut_.original.push_back(original);
    return EventRef(cut_.trace.events.size() - 1);
  }

  void stopBehind(EventRef ref) {
    cut_.decision = cut_.inCut[ref];
    Event& decided = cut_.trace.events.back();
    if (decision_.condition == kNone) decided.outcome = otherwise_.outcome.value_or(decided.outcome == 0 ? 1 : 0);
    cut_.stop = add(stopOf(self_, decided.id.index + 1, decided.location), kNoEvent);
  }

  // Those of the same event that were decided before stay as they were; those behind are gone.
  void keepConditions() {
    for (uint32_t c = 0; c < from_.conditions.size(); ++c) {
      Condition condition = from_.conditions[c];
      if (cut_.inCut[condition.after] == kNoEvent) continue;
      if (condition.after == decision_.event && (decision_.condition == kNone || c > decision_.condition))
        continue;
      if (c == decision_.condition) condition.expr = cut_.trace.exprs.negate(condition.expr);
      condition.after = cut_.inCut[condition.after];
      cut_.trace.conditions.push_back(condition);
    }
    for (ExprId also : otherwise_.conditions)
      cut_.trace.conditions.push_back({.expr = also, .after = cut_.decision});
  }

  const SymbolicTrace& from_;
  const Decision decision_;
  const Otherwise& otherwise_;
  const ThreadIndex self_;
  Cut cut_;
};

// Keeps of each thread what comes before an event of it.
class Beginning {
public:
  // `stand(ref)`: the event that its thread stands before, as what it is there; nothing: it is not there.
  template <typename Stand>
  Beginning(const SymbolicTrace& from, const std::vector<EventRef>& ends, Stand stand) : from_(from) {
    standing_.trace = shellOf(from);
    standing_.inTrace.assign(from.events.size(), kNoEvent);
    for (EventRef ref = 0; ref < from.events.size(); ++ref) {
      const EventRef end = ends[from.threadOf(ref)];
      if (!from.event(ref).synthetic && (end == kNoEvent || ref < end))
        standing_.inTrace[ref] = add(from.event(ref));
      if (ref != end) continue;
      if (const std::optional<Event> there = stand(ref)) placeOfEnd_.push_back({ref, add(*there)});
    }
  }

  Standing finish() {
    SymbolicTrace& out = standing_.trace;
    for (const Condition& condition : from_.conditions) {
      if (standing_.inTrace[condition.after] == kNoEvent) continue;
      out.conditions.push_back(condition);
      out.conditions.back().after = standing_.inTrace[condition.after];
    }
    for (SymbolInfo& symbol : out.symbols)
      if (symbol.event != kNoEvent) symbol.event = standing_.inTrace[symbol.event];
    finishThreads(out);
    return std::move(standing_);
  }
  // Of the events that threads stand before: in the whole trace, and in this one.
  const std::vector<std::pair<EventRef, EventRef>>& ends() const { return placeOfEnd_; }

private:
  EventRef add(const Event& event) {
    standing_.trace.events.push_back(event);
    standing_.trace.events.back().tail = false;
    return EventRef(standing_.trace.events.size() - 1);
  }

  const SymbolicTrace& from_;
  Standing standing_;
  std::vector<std::pair<EventRef, EventRef>> placeOfEnd_;
};

// The mutex that the wait which this wake ends has released.
uint32_t mutexOfWait(const SymbolicTrace& trace, EventRef wake) {
  EventRef begin = wake;
  while (begin > 0 && trace.threadOf(begin - 1) == trace.threadOf(wake) &&
         trace.event(begin).kind != EventKind::waitBegin)
    --begin;
  return trace.event(begin).mutex;
}

} // namespace

Standing waitingAt(const SymbolicTrace& trace, const std::vector<EventRef>& at) {
  Beginning beginning(trace, at, [&](EventRef ref) -> std::optional<Event> {
    Event event = trace.event(ref);
    if (event.kind == EventKind::start) return std::nullopt; // nobody has created it
    event.pending = true;
    event.outcome = 0;
    event.partCount = 0;
    if (event.kind == EventKind::wake) event.mutex = mutexOfWait(trace, ref);
    return event;
  });
  EventRef shown = kNoEvent;
  for (const auto& [ref, place] : beginning.ends())
    if (shown == kNoEvent || trace.event(ref).kind != EventKind::join) shown = place;
  Standing standing = beginning.finish();
  standing.trace.failure = {.kind = FailureKind::deadlock, .message = {}, .event = shown, .bug = {}};
  return standing;
}

Standing meetingAt(const SymbolicTrace& trace, EventRef first, EventRef second) {
  std::vector<EventRef> ends(trace.threads.size(), kNoEvent);
  ends[trace.threadOf(first)] = first;
  ends[trace.threadOf(second)] = second;
  Beginning beginning(trace, ends, [&](EventRef ref) -> std::optional<Event> {
    if (ref == second) return std::nullopt;
    return stopOf(trace.threadOf(ref), trace.event(ref).id.index, trace.event(ref).location);
  });
  const EventRef stop = beginning.ends().front().second;
  Standing standing = beginning.finish();
  standing.stop = stop;
  standing.trace.failure = {.kind = FailureKind::hang, .message = {}, .event = stop, .bug = {}};
  return standing;
}

EventOrder Cut::cutDown(const EventOrder& order) const {
  EventOrder result;
  for (EventRef ref : order) {
    if (inCut[ref] == kNoEvent) continue;
    result.push_back(inCut[ref]);
    if (inCut[ref] == decision) result.push_back(stop);
  }
  return result;
}

EventOrder Cut::prefixOf(const EventOrder& order) const {
  EventOrder prefix;
  for (EventRef ref : order) {
    prefix.push_back(original[ref]);
    if (ref == decision) return prefix;
  }
  return prefix;
}

Cut cutAt(const SymbolicTrace& trace, const Decision& decision, const Otherwise& otherwise) {
  return Cutter(trace, decision, otherwise).make();
}

} // namespace symbiosis
