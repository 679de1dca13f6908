// The projection of two runs that do not share a path. What differs is the decision, what each run read there, and
// what the check of the failing run read; everything between the decision and the check follows from it and is
// shown only where its values reach the check.
#include "dsp/other_path.h"
#include "trace/evaluated_schedule.h"
#include "trace/trace_end.h"
#include <algorithm>
#include <set>

namespace symbiosis {
namespace {

constexpr size_t kFailing = 0, kAlternate = 1;
constexpr size_t kMostOrdersShown = 6;
constexpr size_t kMostCheckReads = 4;

class RunsProjection {
public:
  explicit RunsProjection(const OtherPath& path) : path_(path) {
    for (size_t side : {kFailing, kAlternate})
      runs_[side] = std::make_unique<EvaluatedSchedule>(path.runs[side], path.orders[side]);
  }

  Dsp project(const RootCause& cause) {
    if (path_.decision.event != kNoEvent) showRead(path_.decision.event);
    if (cause.orders.size() <= kMostOrdersShown)
      for (const OrderEdge& edge : cause.orders) shown_.insert({edge.before, edge.after});
    showCheck();
    for (size_t side : {kFailing, kAlternate}) {
      const EventOrder order = path_.joined.join(side, path_.orders[side]);
      EventOrder& list = side == kFailing ? dsp_.failingEvents : dsp_.alternateEvents;
      std::copy_if(order.begin(), order.end(), std::back_inserter(list),
                   [&](EventRef ref) { return shown_.count(ref) != 0; });
    }
    return std::move(dsp_);
  }

private:
  // The failure and what it read; where threads wait, every wait that decides.
  void showCheck() {
    const SymbolicTrace& trace = path_.runs[kFailing];
    const TraceEnd end(trace);
    for (EventRef ref : end.last()) shown_.insert(path_.joined.joined[kFailing][ref]);
    std::set<EventRef> reads;
    for (ExprId conjunct : trace.failure.bug)
      for (uint32_t symbol : trace.exprs.symbolsIn(conjunct))
        if (trace.symbols[symbol].event != kNoEvent) reads.insert(trace.symbols[symbol].event);
    size_t count = 0;
    for (auto read = reads.rbegin(); read != reads.rend() && count < kMostCheckReads; ++read, ++count)
      showRead(path_.joined.joined[kFailing][*read]);
  }

  // A read with where its value came from in each run; a dataflow only where the runs differ.
  void showRead(EventRef joined) {
    shown_.insert(joined);
    std::vector<Dataflow> flows[2];
    for (size_t side : {kFailing, kAlternate}) flows[side] = flowsInto(side, joined);
    const bool same = flows[kFailing] == flows[kAlternate];
    for (size_t side : {kFailing, kAlternate})
      for (const Dataflow& flow : flows[side]) {
        if (flow.from != kNoEvent) shown_.insert(flow.from);
        if (same) continue;
        (side == kFailing ? dsp_.failingDataflows : dsp_.alternateDataflows).push_back(flow);
      }
  }
  std::vector<Dataflow> flowsInto(size_t side, EventRef joined) const {
    std::vector<Dataflow> flows;
    const EventRef own = path_.joined.own[side][joined];
    if (own == kNoEvent || !runs_[side]->happened(own)) return flows;
    const SymbolicTrace& trace = path_.runs[side];
    const Event& event = trace.event(own);
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
      if (!runs_[side]->reads(i)) continue;
      const EventRef from = runs_[side]->source(i);
      const Part& part = trace.parts[i];
      flows.push_back({from == kNoEvent ? kNoEvent : path_.joined.joined[side][from], joined,
                       path_.joined.joinedCell[side][part.cell], runs_[side]->symbolValue(part.symbol),
                       trace.cells[part.cell].size * 8u});
    }
    return flows;
  }

  const OtherPath& path_;
  std::unique_ptr<EvaluatedSchedule> runs_[2];
  std::set<EventRef> shown_;
  Dsp dsp_;
};

} // namespace

Dsp projectRuns(const OtherPath& path, const RootCause& cause) { return RunsProjection(path).project(cause); }

} // namespace symbiosis
