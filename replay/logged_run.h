#pragma once
// A run under control whose grants were logged. It can be repeated exactly, and recorded while it is: beside the
// recording of the run that failed, where it is the run that passes.
#include "replay/controlled_run.h"
#include "trace/recording.h"

namespace symbiosis {

struct LoggedRun {
  ControlledRun how;
  ControlReport report; // its log is not empty
};

// Repeats the run, this time recording it into the new directory `logs` (NewRecording::logs). Error nothingFound:
// the repeat differs; the message says where.
Result<ControlReport> recordAgain(const LoggedRun& run, const std::filesystem::path& logs);

// Where the run that passes is kept, if there is one.
std::filesystem::path placeOfAlternate(const Recording& recording);

// Makes a recording in `directory`, in the place of what was there, of a run of the same program with the same
// input as `like`, which has left its logs in `logs`.
Result<Recording> keepBeside(const Recording& like, const LoggedRun& run, const std::filesystem::path& logs,
                             const std::filesystem::path& directory);

// Both: repeats the run and keeps it.
Result<Recording> recordBeside(const Recording& like, const LoggedRun& run,
                               const std::filesystem::path& directory);

} // namespace symbiosis
