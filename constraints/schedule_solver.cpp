// Theory (§3.3–3.5). A schedule of the recorded path is a model of Φ; the questions of this room differ only
// in what they add to it. A model becomes a total order, and the evaluator, which is the definition of what a
// schedule does, has the last word: what it does not confirm is never given out.
#include "constraints/schedule_solver.h"
#include "constraints/schedule_formula.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

struct ScheduleSolver::Impl {
  Impl(const SymbolicTrace& trace_, SolverLimits limits_) : trace(trace_), limits(limits_), evaluator(trace_) {}

  ScheduleAnswer solve(Goal goal, std::span<const OrderEdge> edges);
  ScheduleAnswer ask(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  ScheduleAnswer confirmed(EventOrder order, Goal goal, std::span<const OrderEdge> edges);

  const SymbolicTrace& trace;
  SolverLimits limits;
  SolverStats stats;
  Evaluator evaluator;
  std::unique_ptr<ScheduleFormula> formula; // built by the first question
};

static ScheduleAnswer unknown(std::string reason) {
  return {.answer = Answer::unknown, .order = {}, .core = {}, .reason = std::move(reason)};
}

ScheduleAnswer ScheduleSolver::Impl::solve(Goal goal, std::span<const OrderEdge> edges) {
  const CallWatch watch(limits);
  try {
    return ask(goal, edges, watch);
  } catch (const LimitReached& limit) {
    return unknown(limit.reason);
  } catch (const z3::exception& error) {
    formula.reset(); // its state is not to be trusted
    return unknown(watch.expired() ? watch.reason() : fmt::format("Z3 gave up: {}", error.msg()));
  } catch (const std::bad_alloc&) {
    formula.reset();
    return unknown("out of memory");
  }
}

ScheduleAnswer ScheduleSolver::Impl::ask(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  if (!formula) formula = std::make_unique<ScheduleFormula>(trace, watch);
  ++stats.calls;
  const z3::check_result result = formula->check(goal, edges, watch);
  stats.constraints = std::max(stats.constraints, formula->constraints());
  stats.variables = std::max(stats.variables, formula->variables());
  switch (result) {
  case z3::sat: return confirmed(formula->order(), goal, edges);
  case z3::unsat:
    return {.answer = Answer::unsat, .order = {}, .core = formula->core(), .reason = formula->contradiction()};
  default: return unknown(fmt::format("Z3 gave up: {}", formula->reasonUnknown()));
  }
}

static bool respects(const EventOrder& order, std::span<const OrderEdge> edges) {
  std::vector<size_t> position(order.size());
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return std::all_of(edges.begin(), edges.end(),
                     [&](const OrderEdge& edge) { return position[edge.before] < position[edge.after]; });
}

ScheduleAnswer ScheduleSolver::Impl::confirmed(EventOrder order, Goal goal, std::span<const OrderEdge> edges) {
  const Outcome wanted = goal == Goal::failing ? Outcome::failing : Outcome::passing;
  const Evaluation evaluation = evaluator.explain(order);
  if (evaluation.outcome != wanted)
    return unknown(fmt::format("internal error: the solver's schedule should be {} and is {} {}", toText(wanted),
                               toText(evaluation.outcome), evaluation.reason));
  if (!respects(order, edges)) return unknown("internal error: the solver's schedule breaks an edge asked for");
  return {.answer = Answer::sat, .order = std::move(order), .core = {}, .reason = {}};
}

ScheduleSolver::ScheduleSolver(const SymbolicTrace& trace, SolverLimits limits)
    : impl_(std::make_unique<Impl>(trace, limits)) {}
ScheduleSolver::~ScheduleSolver() = default;

ScheduleAnswer ScheduleSolver::failing() { return impl_->solve(Goal::failing, {}); }
ScheduleAnswer ScheduleSolver::passing(std::span<const OrderEdge> edges) {
  return impl_->solve(Goal::passing, edges);
}
const SolverStats& ScheduleSolver::stats() const { return impl_->stats; }

} // namespace symbiosis
