#include "constraints/engines.h"
#include "constraints/hint_windows.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

// --- searches ---

SearchPortfolio& SearchEngine::searches() {
  if (!searches_) searches_ = std::make_unique<SearchPortfolio>(code_);
  return *searches_;
}

ScheduleAnswer SearchEngine::answerOf(SearchResult result, size_t edges) {
  ScheduleAnswer answer;
  if (result.verdict == SearchResult::Verdict::gaveUp) return answer;
  ++stats_.searches;
  answer.answer = result.verdict == SearchResult::Verdict::found ? Answer::sat : Answer::unsat;
  answer.order = std::move(result.order);
  if (answer.answer == Answer::unsat)
    for (size_t i = 0; i < edges; ++i) answer.core.push_back(i);
  return answer;
}

ScheduleAnswer SearchEngine::quickAnswer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  watch.hold(0);
  return answerOf(searches().quick(goal, edges, watch), edges.size());
}

ScheduleAnswer SearchEngine::answer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  constexpr double kFirstEvents = 5e6, kFirstPlays = 2e4, kMostFirstEvents = 5e7, kMore = 8;
  constexpr size_t kFirstBackSteps = 300'000, kLastBackSteps = 20'000'000;
  watch.hold(0);
  double events = std::clamp(kFirstPlays * double(code_.events.size()), kFirstEvents, kMostFirstEvents);
  // Questions with edges are mostly proofs: those come first.
  bool descends = edges.empty();
  for (size_t backSteps = kFirstBackSteps;; backSteps *= size_t(kMore), events *= kMore, descends = true) {
    const bool isLast = backSteps > kLastBackSteps;
    ScheduleAnswer answer;
    if (descends) answer = answerOf(searches().descend(goal, edges, events, watch), edges.size());
    if (answer.answer != Answer::unknown) return answer;
    answer = answerOf(searches().relaxed(goal, edges, backSteps, watch), edges.size());
    if (answer.answer != Answer::unknown) return answer;
    answer = answerOf(searches().thorough(goal, edges, isLast ? SIZE_MAX : backSteps, watch), edges.size());
    if (answer.answer != Answer::unknown) return answer;
  }
}

std::string SearchEngine::tried() const {
  if (!searches_) return {};
  std::string text = fmt::format("searches from the front ({} choices taken back)", searches_->backSteps());
  if (searches_->eventsPlayed() > 0)
    text += fmt::format(", changes of whole schedules ({:.0f} of them run)",
                        searches_->eventsPlayed() / double(code_.events.size()));
  return text;
}

// --- formula ---

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
