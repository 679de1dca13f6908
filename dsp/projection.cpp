// The differential schedule projection (Symbiosis §3.6): what differs between two schedules of one trace.
//
// A *dataflow variation* is a read that takes its value from another write, or a cell that ends with another
// value because its last writes changed places. Both schedules follow the same path, so the check's outcome
// depends on nothing but the values that flow into the bug condition; a variation that does not reach it
// through reads and written values cannot matter and is dropped. (The paper keeps it; its Figure 4 shows why
// that hurts.)
//
//   failing   T0 filled++ (4) → 1   T1 filled-- (20) → 0   T2 assert reads 0      W1.20 → R2.19
//   alternate T0 filled++ (4) → 1   T2 assert reads 1      T1 filled-- (20) → 0   W0.4  → R2.19
#include "dsp/diagnosis.h"
#include "dsp/waiting.h"
#include "trace/evaluated_schedule.h"
#include <algorithm>
#include <set>

namespace symbiosis {

namespace {

constexpr size_t kMostOrdersShown = 20; // a root cause that could not be reduced explains nothing
constexpr size_t kMostFlowsShown = 400; // into the check of a failing run that has no other beside it

// One schedule and its dataflows.
struct Run : EvaluatedSchedule {
  Run(const SymbolicTrace& t, const EventOrder& order) : EvaluatedSchedule(t, order) {
    assert(isFeasible() && "only evaluated schedules are projected");
  }
  Dataflow flow(uint32_t part, EventRef reader) const {
    const Part& p = trace().parts[part];
    return {source(part), reader, p.cell, symbolValue(p.symbol), trace().cells[p.cell].size * 8u};
  }
  uint64_t valueWritten(EventRef write, uint32_t cell) {
    if (write == kNoEvent) return value(trace().cells[cell].initial);
    uint64_t written = 0;
    for (const Part& part : trace().partsOf(write))
      if (part.cell == cell && part.written != kNoExpr) written = value(part.written);
    return written;
  }
  Dataflow finalFlow(uint32_t cell) {
    return {lastWrite(cell), kNoEvent, cell, valueWritten(lastWrite(cell), cell), trace().cells[cell].size * 8u};
  }
};

// The symbols that reach the bug condition, backwards through expressions, reads and the writes that they
// read from in any of the runs.
class Slice {
public:
  Slice(const SymbolicTrace& trace, std::vector<const Run*> runs)
      : trace_(trace), runs_(std::move(runs)), partOf_(trace.symbols.size(), kNone), seen_(trace.exprs.size()),
        reached_(trace.symbols.size()) {
    for (uint32_t i = 0; i < trace.parts.size(); ++i)
      if (trace.parts[i].symbol != kNone) partOf_[trace.parts[i].symbol] = i;
    for (ExprId condition : trace.failure.bug) visit(condition);
    direct_ = reached_;
    while (!open_.empty()) {
      const uint32_t symbol = open_.back();
      open_.pop_back();
      follow(symbol);
    }
  }
  bool reaches(uint32_t part) const { return reached_[trace_.parts[part].symbol]; }
  // The symbol occurs in the bug condition itself.
  bool isDirect(uint32_t symbol) const { return direct_[symbol]; }

private:
  void visit(ExprId root) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (id == kNoExpr || seen_[id]) continue;
      seen_[id] = true;
      const ExprNode& node = trace_.exprs.node(id);
      if (node.op == ExprOp::symbol && !reached_[node.value]) {
        reached_[node.value] = true;
        open_.push_back(uint32_t(node.value));
      }
      for (ExprId operand : {node.a, node.b, node.c}) stack.push_back(operand);
    }
  }
  void follow(uint32_t symbol) {
    if (partOf_[symbol] == kNone) return; // an initial value
    for (const Run* run : runs_) {
      const EventRef write = run->source(partOf_[symbol]);
      if (write == kNoEvent) continue;
      for (const Part& part : trace_.partsOf(write))
        if (part.cell == trace_.parts[partOf_[symbol]].cell) visit(part.written);
    }
  }

  const SymbolicTrace& trace_;
  std::vector<const Run*> runs_;
  std::vector<uint32_t> partOf_;       // by symbol
  std::vector<bool> seen_;             // by expression
  std::vector<bool> reached_, direct_; // by symbol
  std::vector<uint32_t> open_;
};

class Projection {
public:
  Projection(const SymbolicTrace& trace, const EventOrder& failing, const EventOrder& alternate)
      : trace_(trace), failing_(trace, failing), alternate_(trace, alternate),
        slice_(trace, {&failing_, &alternate_}) {}

  Dsp project(const std::optional<OrderEdge>& inverted) {
    std::vector<ReadParts> changed = changedReads();
    std::vector<ReadParts> telling;
    std::copy_if(changed.begin(), changed.end(), std::back_inserter(telling), [&](const ReadParts& parts) {
      return slice_.reaches(parts.failing) || slice_.reaches(parts.alternate);
    });
    if (telling.empty()) telling = changed;
    for (const ReadParts& parts : telling) {
      const EventRef reader = readerOf(parts.failing);
      add(failing_.flow(parts.failing, reader), alternate_.flow(parts.alternate, reader));
    }
    addFinalValues();
    if (dsp_.failingDataflows.empty()) return {};
    // A pair of locks says nothing that the changed dataflows do not say better.
    if (inverted && isAccess(trace_.event(inverted->before).kind) && isAccess(trace_.event(inverted->after).kind))
      show(inverted->before), show(inverted->after);
    addFailingCheck();
    sortByOrder(dsp_.failingDataflows, failing_);
    sortByOrder(dsp_.alternateDataflows, alternate_);
    dsp_.failingEvents = shownIn(failing_.order());
    dsp_.alternateEvents = shownIn(alternate_.order());
    return dsp_;
  }

private:
  // The same read in both runs; two parts where it went to two places.
  struct ReadParts {
    uint32_t failing = 0, alternate = 0;
  };
  std::vector<ReadParts> changedReads() {
    std::vector<ReadParts> changed;
    for (const Event& event : trace_.events) {
      std::vector<uint32_t> parts[2];
      for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
        if (failing_.reads(i)) parts[0].push_back(i);
        if (alternate_.reads(i)) parts[1].push_back(i);
      }
      for (size_t i = 0; i < std::min(parts[0].size(), parts[1].size()); ++i)
        if (parts[0][i] != parts[1][i] || failing_.source(parts[0][i]) != alternate_.source(parts[1][i]))
          changed.push_back({parts[0][i], parts[1][i]});
    }
    return changed;
  }
  EventRef readerOf(uint32_t part) const { return trace_.symbols[trace_.parts[part].symbol].event; }

  void add(const Dataflow& failing, const Dataflow& alternate) {
    dsp_.failingDataflows.push_back(failing);
    dsp_.alternateDataflows.push_back(alternate);
    for (const Dataflow& flow : {failing, alternate}) show(flow.from), show(flow.to);
  }
  void show(EventRef event) {
    if (event != kNoEvent) shown_.insert(event);
  }

  // Cells that end differently: those that the variations are about, or any if no read varies. What a changed
  // read already shows on both sides is not said again.
  void addFinalValues() {
    std::set<uint32_t> cells;
    for (const Dataflow& flow : dsp_.failingDataflows) cells.insert(flow.cell);
    const bool any = cells.empty();
    for (uint32_t cell = 0; cell < trace_.cells.size(); ++cell) {
      if (failing_.lastWrite(cell) == alternate_.lastWrite(cell) || (!any && !cells.count(cell))) continue;
      const Dataflow failing = failing_.finalFlow(cell), alternate = alternate_.finalFlow(cell);
      if (failing.value == alternate.value) continue;
      if (isRead(dsp_.failingDataflows, failing) && isRead(dsp_.alternateDataflows, alternate)) continue;
      add(failing, alternate);
    }
  }
  static bool isRead(const std::vector<Dataflow>& flows, const Dataflow& final) {
    return std::any_of(flows.begin(), flows.end(), [&](const Dataflow& flow) {
      return flow.to != kNoEvent && flow.from == final.from && flow.cell == final.cell;
    });
  }

  // The failure, and the reads of the check whose value differs.
  void addFailingCheck() {
    show(trace_.failure.event);
    for (uint32_t symbol = 0; symbol < trace_.symbols.size(); ++symbol) {
      if (!slice_.isDirect(symbol) || trace_.symbols[symbol].event == kNoEvent) continue;
      if (failing_.symbolValue(symbol) != alternate_.symbolValue(symbol)) show(trace_.symbols[symbol].event);
    }
  }

  EventOrder shownIn(const EventOrder& order) const {
    EventOrder result;
    std::copy_if(order.begin(), order.end(), std::back_inserter(result),
                 [&](EventRef ref) { return shown_.count(ref) != 0; });
    return result;
  }
  static void sortByOrder(std::vector<Dataflow>& flows, const Run& run) {
    auto key = [&](const Dataflow& flow) {
      return std::pair(flow.to == kNoEvent ? kNone : run.position(flow.to), flow.cell);
    };
    std::sort(flows.begin(), flows.end(), [&](const Dataflow& a, const Dataflow& b) { return key(a) < key(b); });
  }

  const SymbolicTrace& trace_;
  Run failing_, alternate_;
  Slice slice_;
  std::set<EventRef> shown_;
  Dsp dsp_;
};

} // namespace

std::vector<Dataflow> dataflows(const SymbolicTrace& trace, const EventOrder& order) {
  Run run(trace, order);
  std::vector<Dataflow> result;
  for (EventRef ref : order) {
    const Event& event = trace.event(ref);
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
      if (run.reads(i)) result.push_back(run.flow(i, ref));
  }
  return result;
}

Dsp project(const SymbolicTrace& trace, const EventOrder& failing, const EventOrder& alternate,
            const std::optional<OrderEdge>& inverted) {
  return Projection(trace, failing, alternate).project(inverted);
}

Dsp projectFailing(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause) {
  const Run run(trace, failing);
  const Slice slice(trace, {&run});
  std::set<EventRef> shown{trace.failure.event};
  Dsp dsp;
  std::vector<Dataflow> latestFirst = dataflows(trace, failing);
  std::reverse(latestFirst.begin(), latestFirst.end());
  for (const Dataflow& flow : latestFirst) {
    if (dsp.failingDataflows.size() == kMostFlowsShown) break;
    const bool isDirect =
        std::any_of(trace.partsOf(flow.to).begin(), trace.partsOf(flow.to).end(),
                    [&](const Part& part) { return part.symbol != kNone && slice.isDirect(part.symbol); });
    if (!isDirect) continue;
    dsp.failingDataflows.push_back(flow);
    shown.insert(flow.to);
    if (flow.from != kNoEvent) shown.insert(flow.from);
  }
  std::reverse(dsp.failingDataflows.begin(), dsp.failingDataflows.end());
  if (rootCause.orders.size() <= kMostOrdersShown)
    for (const OrderEdge& edge : rootCause.orders) shown.insert({edge.before, edge.after});
  for (EventRef ref : failing)
    if (shown.count(ref)) dsp.failingEvents.push_back(ref);
  return dsp;
}

Dsp project(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
            const Alternate& alternate) {
  switch (TraceEnd(trace).kind()) {
  case TraceEndKind::waiting: return projectWaiting(trace, failing, rootCause, alternate);
  case TraceEndKind::check: break;
  }
  return alternate.status == AlternateStatus::found ? project(trace, failing, alternate.order, alternate.inverted)
                                                    : projectFailing(trace, failing, rootCause);
}

} // namespace symbiosis
