#pragma once
// Makes a recording of a run that failed.
#include "replay/native_runs.h"

namespace symbiosis {

// Where it now is. `launchOptions`: how the program was run.
Result<RecordedRun> keepRun(const FailedRun& run, const LaunchOptions& launchOptions, const RecordOptions& options,
                            const SnapshotReader& snapshots, RecordObserver& observer);

} // namespace symbiosis
