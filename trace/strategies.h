#pragma once
// The strategies, one row each: the guest, exploration, the command line and its help are made from this list. A
// strategy is a function of its enumerator's name in a file of profiler/runtime/strategies/; docs/recipes.md has
// the steps. Freestanding, because the guest includes it.
#include <stdint.h>

namespace symbiosis::format {

// What a strategy can be told; each looks at its own.
struct StrategyParameters {
  uint32_t meanRun = 4; // random walk: points that a thread passes, on average, before another may go on
  uint32_t depth = 3;   // pct: how many orderings the bug needs
  uint32_t held = 0;    // hold: one more than the thread's number in the schedule's table
};

// Of the `turn`-th run that a strategy makes: what is best differs from program to program, so they take turns.
using ParametersOfTurn = StrategyParameters (*)(uint64_t turn);
constexpr StrategyParameters noParameters(uint64_t) { return {}; }
constexpr StrategyParameters shortAndLongRuns(uint64_t turn) { return {.meanRun = 1u << (2 * (turn % 4))}; }
constexpr StrategyParameters fewAndManyChanges(uint64_t turn) { return {.depth = 2 + uint32_t(turn % 3)}; }

// X(enumerator, number in the control protocol, name, whether exploration uses it, parameters, text for the help)
// clang-format off
#define SYMBIOSIS_STRATEGIES(X)                                                                                    \
  X(stay,       0, "stay",   false, noParameters,      "the current thread as long as it can")                     \
  X(randomWalk, 1, "random", true,  shortAndLongRuns,  "any thread, for a random while")                           \
  X(pct,        2, "pct",    true,  fewAndManyChanges, "by priorities that change a few times")                    \
  X(pos,        3, "pos",    true,  noParameters,      "by random priorities of the pending operations")            \
  X(holdBack,   4, "hold",   false, shortAndLongRuns,  "everybody but one thread, for as long as anybody can")   \
  X(fair,       5, "fair",   false, noParameters,      "the current thread as long as it can, if not for too long")
// clang-format on

// Who goes on where the schedule does not say.
enum class Strategy : uint32_t {
#define SYMBIOSIS_ENUMERATOR(enumerator, number, ...) enumerator = number,
  SYMBIOSIS_STRATEGIES(SYMBIOSIS_ENUMERATOR)
#undef SYMBIOSIS_ENUMERATOR
};

struct StrategyRow {
  Strategy strategy;
  const char* name; // as the user says it
  bool explores;    // by itself, and as a part of the portfolio
  ParametersOfTurn parameters;
  const char* text;
};

inline constexpr StrategyRow kStrategies[] = {
#define SYMBIOSIS_ROW(enumerator, number, name, explores, parameters, text)                                       \
  {Strategy::enumerator, name, explores, parameters, text},
    SYMBIOSIS_STRATEGIES(SYMBIOSIS_ROW)
#undef SYMBIOSIS_ROW
};

constexpr const StrategyRow& rowOf(Strategy strategy) {
  for (const StrategyRow& row : kStrategies)
    if (row.strategy == strategy) return row;
  return kStrategies[0];
}

} // namespace symbiosis::format
