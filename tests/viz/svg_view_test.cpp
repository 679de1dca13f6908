#include "tests/dsp/random_traces.h"
#include "tests/viz/diagnose_example.h"
#include "tests/viz/svg_checks.h"
#include "viz/panel_geometry.h"
#include "viz/views.h"
#include <gmock/gmock.h>

namespace symbiosis {

using testing::diagnose;
using testing::Example;
using ::testing::HasSubstr;

TEST(SvgView, EveryExampleIsWellFormedAndReadable) {
  for (const Example& example : {testing::runningExample(), testing::bank(), testing::useBeforeInit(),
                                 testing::tearDown(), testing::twoVariables(), testing::alwaysFails()}) {
    SCOPED_TRACE(diagnose(example).classification.headline);
    testing::checkSvg(renderSvg(diagnose(example), example.trace, example.sources));
  }
}

TEST(SvgView, SaysWhatMatters) {
  const Example example = testing::runningExample();
  const std::string svg = renderSvg(diagnose(example), example.trace, example.sources);
  for (const char* words :
       {"FAILING SCHEDULE", "ALTERNATE SCHEDULE", "T2 sees filled = 1 (line 10)", "✗ FAILS", "✓ PASSES",
        "split by T1 ✗", "not split by T1 ✓", "runs later", "6 identical events", "prefers-color-scheme:dark",
        "Certificate: not validated", "aria-labelledby", "id=\"failing_e0_2_5\""})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(SvgView, ItsLastFooterLineIsThere) {
  // A wrong length in the background drops everything after it.
  const Example example = testing::bank();
  Diagnosis d = diagnose(example);
  d.certificate.note = "ünïcödé – and & more";
  const std::string svg = renderSvg(d, example.trace, example.sources);
  EXPECT_NE(svg.find("ünïcödé – and &amp; more"), std::string::npos) << svg.substr(svg.find("Certificate"), 120);
}

TEST(SvgView, DotIsWritten) {
  const Example example = testing::bank();
  const std::string dot = renderDot(diagnose(example), example.trace, example.sources);
  EXPECT_THAT(dot, HasSubstr("digraph DSP"));
  EXPECT_THAT(dot, HasSubstr("failing_flow_1"));
}

TEST(SvgView, TheSameDiagnosisGivesTheSamePicture) {
  const Example example = testing::bank();
  EXPECT_EQ(renderSvg(diagnose(example), example.trace, example.sources),
            renderSvg(diagnose(example), example.trace, example.sources));
}

// No arrow crosses the card of an event that it does not join.
static void checkArrows(const Picture& picture) {
  const PanelGeometry geometry(picture);
  for (size_t side : {kFailing, kAlternate})
    for (size_t i = 0; i < picture.arrows[side].size(); ++i) {
      const Arrow& arrow = picture.arrows[side][i];
      const std::vector<Point> path = geometry.path(picture, side, i);
      for (size_t row = 0; row < picture.rows.size(); ++row) {
        if (picture.rows[row].step[side] == 0 || row == arrow.fromRow || row == arrow.toRow) continue;
        const Rect card = geometry.card(row);
        for (size_t k = 1; k < path.size(); ++k) {
          const double left = std::min(path[k - 1].x, path[k].x), right = std::max(path[k - 1].x, path[k].x);
          const double top = std::min(path[k - 1].y, path[k].y), bottom = std::max(path[k - 1].y, path[k].y);
          EXPECT_FALSE(left < card.right() && card.x < right + 0.01 && top < card.bottom() &&
                       card.y < bottom + 0.01);
        }
      }
    }
}

TEST(SvgView, HoldsOnRandomTraces) {
  size_t pictures = 0;
  for (uint32_t seed = 1; pictures < 150; ++seed) {
    std::optional<Example> example = testing::RandomTrace(seed).make();
    if (!example) continue;
    const Diagnosis d = diagnose(*example);
    if (d.alternate.status != AlternateStatus::found) continue;
    ++pictures;
    SCOPED_TRACE(seed);
    checkArrows(makePicture(d, example->trace, example->sources));
    testing::checkSvg(renderSvg(d, example->trace, example->sources));
    if (::testing::Test::HasFailure()) return;
  }
}

} // namespace symbiosis
