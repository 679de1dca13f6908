#pragma once
// A wrong program of tests/programs/wrong, explored until it fails and recorded in full.
#include "replay/explore.h"
#include "tests/replay/compiled_program.h"
#include "trace/recording.h"
#include <fmt/format.h>

namespace symbiosis::testing {

class ExploredFailure : public ::testing::TestWithParam<const char*> {
protected:
  void record(Recording& recording) {
    ExploreOptions options;
    options.launch.program = compiledProgram(fmt::format("wrong/{}", GetParam()));
    options.launch.quiet = true;
    options.launch.timeoutSeconds = 60;
    Result<ExploreResult> result = explore(options);
    ASSERT_TRUE(result && result->failure);
    const std::filesystem::path logs = directory_.path() / "logs";
    Result<ControlReport> again = recordAgain(*result->failure, logs);
    ASSERT_TRUE(again) << again.error().message;
    NewRecording made;
    made.logs = logs;
    made.executable = options.launch.program;
    made.info.program = options.launch.program.string();
    made.info.ending = again->ending;
    Result<void> saved = saveRecording(made, directory_.path() / "recording", directory_.path() / "store");
    ASSERT_TRUE(saved) << saved.error().message;
    Result<Recording> opened = openRecording(directory_.path() / "recording");
    ASSERT_TRUE(opened) << opened.error().message;
    recording = std::move(*opened);
  }

  TemporaryDirectory directory_;
};

} // namespace symbiosis::testing
