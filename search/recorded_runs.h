#pragma once
// Runs of a recorded program that are made again, or anew, and recorded with everything that they do.
#include "replay/logged_run.h"
#include "replay/run_outcome.h"
#include "trace/recording.h"
#include "trace/schedule.h"

namespace symbiosis {

// What a run was granted, as a schedule that can be kept: for programs of which no trace can be made. Its log is
// `everything`.
Schedule scheduleOf(const ControlReport& report, const std::string& program);

// A recording with its trace, and the order in which it took place.
struct WalkedRun {
  Recording recording;
  SymbolicTrace trace;
  EventOrder order;
};

// A run of the program, recorded in full into `directory` and walked; what it must come to is the caller's to say.
Result<WalkedRun> recordWalked(const Recording& recording, ControlledRun run, RunOutcome wanted,
                               const std::filesystem::path& directory);

// A run that failed, repeated, recorded in full into `directory` and walked. Errors: the repeat differs, or the
// trace does not explain it.
Result<WalkedRun> recordWalked(const Recording& recording, const LoggedRun& failed,
                               const std::filesystem::path& directory);

// The program along a schedule that fails, recorded in full into `directory`. Errors: it does not fail, or the
// trace does not explain it.
Result<WalkedRun> recordFailing(const Recording& recording, const Schedule& schedule,
                                const std::filesystem::path& directory);

} // namespace symbiosis
