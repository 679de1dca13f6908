// Random tiny programs against the reference interpreter: a failing run gets an alternate if some schedule of the
// program passes, and a run on another path only then.
#include "dsp/diagnose.h"
#include "replay/guest_strategies.h"
#include "replay/record.h"
#include "symexec/symexec.h"
#include "tests/reference/executable.h"
#include "tests/reference/random_program.h"
#include "tests/support/scale.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

// The recording of the first run that fails.
Result<Recording> recordFailure(const LaunchOptions& launch, uint64_t seed, const std::filesystem::path& store) {
  GuestStrategies schedules(blindStrategies(), seed);
  RecordOptions options;
  options.command = {launch.program.string()};
  options.command.insert(options.command.end(), launch.arguments.begin(), launch.arguments.end());
  options.runs = 300;
  options.schedules = &schedules;
  options.store = store;
  RecordObserver silent;
  Result<RecordedRun> run = record(options, {isInstrumentedProgram, sourceFilesOf}, silent);
  if (!run) return run.error();
  return openRecording(run->directory);
}

TEST(OtherPath, PassesIfAndOnlyIfSomeScheduleDoes) {
  std::mt19937 random(17);
  size_t onOtherPath = 0, hopeless = 0, compared = 0;
  const size_t wanted = 12 * testing::testScale();
  for (uint64_t tried = 1; tried <= 20 * wanted && compared < wanted; ++tried) {
    const std::string text = reference::randomProgram(random, {.mostThreads = 2 + unsigned(tried % 2)});
    Result<reference::TinyProgram> program = reference::parseTinyProgram(text);
    ASSERT_TRUE(program) << program.error().message;
    Result<reference::Possibilities> possible = reference::interleave(*program);
    if (!possible || !possible->canFail()) continue;
    SCOPED_TRACE(fmt::format("program {}\n{}", tried, text));
    const reference::TinyExecutable executable(text);
    const testing::TemporaryDirectory store;
    Result<Recording> recording = recordFailure(executable.launchOptions(), tried, store.path());
    if (!recording) continue; // it fails in too few schedules to be found
    DiagnoseOptions options;
    options.replays = 2;
    Observer silent;
    Result<DiagnosedRun> run = diagnose(*recording, options, silent);
    ASSERT_TRUE(run) << run.error().message;
    ++compared;
    const Diagnosis& diagnosis = run->diagnosis;
    // An alternate on the same path passes the check; what follows may still fail. One on another path is a whole
    // run.
    const bool isFound = diagnosis.alternate.status == AlternateStatus::found;
    EXPECT_TRUE(isFound || !possible->canPass());
    if (diagnosis.otherPath) {
      EXPECT_TRUE(possible->canPass());
      EXPECT_TRUE(diagnosis.certificate.complete()) << diagnosis.certificate.note;
    }
    for (const std::string& limit : diagnosis.limits)
      EXPECT_EQ(limit.find("bug of symbiosis"), std::string::npos) << limit;
    onOtherPath += diagnosis.otherPath != nullptr;
    hopeless += !possible->canPass();
  }
  RecordProperty("compared", int(compared));
  RecordProperty("onOtherPath", int(onOtherPath));
  RecordProperty("hopeless", int(hopeless));
  EXPECT_EQ(compared, wanted);
  EXPECT_GT(onOtherPath, 0u);
}

} // namespace
} // namespace symbiosis
