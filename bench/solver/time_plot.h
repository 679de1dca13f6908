#pragma once
// Time against events, both logarithmic, as a small SVG: one line for each series.
#include <string>
#include <vector>

namespace symbiosis::bench {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points; // events, seconds
  bool isReference = false;                      // what we compare with: dashed and grey
};

std::string timePlot(const std::vector<Series>& series);

} // namespace symbiosis::bench
