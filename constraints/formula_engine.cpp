#include "constraints/formula_engine.h"
#include "constraints/hint_windows.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

bool FormulaEngine::isTooLarge() {
  if (!estimate_) estimate_ = estimatedConstraints(trace_);
  return *estimate_ > double(kMostConstraints);
}

ScheduleAnswer FormulaEngine::ask(ScheduleFormula& formula, Goal goal, std::span<const OrderEdge> edges,
                                  const CallWatch& watch) {
  ++stats_.calls;
  stats_.constraints = std::max(stats_.constraints, formula.constraints());
  stats_.variables = std::max(stats_.variables, formula.variables());
  tried_ = fmt::format("{} in Z3 ({} constraints)",
                       orders() == OrderAs::literals ? "orderings as Booleans" : "the paper's formulas",
                       formula.constraints());
  ScheduleAnswer answer;
  switch (formula.check(goal, edges, watch)) {
  case z3::sat:
    answer.answer = Answer::sat;
    answer.order = formula.order();
    break;
  case z3::unsat:
    answer.answer = Answer::unsat;
    answer.core = formula.core();
    answer.reason = formula.contradiction();
    break;
  default: answer.reason = fmt::format("Z3 gave up: {}", formula.reasonUnknown());
  }
  return answer;
}

// The failing run, if the hints are right about events far apart: far fewer orderings are then to be decided.
ScheduleAnswer FormulaEngine::answerInWindows(Goal goal, std::span<const OrderEdge> edges,
                                              const CallWatch& watch) {
  const std::vector<uint64_t> hints = hintsOf(trace_);
  if (goal != Goal::failing || !edges.empty() || !TraceEnd(trace_).looksAtEverything()) return {};
  for (uint64_t width : windowWidths(hints)) {
    const std::vector<OrderEdge> given = windowEdges(trace_, hints, width);
    ScheduleFormula formula(trace_, {.encoding = encoding_, .orders = orders(), .given = given}, watch);
    ScheduleAnswer answer = ask(formula, goal, edges, watch);
    if (answer.answer == Answer::sat) return answer;
  }
  return {};
}

ScheduleAnswer FormulaEngine::answer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  tried_.clear();
  ScheduleAnswer tooLarge;
  tooLarge.reason = "the formula would be too large for Z3";
  tried_ = "writing the formula";
  try {
    if (encoding_ != Encoding::paper)
      if (ScheduleAnswer answer = answerInWindows(goal, edges, watch); answer.answer == Answer::sat) return answer;
    if (encoding_ != Encoding::paper && isTooLarge()) {
      tried_ = "no formula, which would be too large";
      return tooLarge;
    }
    const FormulaOptions options{.encoding = encoding_, .orders = orders()};
    if (!formula_) formula_ = std::make_unique<ScheduleFormula>(trace_, options, watch);
    return ask(*formula_, goal, edges, watch);
  } catch (const z3::exception& error) {
    formula_.reset(); // its state is not to be trusted
    if (watch.expired()) throw LimitReached{watch.reason()};
    ScheduleAnswer answer;
    answer.reason = fmt::format("Z3 gave up: {}", error.msg());
    return answer;
  } catch (const LimitReached&) {
    if (!watch.isStopped()) formula_.reset(); // memory is given back
    throw;
  }
}

} // namespace symbiosis
