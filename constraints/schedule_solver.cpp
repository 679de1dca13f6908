// Theory (§3.3–3.5). A schedule of the recorded path is a model of Φ; the questions of this room differ only
// in what they add to it. A model becomes a total order, and the evaluator, which is the definition of what a
// schedule does, has the last word: what it does not confirm is never given out.
#include "constraints/schedule_solver.h"
#include "constraints/core_minimisation.h"
#include "constraints/schedule_formula.h"
#include "constraints/search_portfolio.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace symbiosis {

struct ScheduleSolver::Impl {
  Impl(const SymbolicTrace& trace_, const SolverOptions& options_)
      : trace(trace_), options(options_), evaluator(trace_), code(trace_) {}

  ScheduleAnswer solve(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  ScheduleAnswer portfolio(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  ScheduleAnswer askSolver(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  std::optional<ScheduleAnswer> conclusive(SearchResult result, Goal goal, std::span<const OrderEdge> edges);
  ScheduleAnswer confirmed(EventOrder order, Goal goal, std::span<const OrderEdge> edges);
  SearchPortfolio& searches();

  const SymbolicTrace& trace;
  SolverOptions options;
  SolverStats stats;
  Evaluator evaluator;
  CompiledTrace code;
  std::optional<std::string> contradiction; // of the synchronisation; empty: none
  std::unique_ptr<SearchPortfolio> search;  // made by the first question
  std::unique_ptr<ScheduleFormula> formula; // built when it is first needed
};

static ScheduleAnswer unknown(std::string reason) {
  return {.answer = Answer::unknown, .order = {}, .core = {}, .reason = std::move(reason)};
}

ScheduleAnswer ScheduleSolver::Impl::solve(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  try {
    return portfolio(goal, edges, watch);
  } catch (const LimitReached& limit) {
    return unknown(limit.reason);
  } catch (const z3::exception& error) {
    formula.reset(); // its state is not to be trusted
    return unknown(watch.expired() ? watch.reason() : fmt::format("Z3 gave up: {}", error.msg()));
  } catch (const std::bad_alloc&) {
    formula.reset();
    search.reset();
    return unknown("out of memory");
  }
}

SearchPortfolio& ScheduleSolver::Impl::searches() {
  if (!search) search = std::make_unique<SearchPortfolio>(code);
  return *search;
}

// Quick searches find most schedules that exist; a longer one exhausts what is small; Z3 learns from what it has
// refuted, where a search would come back to it; and what time is left goes to the search, which needs no formula.
ScheduleAnswer ScheduleSolver::Impl::portfolio(Goal goal, std::span<const OrderEdge> edges,
                                               const CallWatch& watch) {
  constexpr size_t kFirstBackSteps = 300'000;
  constexpr double kShareOfSolver = 0.6;
  if (!contradiction) contradiction = analyseSync(trace).contradiction;
  if (!contradiction->empty()) return {.answer = Answer::unsat, .order = {}, .core = {}, .reason = *contradiction};
  if (options.engines == Engines::solver) return askSolver(goal, edges, watch);
  if (auto answer = conclusive(searches().quick(goal, edges, watch), goal, edges)) return *answer;
  const bool isAlone = options.engines == Engines::search;
  const size_t most = isAlone ? SIZE_MAX : kFirstBackSteps;
  if (auto answer = conclusive(searches().thorough(goal, edges, most, watch), goal, edges)) return *answer;
  if (isAlone) return unknown(watch.memoryReason());
  try {
    const ScheduleAnswer answer = askSolver(goal, edges, watch.within(watch.secondsLeft() * kShareOfSolver));
    if (answer.answer != Answer::unknown) return answer;
  } catch (const LimitReached&) {
    watch.check();
  }
  if (auto answer = conclusive(searches().thorough(goal, edges, SIZE_MAX, watch), goal, edges)) return *answer;
  return unknown(watch.memoryReason());
}

std::optional<ScheduleAnswer> ScheduleSolver::Impl::conclusive(SearchResult result, Goal goal,
                                                               std::span<const OrderEdge> edges) {
  if (result.verdict == SearchResult::Verdict::gaveUp) return std::nullopt;
  ++stats.searches;
  if (result.verdict == SearchResult::Verdict::found) return confirmed(std::move(result.order), goal, edges);
  ScheduleAnswer answer{.answer = Answer::unsat, .order = {}, .core = {}, .reason = {}};
  for (size_t i = 0; i < edges.size(); ++i) answer.core.push_back(i);
  return answer;
}

ScheduleAnswer ScheduleSolver::Impl::askSolver(Goal goal, std::span<const OrderEdge> edges,
                                               const CallWatch& watch) {
  if (!formula) formula = std::make_unique<ScheduleFormula>(trace, options.encoding, options.encoding == Encoding::paper || getenv("INTS") ? OrderAs::integers : OrderAs::literals, watch);
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

ScheduleAnswer ScheduleSolver::Impl::confirmed(EventOrder order, Goal goal, std::span<const OrderEdge> edges) {
  const Outcome wanted = goal == Goal::failing ? Outcome::failing : Outcome::passing;
  Evaluation evaluation = evaluator.explain(order);
  // Of those who wait, one who surely does stands first.
  if (goal == Goal::failing && trace.endsWaiting())
    for (EventRef waiting : trace.pendingEvents()) {
      if (evaluation.outcome == wanted) break;
      std::erase(order, waiting);
      order.insert(std::find_if(order.begin(), order.end(), [&](EventRef e) { return trace.event(e).pending; }),
                   waiting);
      evaluation = evaluator.explain(order);
    }
  if (evaluation.outcome != wanted)
    return unknown(fmt::format("internal error: the solver's schedule should be {} and is {} {}", toText(wanted),
                               toText(evaluation.outcome), evaluation.reason));
  if (!respects(order, edges)) return unknown("internal error: the solver's schedule breaks an edge asked for");
  return {.answer = Answer::sat, .order = std::move(order), .core = {}, .reason = {}};
}

ScheduleSolver::ScheduleSolver(const SymbolicTrace& trace, const SolverOptions& options)
    : impl_(std::make_unique<Impl>(trace, options)) {}
ScheduleSolver::ScheduleSolver(const SymbolicTrace& trace, SolverLimits limits)
    : ScheduleSolver(trace, SolverOptions{.limits = limits}) {}
ScheduleSolver::~ScheduleSolver() = default;

ScheduleAnswer ScheduleSolver::failing(std::span<const OrderEdge> edges) {
  ScheduleAnswer answer = impl_->solve(Goal::failing, edges, CallWatch(impl_->options.limits));
  if (answer.answer == Answer::sat) guideBy(answer.order);
  return answer;
}
ScheduleAnswer ScheduleSolver::passing(std::span<const OrderEdge> edges) {
  return impl_->solve(Goal::passing, edges, CallWatch(impl_->options.limits));
}
void ScheduleSolver::guideBy(const EventOrder& order) { impl_->searches().guideBy(order); }

RootCauseCore ScheduleSolver::minimalCore(std::span<const OrderEdge> edges, double seconds) {
  constexpr double kShareOfOneQuestion = 0.2;
  SolverLimits limits = impl_->options.limits;
  limits.seconds = seconds;
  const CallWatch whole(limits);
  return minimiseCore(edges, [&](std::span<const OrderEdge> some) {
    if (whole.expired()) return unknown(whole.reason());
    return impl_->solve(Goal::passing, some, whole.within(seconds * kShareOfOneQuestion));
  });
}
const SolverStats& ScheduleSolver::stats() const { return impl_->stats; }

} // namespace symbiosis
