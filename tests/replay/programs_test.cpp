// Every program of tests/programs/{wrong,correct} says in its second line what exploration must find; and each
// explored run can be repeated exactly.
#include "replay/explore.h"
#include "replay/portfolio.h"
#include "support/files.h"
#include "tests/replay/compiled_program.h"
#include "tests/replay/program_list.h"
#include "tests/support/scale.h"
#include <cstring>
#include <fmt/format.h>

namespace symbiosis {
namespace {

using testing::compiledProgram;
using testing::programsIn;

// What stands behind "// expect: ".
std::string expectationOf(const std::string& program) {
  const std::string text = *readFile(std::string(SYMBIOSIS_SOURCE "/tests/programs/") + program);
  constexpr std::string_view kMark = "// expect: ";
  const size_t at = text.find(kMark);
  if (at == std::string::npos) return "missing";
  return text.substr(at + kMark.size(), text.find_first_of(";\n", at) - at - kMark.size());
}

std::string outcomeOf(const ControlReport& report) {
  if (report.outcome == format::ControlOutcome::deadlock) return "deadlock";
  if (report.failure && report.failure->cause == format::FailureCause::assertion) return "assertion";
  if (report.ending.kind == EndingKind::signalled) return fmt::format("signal {}", report.ending.code);
  return report.ending.code == 0 ? "pass" : fmt::format("exit {}", report.ending.code);
}

ExploreOptions optionsFor(const std::string& program, uint64_t runs) {
  ExploreOptions options;
  options.launch.program = compiledProgram(program);
  options.launch.quiet = true;
  options.launch.timeoutSeconds = 60;
  options.runs = runs;
  return options;
}

class Programs : public ::testing::TestWithParam<std::string> {};

class WrongProgram : public Programs {};
TEST_P(WrongProgram, FailsAsItSaysAndTheFailureCanBeRecorded) {
  Portfolio schedules;
  Result<ExploreResult> result = explore(optionsFor(GetParam(), 1000), schedules);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->counts.stuck, 0u);
  ASSERT_TRUE(result->failure) << "no failure in " << result->counts.runs << " runs";
  EXPECT_EQ(outcomeOf(result->failure->report), expectationOf(GetParam())) << result->failure->report.text;
  const testing::TemporaryDirectory directory;
  Result<ControlReport> again = recordAgain(*result->failure, directory.path() / "logs");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(outcomeOf(*again), expectationOf(GetParam()));
  RecordProperty("runs", int(result->failure->run));
}
INSTANTIATE_TEST_SUITE_P(All, WrongProgram, ::testing::ValuesIn(programsIn("wrong")),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

class CorrectProgram : public Programs {};
TEST_P(CorrectProgram, NeverFails) {
  EXPECT_EQ(expectationOf(GetParam()), "pass");
  Portfolio schedules;
  Result<ExploreResult> result = explore(optionsFor(GetParam(), 100 * testing::testScale()), schedules);
  ASSERT_TRUE(result) << result.error().message;
  for (const UncountedRuns& runs : result->uncounted) ADD_FAILURE() << runs.runs << " runs: " << runs.reason;
  EXPECT_FALSE(result->failure) << "run " << result->failure->run << ": " << outcomeOf(result->failure->report)
                                << " " << result->failure->report.text;
}
INSTANTIATE_TEST_SUITE_P(All, CorrectProgram, ::testing::ValuesIn(programsIn("correct")),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

// Where two recorded runs differ in what their threads did and read, paths and values byte by byte; empty:
// nowhere.
std::string firstDifference(const std::filesystem::path& first, const std::filesystem::path& second) {
  for (const auto& entry : std::filesystem::directory_iterator(first)) {
    const std::string kind = entry.path().extension().string();
    if (kind != ".path" && kind != ".values" && kind != ".drained") continue;
    const Result<std::string> other = readFile(second / entry.path().filename());
    if (!other) return other.error().message;
    const std::string one = *readFile(entry.path());
    const auto at = std::mismatch(one.begin(), one.end(), other->begin(), other->end()).first - one.begin();
    if (one != *other) return fmt::format("{} at byte {}", entry.path().filename().string(), at);
  }
  return {};
}

// A program may say that it reads what no schedule determines.
bool readsTheOutside(const std::string& program) {
  return readFile(std::string(SYMBIOSIS_SOURCE "/tests/programs/") + program)->find("// reads the outside") !=
         std::string::npos;
}

class AnyProgram : public Programs {};
TEST_P(AnyProgram, RepeatsExactlyWhatItDidUnderAnyStrategy) {
  ControlledRun plain;
  plain.launch = optionsFor(GetParam(), 0).launch;
  plain.stepLimit = 1'000'000; // a table that was broken by a race may be searched for ever
  GuestStrategies schedules(blindStrategies(), 1, 200);
  for (uint64_t number = 1; number <= 9 * testing::testScale(); ++number) {
    ControlledRun run = schedules.next(number, plain);
    run.heldMegabytes = number % 4 < 2 ? format::kHeldMegabytes : 0;
    run.log = number % 2 ? format::ControlLog::switches : format::ControlLog::everything;
    const testing::TemporaryDirectory directory;
    const bool recorded = number % 3 == 0;
    if (recorded) run.recordTo = directory.path() / "first";
    run.launch.outputFile = directory.path() / "first.out";
    run.launch.errorFile = directory.path() / "first.err";
    Result<ControlReport> first = runControlled(run);
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_FALSE(first->stuck) << first->text;
    ControlledRun repeat = run;
    repeat.plan = planOf(*first);
    repeat.strict = true;
    repeat.strategy = format::Strategy::stay;
    if (recorded) repeat.recordTo = directory.path() / "again";
    repeat.launch.outputFile = directory.path() / "again.out";
    repeat.launch.errorFile = directory.path() / "again.err";
    Result<ControlReport> again = runControlled(repeat);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->text, first->text) << "run " << number;
    EXPECT_EQ(again->ending, first->ending);
    EXPECT_EQ(again->outcome, first->outcome);
    // Points are counted in bundles where nobody else waits: a run without an end stops near its limit, not at it.
    if (first->outcome == format::ControlOutcome::stepLimit) continue;
    // Points are counted where the scheduler is asked; a crash comes in between.
    const bool crashed = first->failure && first->failure->cause == format::FailureCause::signal;
    if (!crashed || run.log == format::ControlLog::everything) {
      EXPECT_EQ(again->points, first->points);
    }
    ASSERT_EQ(again->log.size(), first->log.size());
    for (size_t i = 0; i < first->log.size(); ++i)
      ASSERT_EQ(std::memcmp(&again->log[i], &first->log[i], sizeof first->log[i]), 0)
          << "run " << number << ", entry " << i;
    for (const char* stream : {"out", "err"})
      EXPECT_EQ(*readFile(directory.path() / fmt::format("again.{}", stream)),
                *readFile(directory.path() / fmt::format("first.{}", stream)))
          << "run " << number;
    if (recorded && !readsTheOutside(GetParam())) {
      EXPECT_EQ(firstDifference(run.recordTo, repeat.recordTo), "") << "run " << number;
    }
  }
}
std::vector<std::string> allPrograms() {
  std::vector<std::string> all = programsIn("wrong");
  for (const std::string& program : programsIn("correct")) all.push_back(program);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, AnyProgram, ::testing::ValuesIn(allPrograms()), [](const auto& param) {
  const std::filesystem::path path = param.param;
  return path.parent_path().string() + "_" + path.stem().string();
});

} // namespace
} // namespace symbiosis
