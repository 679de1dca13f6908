#include "trace/cut.h"

namespace symbiosis {
namespace {

class Cutter {
public:
  Cutter(const SymbolicTrace& trace, const Decision& decision)
      : from_(trace), decision_(decision), self_(trace.threadOf(decision.event)) {}

  Cut make() {
    SymbolicTrace& out = cut_.trace;
    out.exprs = from_.exprs;
    out.threads = from_.threads;
    out.objects = from_.objects;
    out.cells = from_.cells;
    out.parts = from_.parts;
    out.symbols = from_.symbols;
    out.locations = from_.locations;
    out.unmodelled = from_.unmodelled;
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
    if (decision_.condition == kNone) decided.outcome = decided.outcome == 0 ? 1 : 0;
    Event stop;
    stop.id = {self_, decided.id.index + 1};
    stop.kind = EventKind::input;
    stop.pending = true;
    stop.location = decided.location;
    cut_.stop = add(stop, kNoEvent);
  }

  // Those of the same event that were decided before stay as they were; those behind are gone.
  void keepConditions() {
    for (uint32_t c = 0; c < from_.conditions.size(); ++c) {
      Condition condition = from_.conditions[c];
      if (cut_.inCut[condition.after] == kNoEvent) continue;
      if (condition.after == decision_.event && (decision_.condition == kNone || c > decision_.condition)) continue;
      if (c == decision_.condition) condition.expr = cut_.trace.exprs.negate(condition.expr);
      condition.after = cut_.inCut[condition.after];
      cut_.trace.conditions.push_back(condition);
    }
  }

  const SymbolicTrace& from_;
  const Decision decision_;
  const ThreadIndex self_;
  Cut cut_;
};

} // namespace

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

Cut cutAt(const SymbolicTrace& trace, const Decision& decision) { return Cutter(trace, decision).make(); }

} // namespace symbiosis
