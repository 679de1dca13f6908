// Test-only definitions of the ScheduleSolver: every interleaving is tried. Two prefixes that hold the same
// events, the same dataflow and the same last writes have the same futures, so that each such state is
// visited once; what conflicts with nothing (start, fork, exit) happens as soon as it can.
#include "constraints/schedule_solver.h"
#include <algorithm>
#include <set>

namespace symbiosis {

struct ScheduleSolver::Impl {
  const SymbolicTrace& trace;
  Evaluator evaluator;
  SolverStats stats;
  Outcome wanted = Outcome::passing;
  std::vector<std::vector<EventRef>> before; // by event: what must have happened
  std::set<std::vector<uint32_t>> visited;
  EventOrder prefix;

  SolverLimits limits;

  Impl(const SymbolicTrace& t, SolverLimits l) : trace(t), evaluator(t), limits(l) {}

  ScheduleAnswer solve(std::span<const OrderEdge> edges, Outcome outcome) {
    ++stats.calls;
    if (limits.seconds <= 0) return {Answer::unknown, {}, {}, "the time limit of 0 s was reached"};
    wanted = outcome;
    before.assign(trace.events.size(), {});
    for (const OrderEdge& edge : edges) before[edge.after].push_back(edge.before);
    visited.clear();
    prefix.clear();
    if (extend(std::vector<uint32_t>(trace.threads.size()))) return {Answer::sat, prefix, {}, {}};
    ScheduleAnswer none{Answer::unsat, {}, {}, {}};
    for (size_t i = 0; i < edges.size(); ++i) none.core.push_back(i);
    return none;
  }

  bool extend(std::vector<uint32_t> done) {
    const Evaluation evaluation = evaluator.run(prefix);
    if (evaluation.outcome == Outcome::infeasible && evaluation.position < prefix.size()) return false;
    if (prefix.size() == trace.events.size()) return evaluation.outcome == wanted;
    if (!visited.insert(state(done)).second) return false;
    for (ThreadIndex t : choices(done)) {
      const EventRef next = trace.threads[t].firstEvent + done[t];
      auto isDone = [&](EventRef e) {
        return e < trace.threads[trace.threadOf(e)].firstEvent + done[trace.threadOf(e)];
      };
      if (!std::all_of(before[next].begin(), before[next].end(), isDone)) continue;
      prefix.push_back(next);
      ++done[t];
      if (extend(done)) return true;
      --done[t];
      prefix.pop_back();
    }
    return false;
  }

  std::vector<ThreadIndex> choices(const std::vector<uint32_t>& done) {
    std::vector<ThreadIndex> all;
    for (ThreadIndex t = 0; t < done.size(); ++t) {
      if (done[t] == trace.threads[t].eventCount) continue;
      const EventRef next = trace.threads[t].firstEvent + done[t];
      const EventKind kind = trace.event(next).kind;
      prefix.push_back(next);
      const bool isFree = (kind == EventKind::start || kind == EventKind::fork || kind == EventKind::exit) &&
                          evaluator.run(prefix).position == prefix.size();
      prefix.pop_back();
      if (isFree) return {t};
      all.push_back(t);
    }
    return all;
  }

  std::vector<uint32_t> state(std::vector<uint32_t> key) const {
    std::vector<EventRef> lastWrite(trace.cells.size(), kNoEvent);
    bool failed = false, afterFailure = false;
    for (EventRef ref : prefix) {
      for (const Part& part : trace.partsOf(ref))
        if (part.written != kNoExpr) lastWrite[part.cell] = ref;
      afterFailure |= failed && !trace.event(ref).tail && !trace.event(ref).synthetic;
      failed |= ref == trace.failure.event;
    }
    key.push_back(afterFailure);
    key.insert(key.end(), lastWrite.begin(), lastWrite.end());
    key.insert(key.end(), evaluator.readFrom().begin(), evaluator.readFrom().end());
    return key;
  }
};

ScheduleSolver::ScheduleSolver(const SymbolicTrace& trace, SolverLimits limits)
    : impl_(std::make_unique<Impl>(trace, limits)) {}
ScheduleSolver::ScheduleSolver(const SymbolicTrace& trace, const SolverOptions& options)
    : ScheduleSolver(trace, options.limits) {}
ScheduleSolver::~ScheduleSolver() = default;
void ScheduleSolver::guideBy(const EventOrder&) {} // all are tried anyway
ScheduleAnswer ScheduleSolver::failing(std::span<const OrderEdge> edges) {
  return impl_->solve(edges, Outcome::failing);
}
ScheduleAnswer ScheduleSolver::passing(std::span<const OrderEdge> edges) {
  return impl_->solve(edges, Outcome::passing);
}
ScheduleSolver::Deadline ScheduleSolver::deadline() const { return Deadline::max(); }
void ScheduleSolver::setDeadline(Deadline) {} // all traces here are tiny
const SolverStats& ScheduleSolver::stats() const { return impl_->stats; }

static bool conflict(const SymbolicTrace& trace, EventRef a, EventRef b) {
  const Event &x = trace.event(a), &y = trace.event(b);
  auto isMutex = [](EventKind k) {
    return k == EventKind::lock || k == EventKind::unlock || k == EventKind::trylock;
  };
  if (isMutex(x.kind) && isMutex(y.kind)) return x.object == y.object;
  for (const Part& p : trace.partsOf(a))
    for (const Part& q : trace.partsOf(b))
      if (p.cell == q.cell && (p.written != kNoExpr || q.written != kNoExpr)) return true;
  return false;
}

std::vector<OrderEdge> candidateEdges(const SymbolicTrace& trace, const EventOrder& order) {
  const size_t n = order.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
  std::vector<OrderEdge> edges;
  for (size_t k = 0; k < n; ++k)
    for (size_t j = k; j-- > 0;) {
      const bool sameThread = trace.threadOf(order[j]) == trace.threadOf(order[k]);
      if (reaches[j][k] || (!sameThread && !conflict(trace, order[j], order[k]))) continue;
      if (!sameThread) edges.push_back({order[j], order[k]});
      reaches[j][k] = true;
      for (size_t i = 0; i < j; ++i)
        if (reaches[i][j]) reaches[i][k] = true;
    }
  return edges;
}

EventOrder reduceContextSwitches(const SymbolicTrace&, const EventOrder& order, SolverLimits) { return order; }

} // namespace symbiosis
