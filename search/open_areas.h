#pragma once
// How far the other threads have come when a thread decides, as areas: of each thread so many of its deciding
// events have happened, at least `low` and at most `high`. What is left to ask of a decision is such areas without
// others.
#include "trace/expr.h"
#include <vector>

namespace symbiosis {

struct ProgressSpan {
  size_t low = 0, high = 0; // both included
  bool operator==(const ProgressSpan&) const = default;
};

using ProgressBox = std::vector<ProgressSpan>; // by thread

bool isWithin(const ProgressBox& box, const std::vector<size_t>& progress);

struct OpenArea {
  ProgressBox box;
  std::vector<ExprId> excluded; // what is known to happen there: conditions, negated
};

// What of the areas lies outside of all that comes no further than `limits`, by thread.
std::vector<OpenArea> without(const std::vector<OpenArea>& areas, const std::vector<size_t>& limits);
// The same of one box.
std::vector<OpenArea> withoutBox(const std::vector<OpenArea>& areas, const ProgressBox& box);
// Within the limits, the condition is to hold besides; the rest stays as it is.
std::vector<OpenArea> excluding(const std::vector<OpenArea>& areas, const std::vector<size_t>& limits,
                                ExprId condition);

} // namespace symbiosis
