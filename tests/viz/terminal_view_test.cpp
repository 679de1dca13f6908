#include "tests/viz/diagnose_example.h"
#include "tests/viz/two_runs.h"
#include "viz/text.h"
#include "viz/views.h"
#include <gmock/gmock.h>
#include <sstream>

namespace symbiosis {

using testing::diagnose;
using testing::Example;

TEST(TerminalView, OfTheRunningExample) {
  const Example example = testing::runningExample();
  EXPECT_EQ(renderTerminal(diagnose(example), example.trace, example.sources),
            R"(✗ T2 sees filled = 1 (line 10), then T1 sets it to 0 (line 20), so T2's assert
  (line 19) reads 0.
  Fix hint: Make T2's lines 10–19 one atomic region: hold m from line 10 to
  line 19 without releasing it in between.

✗ FAILING SCHEDULE                     │ ✓ ALTERNATE SCHEDULE
   0 1 2 line                          │    0 1 2 line
───────────────────────────────────────┼───────────────────────────────────────
   ┄┄┄┄ ⋯ 6 identical events ┄┄┄┄┄     │    ┄┄┄┄ ⋯ 6 identical events ┄┄┄┄┄
 1 ● · ·  4 filled++;          W 1     │  1 ● · ·  4 filled++;          W 1 ━┓
   ┄┄┄┄ ⋯ 3 identical events ┄┄┄┄┄     │    ┄┄┄┄ ⋯ 3 identical events ┄┄┄┄┄  ┃
 2 · · ● 10 if (filled > 0) {  R 1     │  2 · · ● 10 if (filled > 0) {  R 1  ┃
 3 · ● ┆ 20 filled--;          W 0 ━┓  │    · ○ ┆ ↓ runs later (step 4)      ┃
 4 · · ✗ 19 assert(filled>0);  R 0 ◀┛  │  3 · · ✓ 19 assert(filled>0);  R 1 ◀┻╮
   ✗ FAILS: reads 0                    │    ✓ PASSES: reads 1                 │
   · ○ · ↑ ran earlier (step 3)        │  4 · ● · 20 filled--;          W 0 ◁─╯
───────────────────────────────────────┴───────────────────────────────────────
━▶ filled read by T2 line 19: ✗ 0 from T1 line 20 → ✓ 1 from T0 line 4
─▷ order only, alternate: T2 line 19 before T1 line 20
┆ atomic region: T2 lines 10–19, split by T1 in the failing run
1 ordering forces the failure (minimal: proved): T1 line 20 before T2 line 19.
  Alternate by turning that pair round, 1 pair tried.
Certificate: not validated: replay is not part of this version
)");
}

// Lines of the failure's file may stand alone, those of others never.
TEST(SummaryView, NamesTheFileOfWhatIsInAnother) {
  Example example = testing::runningExample();
  const std::string other = "jobs_and_their_results_in_order.cpp";
  for (SourceLocation& location : example.trace.locations) {
    if (location.function == "worker1") location.file = other;
    if (location.function == "worker2") location.file = "a_queue_with_a_very_long_name_to_it.c";
  }
  const std::string text = renderSummary(diagnose(example), example.trace, example.sources, {});
  EXPECT_THAT(text, ::testing::HasSubstr(other + ":20 filled = 0"));
  EXPECT_THAT(text, ::testing::HasSubstr("line 19 filled -> 0"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("line 20 filled")));
}

// The thread reads the same in both runs; in the one that passes it was held back there.
TEST(SummaryView, SaysThatAThreadGoesOnTooSoonWhereOnlyTheTimeDiffers) {
  const testing::TwoRuns two = testing::twoRuns(testing::seller(true, false), testing::seller(false, false),
                                                {1, 16, "", "1", "1", {20, 20, 0, 20}, true});
  const std::string text = renderSummary(two.diagnosis, two.example.trace, two.example.sources, {});
  EXPECT_THAT(text, ::testing::HasSubstr("Cause        order violation"));
  EXPECT_THAT(text, ::testing::HasSubstr("T1 goes on (line 16) before the others are done"));
  EXPECT_THAT(text, ::testing::HasSubstr("T1 line 16: in the passing run not before the others are done"));
}

TEST(SummaryView, OfTheRunningExample) {
  const Example example = testing::runningExample();
  TerminalOptions options;
  options.report = ".symbiosis/latest/report/dsp.html";
  options.next = "symbiosis replay --failing --gdb";
  EXPECT_EQ(renderSummary(diagnose(example), example.trace, example.sources, options),
            R"(FAIL         assertion "filled > 0" at test.c:19 in thread T2
Cause        atomicity violation on filled (1 ordering, minimal: proved)
   T0 producer              T1 consumer              T2 consumer
   test.c:4 filled = 1
                                                     test.c:10 filled -> 1
                            test.c:20 filled = 0  <-- interleaves
                                                     test.c:19 filled -> 0  ✗
Why          T2 sees filled = 1 (line 10), then T1 sets it to 0 (line 20), so
             T2's assert (line 19) reads 0.
Hint         Make T2's lines 10–19 one atomic region: hold m from line 10 to
             line 19 without releasing it in between.
Passes when  test.c:19 (T2) runs before test.c:20 (T1)
Uncertified  not validated: replay is not part of this version
Report       .symbiosis/latest/report/dsp.html
Next         symbiosis replay --failing --gdb
)");
}

TEST(TerminalView, FitsEightyColumnsIn24LinesInBothAlphabets) {
  for (const Example& example : {testing::runningExample(), testing::bank(), testing::useBeforeInit(),
                                 testing::tearDown(), testing::twoVariables(), testing::alwaysFails()})
    for (bool utf8 : {true, false}) {
      TerminalOptions options;
      options.utf8 = utf8;
      for (auto* view : {renderTerminal, renderSummary}) {
        const std::string text = view(diagnose(example), example.trace, example.sources, options);
        std::istringstream lines(text);
        size_t count = 0;
        for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(columns(line), 80u) << line;
        EXPECT_LE(count, 24u) << text;
        const bool isAscii =
            std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
        EXPECT_TRUE(utf8 || isAscii) << text;
      }
    }
}

TEST(TerminalView, ColoursOnlyWhenAllowed) {
  const Example example = testing::bank();
  TerminalOptions options;
  EXPECT_EQ(renderTerminal(diagnose(example), example.trace, example.sources, options).find('\x1b'),
            std::string::npos);
  options.colour = true;
  const std::string coloured = renderTerminal(diagnose(example), example.trace, example.sources, options);
  EXPECT_THAT(coloured, ::testing::HasSubstr("\x1b[1;31m✗ FAILING SCHEDULE"));
  std::string plain;
  for (size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  options.colour = false;
  std::string expected = renderTerminal(diagnose(example), example.trace, example.sources, options);
  auto withoutSpaces = [](std::string text) { return std::erase(text, ' '), text; };
  EXPECT_EQ(withoutSpaces(plain), withoutSpaces(expected)) << "colour must add nothing else";
}

} // namespace symbiosis
