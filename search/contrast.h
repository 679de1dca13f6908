#pragma once
// How often runs pass after a decision was turned, against how often they pass after it went as recorded, with
// the same continuations. Fisher's exact test says how likely a difference like this, or a greater one, would be
// if the decision made none.
#include <cstddef>

namespace symbiosis {

struct Contrast {
  size_t turnedPass = 0, turnedRuns = 0;
  size_t controlPass = 0, controlRuns = 0;
};

// One-sided: that turned runs pass as much more often, or even more, by chance. 1 where nothing was run.
double chanceOf(const Contrast& contrast);

inline constexpr double kSignificant = 0.01;
inline bool isSignificant(const Contrast& contrast) { return chanceOf(contrast) < kSignificant; }

} // namespace symbiosis
