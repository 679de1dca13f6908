#include "search/contrast.h"
#include <algorithm>
#include <cmath>

namespace symbiosis {

static double logBinomial(size_t n, size_t k) {
  return std::lgamma(double(n) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(n - k) + 1);
}

// With the sums of the table given, the number of turned runs that pass is hypergeometric.
double chanceOf(const Contrast& c) {
  const size_t all = c.turnedRuns + c.controlRuns, pass = c.turnedPass + c.controlPass;
  double chance = 0;
  for (size_t k = c.turnedPass; k <= std::min(c.turnedRuns, pass); ++k)
    if (pass - k <= c.controlRuns)
      chance +=
          std::exp(logBinomial(c.turnedRuns, k) + logBinomial(c.controlRuns, pass - k) - logBinomial(all, pass));
  return std::min(chance, 1.0);
}

} // namespace symbiosis
