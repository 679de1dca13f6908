#pragma once
// A wrong program of tests/programs/wrong, explored until it fails and recorded in full.
#include "replay/guest_strategies.h"
#include "replay/record.h"
#include "symexec/symexec.h"
#include "tests/replay/compiled_program.h"
#include "trace/recording.h"
#include <fmt/format.h>

namespace symbiosis::testing {

class ExploredFailure : public ::testing::TestWithParam<const char*> {
protected:
  void record(Recording& recording) {
    GuestStrategies schedules;
    RecordOptions options;
    options.command = {compiledProgram(fmt::format("wrong/{}", GetParam())).string()};
    options.schedules = &schedules;
    options.store = directory_.path();
    RecordObserver unobserved;
    Result<RecordedRun> run = symbiosis::record(options, {isInstrumentedProgram, sourceFilesOf}, unobserved);
    ASSERT_TRUE(run) << run.error().message;
    Result<Recording> opened = openRecording(run->directory);
    ASSERT_TRUE(opened) << opened.error().message;
    recording = std::move(*opened);
  }

  TemporaryDirectory directory_;
};

} // namespace symbiosis::testing
