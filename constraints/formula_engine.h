#pragma once
// Answers questions about schedules by a formula that Z3 solves. Its schedules are still to be confirmed.
#include "constraints/schedule_formula.h"
#include <optional>

namespace symbiosis {

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
