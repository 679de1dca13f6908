#include "tests/dsp/random_traces.h"
#include "tests/viz/diagnose_example.h"
#include "tests/viz/svg_checks.h"
#include "tests/viz/two_runs.h"
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

static bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// What only one run does, and that the other does not do it, lies over nothing else.
static void checkBlocks(const Picture& picture) {
  const PanelGeometry geometry(picture);
  for (const Block& block : picture.blocks) {
    const Rect rect = geometry.block(block);
    for (const Block& other : picture.blocks)
      EXPECT_TRUE(&other == &block || !overlap(rect, geometry.block(other)));
    for (size_t row = 0; row < picture.rows.size(); ++row) {
      const bool isInside = block.firstRow <= row && row <= block.lastRow;
      if (picture.rows[row].isLine()) continue;
      if (picture.rows[row].isFold()) {
        EXPECT_FALSE(overlap(rect, geometry.row(row)));
        continue;
      }
      const Card& card = picture.cardOf(picture.rows[row]);
      EXPECT_EQ(overlap(rect, geometry.card(row)), isInside && card.lane == block.lane);
      if (isInside && card.lane == block.lane) {
        EXPECT_TRUE(card.isIn[block.side] && !card.isIn[1 - block.side]);
      }
    }
    for (const auto& ghosts : picture.ghosts)
      for (const Ghost& ghost : ghosts) EXPECT_FALSE(overlap(rect, geometry.ghost(ghost)));
  }
}
static void checkDecision(const Picture& picture) {
  const PanelGeometry geometry(picture);
  ASSERT_TRUE(picture.decision);
  const Rect band = geometry.row(picture.decision->row), diamond = geometry.diamond(),
             card = geometry.card(picture.decision->row);
  EXPECT_FALSE(overlap(diamond, card));
  EXPECT_FALSE(overlap(geometry.caption(), card));
  EXPECT_FALSE(overlap(geometry.caption(), diamond));
  EXPECT_LT(diamond.bottom(), band.bottom());
  EXPECT_GT(geometry.sideExitX(), std::max(diamond.right(), card.right()));
}

TEST(SvgView, RunsThatPart) {
  for (const testing::TwoRuns& runs : {testing::tickets(), testing::ticketsRefused(), testing::mailbox()}) {
    const Picture picture = makePicture(runs.diagnosis, runs.example.trace, runs.example.sources);
    EXPECT_FALSE(picture.blocks.empty());
    checkArrows(picture);
    checkBlocks(picture);
    checkDecision(picture);
  }
}

TEST(SvgView, SaysWhereRunsPart) {
  const testing::TwoRuns runs = testing::tickets();
  const std::string svg = renderSvg(runs.diagnosis, runs.example.trace, runs.example.sources);
  for (const char* words : {"FAILING RUN", "ALTERNATE RUN", "◆ DECISION", "T2 sees left = 1",
                            "and goes on at line 15", "only in the failing run: 15–18", "does not happen here",
                            "lines 15–18 of the failing run", "20/20 pass", "0/20 pass"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  const testing::TwoRuns unclear = testing::ticketsRefused();
  const std::string other = renderSvg(unclear.diagnosis, unclear.example.trace, unclear.example.sources);
  EXPECT_THAT(other, HasSubstr("THE RUNS PART HERE"));
  EXPECT_EQ(other.find("DECISION"), std::string::npos);
  const testing::TwoRuns waits = testing::mailbox();
  EXPECT_THAT(renderSvg(waits.diagnosis, waits.example.trace, waits.example.sources), HasSubstr("goes on"));
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
