// Theory (§3.4). φ_fsch need not order all events: the order of conflicting ones decides what every read sees
// and whether every sync operation is possible. Walking the schedule, each event is linked to the conflicting
// events before it, nearest first, and a link is kept only if what is already known (program order,
// must-edges, kept links, all in one vector clock per event) does not imply it. Nearest first makes the
// result the transitive reduction: an event can only be implied through one that stands between.
#include "constraints/schedule_solver.h"
#include "constraints/sync_structure.h"
#include "constraints/vector_clocks.h"
#include <algorithm>

namespace symbiosis {

namespace {

class EdgeCollector {
public:
  EdgeCollector(const SymbolicTrace& trace, const EventOrder& order)
      : trace_(trace), order_(order), position_(trace.events.size()), cells_(trace.cells.size()),
        lastOfObject_(trace.objects.size(), kNoEvent), mustBefore_(trace.events.size()), clocks_(trace) {
    for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    findWhoProceeds();
    for (const OrderEdge& edge : allMust(analyseSync(trace))) mustBefore_[edge.after].push_back(edge.before);
  }

  std::vector<OrderEdge> run() {
    for (EventRef event : order_) {
      inheritKnown(event);
      if (trace_.event(event).bystander) continue;
      std::vector<EventRef> conflicts = conflictsBefore(event);
      std::sort(conflicts.begin(), conflicts.end(),
                [&](EventRef a, EventRef b) { return position_[a] > position_[b]; });
      for (EventRef earlier : conflicts) keep(earlier, event);
    }
    return std::move(edges_);
  }

private:
  // Of those who wait, one goes on if something happens after it; the others leave things as they are.
  void findWhoProceeds() {
    for (EventRef event : order_)
      if (trace_.event(event).bystander)
        continue;
      else if (trace_.event(event).pending && proceeds_ == kNoEvent)
        proceeds_ = event;
      else if (!trace_.event(event).pending && proceeds_ != kNoEvent)
        return;
    proceeds_ = kNoEvent;
  }

  struct CellHistory {
    EventRef lastWrite = kNoEvent;
    std::vector<EventRef> readsSince;
  };

  void inheritKnown(EventRef event) {
    if (event > trace_.threads[trace_.threadOf(event)].firstEvent) clocks_.inherit(event - 1, event);
    for (EventRef before : mustBefore_[event]) clocks_.inherit(before, event);
  }

  // Nearest conflicting events; those further back are reached through them. Takes `event` into the
  // histories.
  std::vector<EventRef> conflictsBefore(EventRef event) {
    std::vector<EventRef> found;
    for (const Part& part : trace_.partsOf(event)) {
      CellHistory& cell = cells_[part.cell];
      if (cell.lastWrite != kNoEvent) found.push_back(cell.lastWrite);
      if (part.written == kNoExpr) {
        cell.readsSince.push_back(event);
        continue;
      }
      found.insert(found.end(), cell.readsSince.begin(), cell.readsSince.end());
      cell.readsSince.clear();
      cell.lastWrite = event;
    }
    if (isSync(trace_.event(event).kind))
      for (uint32_t object : {trace_.event(event).object, trace_.event(event).mutex}) {
        if (object == kNone) continue;
        EventRef& last = lastOfObject_[object];
        if (last != kNoEvent) found.push_back(last);
        if (!trace_.event(event).pending || event == proceeds_) last = event;
      }
    return found;
  }

  void keep(EventRef earlier, EventRef event) {
    if (clocks_.precedes(earlier, event)) return;
    edges_.push_back({earlier, event});
    clocks_.inherit(earlier, event);
  }

  const SymbolicTrace& trace_;
  const EventOrder& order_;
  EventRef proceeds_ = kNoEvent;
  std::vector<size_t> position_;
  std::vector<CellHistory> cells_;
  std::vector<EventRef> lastOfObject_;
  std::vector<std::vector<EventRef>> mustBefore_;
  VectorClocks clocks_;
  std::vector<OrderEdge> edges_;
};

} // namespace

std::vector<OrderEdge> candidateEdges(const SymbolicTrace& trace, const EventOrder& order) {
  return EdgeCollector(trace, order).run();
}

} // namespace symbiosis
