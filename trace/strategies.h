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

// What exploration must know of the program before it can use a strategy.
enum class Needs : uint32_t {
  noUse,       // it explores nothing by itself
  nothing,     // but a seed
  calibration, // what the first runs, the same for everybody who has the seed, showed: it does not adapt later
  allRuns,     // what all runs so far have shown: it adapts
};

// X(enumerator, number in the control protocol, name, what exploration must know, parameters, text for the help)
// clang-format off
#define SYMBIOSIS_STRATEGIES(X)                                                                                    \
  X(stay,       0, "stay",     noUse,       noParameters,      "the current thread as long as it can")                \
  X(randomWalk, 1, "random",   nothing,     shortAndLongRuns,  "any thread, for a random while")                      \
  X(pct,        2, "pct",      nothing,     fewAndManyChanges, "by priorities that change a few times")               \
  X(pos,        3, "pos",      nothing,     noParameters,      "by random priorities of the pending operations")      \
  X(holdBack,   4, "hold",     noUse,       shortAndLongRuns,  "everybody but one thread, for as long as anybody can") \
  X(fair,       5, "fair",     noUse,       noParameters,      "the current thread as long as it can, if not for too long") \
  X(urw,        6, "urw",      calibration, noParameters,      "all interleavings equally likely")                    \
  X(surw,       7, "surw",     calibration, noParameters,      "the interleavings at one variable equally likely")    \
  X(sequence,   8, "feedback", allRuns,     noParameters,      "orders of accesses that no run has shown yet")
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
  Needs needs;
  ParametersOfTurn parameters;
  const char* text;
};

inline constexpr StrategyRow kStrategies[] = {
#define SYMBIOSIS_ROW(enumerator, number, name, needs, parameters, text)                                          \
  {Strategy::enumerator, name, Needs::needs, parameters, text},
    SYMBIOSIS_STRATEGIES(SYMBIOSIS_ROW)
#undef SYMBIOSIS_ROW
};

constexpr const StrategyRow& rowOf(Strategy strategy) {
  for (const StrategyRow& row : kStrategies)
    if (row.strategy == strategy) return row;
  return kStrategies[0];
}

} // namespace symbiosis::format
