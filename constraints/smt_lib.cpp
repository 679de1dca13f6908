#include "constraints/schedule_formula.h"
#include <fmt/format.h>

namespace symbiosis {

Result<std::string> toSmtLib(const SymbolicTrace& trace, const SolverQuery& query, SolverLimits limits) {
  const char* const name = query.goal == Goal::failing ? "fail" : query.edges.empty() ? "pass" : "root or alt";
  try {
    ScheduleFormula formula(trace,
                            {.encoding = query.encoding, .orders = OrderAs::integers, .floats = FloatsAs::theory},
                            CallWatch(limits));
    return fmt::format(
        "; Phi_{}: {} events, {} threads, {} orderings\n; v<symbol>: values read, o<event>: order\n{}", name,
        trace.events.size(), trace.threads.size(), query.edges.size(), formula.smtLib(query.goal, query.edges));
  } catch (const LimitReached& limit) {
    return gaveUp(limit.reason);
  } catch (const z3::exception& error) {
    return gaveUp(fmt::format("Z3 gave up: {}", error.msg()));
  }
}

} // namespace symbiosis
