#include "time_plot.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace symbiosis::bench {

namespace {

constexpr double kLeft = 70, kTop = 20, kWidth = 520, kHeight = 340, kLegend = 170;
constexpr double kFewestEvents = 50, kMostEvents = 2e6, kLeastSeconds = 1e-4, kMostSeconds = 1e3;
// Told apart without colours too: each has its own mark.
constexpr const char* kColours[] = {"#1b6ca8", "#b3541e", "#3b7d3b", "#7a3e9d", "#8a6d00", "#a8324a", "#2f7f86"};
constexpr const char* kMarks[] = {"●", "■", "▲", "◆", "▼", "✚", "○", "□", "△"};

double x(double events) {
  return kLeft + kWidth * std::log(events / kFewestEvents) / std::log(kMostEvents / kFewestEvents);
}
double y(double seconds) {
  const double shown = std::clamp(seconds, kLeastSeconds, kMostSeconds);
  return kTop + kHeight * (1 - std::log(shown / kLeastSeconds) / std::log(kMostSeconds / kLeastSeconds));
}

std::string grid() {
  std::string text;
  for (double events = 100; events <= 1e6; events *= 10)
    text += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
                        "text-anchor=\"middle\">{4:.0f}</text>\n",
                        x(events), kTop, kTop + kHeight, kTop + kHeight + 18, events);
  for (double seconds = kLeastSeconds; seconds <= kMostSeconds * 1.01; seconds *= 10)
    text += fmt::format("<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                        "text-anchor=\"end\">{5:g} s</text>\n",
                        kLeft, y(seconds), kLeft + kWidth, kLeft - 6, y(seconds) + 4, seconds);
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">events</text>\n", kLeft + kWidth / 2,
                            kTop + kHeight + 38);
}

std::string drawn(const Series& series, size_t number) {
  const char* const colour = series.isReference ? "#777" : kColours[number % std::size(kColours)];
  const char* const mark = kMarks[number % std::size(kMarks)];
  std::string path, marks;
  for (const auto& [events, seconds] : series.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(events), y(seconds));
    marks += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"10\">{}</text>",
                         x(events), y(seconds) + 3.5, mark);
  }
  const double row = kTop + 14 + 20 * double(number);
  return fmt::format("<g fill=\"{0}\"><path fill=\"none\" stroke=\"{0}\" stroke-width=\"1.5\"{1} d=\"{2}\"/>{3}"
                     "<text x=\"{4}\" y=\"{5}\">{6} {7}</text></g>\n",
                     colour, series.isReference ? " stroke-dasharray=\"4 3\"" : "", path, marks,
                     kLeft + kWidth + 16, row, mark, series.name);
}

} // namespace

std::string timePlot(const std::vector<Series>& series) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
      "<title>Seconds of solving against events</title>\n<style>.grid{{stroke:#ddd;fill:none}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kLeft + kWidth + kLegend, kTop + kHeight + 50);
  text += grid();
  for (size_t i = 0; i < series.size(); ++i) text += drawn(series[i], i);
  return text + "</svg>\n";
}

} // namespace symbiosis::bench
