// Every view of the fixed DSPs, compared with tests/viz/golden. After a change that is meant,
// scripts/update-golden writes them anew; look at the difference before it is committed.
#include "support/files.h"
#include "tests/viz/fixed_dsps.h"
#include "tests/viz/svg_checks.h"
#include "viz/picture.h"
#include "viz/text.h"
#include "viz/views.h"
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <sstream>

namespace symbiosis {

using testing::FixedDsp;

// The page without its style, script and picture, which have files of their own.
static std::string withoutParts(std::string page) {
  for (const auto& [open, close] : {std::pair{"<style>\n", "</style>"},
                                    {"<script nonce=\"symbiosis\">\n", "</script>"},
                                    {"<svg ", "</svg>"}}) {
    const size_t from = page.find(open) + std::string_view(open).size();
    page.erase(from, page.find(close, from) - from);
  }
  return page;
}

static std::vector<std::pair<std::string, std::string>> viewsOf(const FixedDsp& dsp) {
  const auto& [name, example, diagnosis] = dsp;
  TerminalOptions ascii;
  ascii.utf8 = false;
  TerminalOptions report;
  report.report = ".symbiosis/latest/report/dsp.html";
  report.next = "symbiosis replay --failing";
  return {{"terminal.txt", renderTerminal(diagnosis, example.trace, example.sources)},
          {"ascii.txt", renderTerminal(diagnosis, example.trace, example.sources, ascii)},
          {"summary.txt", renderSummary(diagnosis, example.trace, example.sources, report)},
          {"json", renderJson(diagnosis, example.trace)},
          {"svg", renderSvg(diagnosis, example.trace, example.sources)},
          {"dot", renderDot(diagnosis, example.trace, example.sources)},
          {"html", withoutParts(renderHtml(diagnosis, example.trace, example.sources))}};
}

static std::string firstDifference(const std::string& is, const std::string& was) {
  std::istringstream now(is), before(was);
  std::string a, b;
  for (size_t line = 1;; ++line) {
    const bool isMore = bool(std::getline(now, a)), wasMore = bool(std::getline(before, b));
    if (!isMore && !wasMore) return "";
    if (isMore != wasMore || a != b)
      return fmt::format("line {}\n  is:  {}\n  was: {}", line, isMore ? a : "(end)", wasMore ? b : "(end)");
  }
}

TEST(Golden, EveryViewIsAsItWas) {
  const std::filesystem::path folder = std::filesystem::path(SYMBIOSIS_SOURCE_DIR) / "tests/viz/golden";
  const bool isUpdating = std::getenv("SYMBIOSIS_UPDATE_GOLDEN") != nullptr;
  for (const FixedDsp& dsp : testing::fixedDsps())
    for (const auto& [view, content] : viewsOf(dsp)) {
      const std::filesystem::path file = folder / (dsp.name + "." + view);
      if (isUpdating) {
        ASSERT_TRUE(writeFileAtomically(file, content));
        continue;
      }
      Result<std::string> was = readFile(file);
      ASSERT_TRUE(was) << file << ": missing; write it with scripts/update-golden";
      EXPECT_EQ(firstDifference(content, *was), "") << file << "; if this is meant: scripts/update-golden";
    }
}

TEST(Golden, TextFitsAScreenAndPicturesAreReadable) {
  for (const FixedDsp& dsp : testing::fixedDsps())
    for (const auto& [view, content] : viewsOf(dsp)) {
      SCOPED_TRACE(dsp.name + "." + view);
      if (view == "svg") testing::checkSvg(content);
      if (!view.ends_with("txt")) continue;
      std::istringstream lines(content);
      size_t count = 0;
      for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(columns(line), 80u) << line;
      EXPECT_LE(count, 24u) << content;
    }
}

// Thousands of changed dataflows: nothing is quadratic, and every view stays readable.
TEST(Golden, ALargeDspIsFolded) {
  const FixedDsp dsp = testing::countersDsp("large", 3, 1000, 1000);
  for (const auto& [view, content] : viewsOf(dsp)) {
    SCOPED_TRACE(view);
    if (view == "svg") testing::checkSvg(content);
    if (view.ends_with("txt")) {
      EXPECT_LE(std::count(content.begin(), content.end(), '\n'), 24) << content;
    }
    if (view == "svg" || view == "terminal.txt") {
      EXPECT_THAT(content, ::testing::HasSubstr("more events"));
    }
  }
}

TEST(Golden, MoreThreadsThanLanesShareOne) {
  const FixedDsp dsp = testing::countersDsp("crowd", 16, 1, 1);
  const Picture picture = makePicture(dsp.diagnosis, dsp.example.trace, dsp.example.sources);
  ASSERT_EQ(picture.lanes.size(), 8u);
  EXPECT_EQ(picture.lanes.back(), kNone);
  EXPECT_EQ(picture.lanes.front(), 0u) << "who fails has a lane";
  EXPECT_THAT(renderSvg(dsp.diagnosis, dsp.example.trace, dsp.example.sources),
              ::testing::HasSubstr("other threads"));
}

} // namespace symbiosis
