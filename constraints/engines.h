#pragma once
// The two engines that answer questions about schedules: searches, which run the trace, and a formula, which Z3
// solves. Their schedules are still to be confirmed.
#include "constraints/schedule_formula.h"
#include "constraints/search_portfolio.h"

namespace symbiosis {

class SearchEngine {
public:
  SearchEngine(const CompiledTrace& code, SolverStats& stats) : code_(code), stats_(stats) {}

  // By short searches. unknown: these did not suffice. All may throw LimitReached.
  ScheduleAnswer quickAnswer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // By longer and longer ones; `unknown` by a limit only.
  ScheduleAnswer answer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // What the latest question took, in the user's words.
  std::string tried() const;
  void guideBy(const EventOrder& order) { searches().guideBy(order); }

private:
  SearchPortfolio& searches();
  ScheduleAnswer answerOf(SearchResult result, size_t edges);

  const CompiledTrace& code_;
  SolverStats& stats_;
  std::unique_ptr<SearchPortfolio> searches_; // made by the first question
};

class FormulaEngine {
public:
  FormulaEngine(const SymbolicTrace& trace, Encoding encoding, SolverStats& stats)
      : trace_(trace), encoding_(encoding), stats_(stats) {}

  ScheduleAnswer answer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  std::string tried() const { return tried_; }

private:
  bool isTooLarge();
  ScheduleAnswer answerInWindows(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  ScheduleAnswer ask(ScheduleFormula& formula, Goal goal, std::span<const OrderEdge> edges,
                     const CallWatch& watch);
  OrderAs orders() const { return encoding_ == Encoding::paper ? OrderAs::integers : OrderAs::literals; }

  const SymbolicTrace& trace_;
  const Encoding encoding_;
  SolverStats& stats_;
  std::unique_ptr<ScheduleFormula> formula_; // built when it is first needed
  std::optional<double> estimate_;           // constraints of the whole
  std::string tried_;
};

} // namespace symbiosis
