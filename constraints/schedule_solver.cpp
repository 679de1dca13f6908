// Theory (§3.3–3.5). A schedule of the recorded path is a model of Φ; the questions of this room differ only
// in what they add to it. A model becomes a total order, and the evaluator, which is the definition of what a
// schedule does, has the last word: what it does not confirm is never given out.
#include "constraints/schedule_solver.h"
#include "constraints/formula_engine.h"
#include "constraints/race.h"
#include "constraints/searches.h"
#include "constraints/sync_structure.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace symbiosis {

struct ScheduleSolver::Impl {
  Impl(const SymbolicTrace& trace_, const SolverOptions& options_)
      : trace(trace_), options(options_), evaluator(trace_), code(trace_) {}

  ScheduleAnswer solve(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  ScheduleAnswer confirmed(EventOrder order, Goal goal, std::span<const OrderEdge> edges);

  const SymbolicTrace& trace;
  SolverOptions options;
  SolverStats stats;
  Evaluator evaluator;
  CompiledTrace code;
  std::optional<std::string> contradiction; // of the synchronisation; empty: none
  FormulaEngine formula{trace, options.encoding, stats};

  Searches& searches() {
    if (!searches_) searches_ = std::make_unique<Searches>(code, stats);
    return *searches_;
  }

private:
  ScheduleAnswer ask(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);

  std::unique_ptr<Searches> searches_; // made by the first question that they are asked
};

bool respects(const EventOrder& order, std::span<const OrderEdge> edges) {
  std::vector<size_t> position(order.size());
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return std::all_of(edges.begin(), edges.end(),
                     [&](const OrderEdge& edge) { return position[edge.before] < position[edge.after]; });
}

static ScheduleAnswer unknown(std::string reason) {
  return {.answer = Answer::unknown, .order = {}, .core = {}, .reason = std::move(reason)};
}

ScheduleAnswer ScheduleSolver::Impl::solve(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  if (!contradiction) contradiction = analyseSync(trace).contradiction;
  if (!contradiction->empty()) return {.answer = Answer::unsat, .order = {}, .core = {}, .reason = *contradiction};
  ScheduleAnswer answer;
  try {
    answer = ask(goal, edges, watch);
  } catch (const LimitReached& limit) { // of the short searches
    return unknown(limit.reason + "; tried: " + searches().tried());
  } catch (const std::bad_alloc&) {
    return unknown("out of memory");
  }
  return answer.answer == Answer::sat ? confirmed(std::move(answer.order), goal, edges) : answer;
}

// Short searches find most schedules that exist, and exhaust what is small. What is left is for all engines at
// once: which one is best cannot be told beforehand.
ScheduleAnswer ScheduleSolver::Impl::ask(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  const Entrant ofSearches{[&](const CallWatch& own) { return searches().answer(goal, edges, own); },
                           [&] { return searches().tried(); }};
  const Entrant ofFormula{[&](const CallWatch& own) { return formula.answer(goal, edges, own); },
                          [&] { return formula.tried(); }};
  if (options.engines == Engines::solver) return race({ofFormula}, watch);
  ScheduleAnswer answer = searches().quickAnswer(goal, edges, watch.withShareOfMemory(1));
  if (answer.answer != Answer::unknown) return answer;
  if (options.engines == Engines::search) return race({ofSearches}, watch);
  return race({ofSearches, ofFormula}, watch);
}

ScheduleAnswer ScheduleSolver::Impl::confirmed(EventOrder order, Goal goal, std::span<const OrderEdge> edges) {
  const Outcome wanted = goal == Goal::failing ? Outcome::failing : Outcome::passing;
  Evaluation evaluation = evaluator.explain(order);
  // Of those who wait, one who surely does stands first.
  if (goal == Goal::failing)
    for (EventRef waiting : code.ending.waits()) {
      if (evaluation.outcome == wanted) break;
      std::erase(order, waiting);
      order.insert(std::find_if(order.begin(), order.end(), [&](EventRef e) { return trace.event(e).pending; }),
                   waiting);
      evaluation = evaluator.explain(order);
    }
  if (evaluation.outcome != wanted && options.encoding == Encoding::paper)
    return unknown(
        fmt::format("the paper's formulas allow a schedule that cannot happen ({}); without --encoding paper "
                    "the question is answered exactly",
                    evaluation.reason));
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

ScheduleSolver::Deadline ScheduleSolver::deadline() const { return impl_->options.limits.deadline; }
void ScheduleSolver::setDeadline(Deadline deadline) { impl_->options.limits.deadline = deadline; }

const SolverStats& ScheduleSolver::stats() const { return impl_->stats; }

} // namespace symbiosis
