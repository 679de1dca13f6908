#pragma once
// From a program to the recording of a failing run: it is run as it is, then with schedules that plain runs hardly
// ever take, until a run fails, and that run is kept. A script, make or ctest can stand for the program: then
// those of its descendants that were built with `symbiosis cc` are recorded.
#include "replay/explore.h"
#include "replay/recorded_processes.h"
#include <set>

namespace symbiosis {

// What only the snapshot in a program can tell; symexec reads it.
struct SnapshotReader {
  std::function<bool(const std::filesystem::path&)> isInstrumented;
  std::function<Result<std::vector<std::string>>(const std::filesystem::path&)> sourceFiles;
};

struct RecordOptions {
  std::vector<std::string> command;                // the program, found as a shell would, and its arguments
  std::optional<std::string> standardInput;        // fed to every run; nothing: /dev/null
  double timeoutSeconds = 60;                      // after which a run counts as hanging
  int expectedExit = 0;                            // of a run that passes
  uint64_t runs = 1000;                            // at most, of both kinds together
  uint64_t nativeRuns = 0;                         // of these, first, as the program is
  format::Level level = format::Level::addresses;  // of native runs; what exploration finds is recorded in full
  uint64_t valueLimit = 1'024'000'000;             // bytes of values to keep of a native run; 0: all
  ScheduleSource* schedules = nullptr;             // of the runs that follow; null: there are none
  uint32_t heldMegabytes = format::kHeldMegabytes; // of freed blocks, under control; 0: they are not held back
  unsigned jobs = 1;                               // of them at once
  bool keepsGoing = false;                    // keeps a run of each failure that exploration finds, not the first
  std::filesystem::path store = ".symbiosis"; // of recordings, and of programs by their content
  std::filesystem::path directory;            // of this recording; empty: a new one in the store
};

struct RecordedRun {
  std::filesystem::path directory; // of the recording
  uint64_t number = 0;             // of the run, from 1
  bool isLatest = false;           // `latest` in the store points to it
};

// Is told what goes on; the command line has the words for it.
class RecordObserver {
public:
  virtual ~RecordObserver() = default;
  virtual void beginsNativeRun(uint64_t /*run*/, uint64_t /*of*/) {}
  // Of a program that was not built with `symbiosis cc` itself.
  virtual void beginsRunOfDescendants(uint64_t /*run*/, uint64_t /*of*/) {}
  virtual void descendantFailed(const RecordedProcess&) {}
  // None of the descendants failed, and schedules are explored only for a program that is run directly.
  virtual void descendantsPassed(const std::set<std::string>& /*commandLines*/) {}
  virtual void explores(const ExploreCounts&) {}
  // The failure that it found, if there is one, has been repeated with everything recorded.
  virtual void explored(const ExploreResult&) {}
  // A run of another failure than those before, where the search goes on; the first is what `record` returns.
  virtual void keeps(const RecordedRun&) {}
  // None failed, and in no schedule can one thread do what another sees.
  virtual void threadsNeverMeet() {}
  // This run failed because libc found its heap broken: how it came to be is looked for under control.
  virtual void looksForMisuse(uint64_t /*run*/, const format::FailureRecord&) {}
  virtual void lookedForMisuse(bool /*found*/, const ExploreResult&) {}
  virtual void keepsElsewhere(const Error& /*why*/) {}
};

// How the command is run. Error: there is no such program.
Result<LaunchOptions> launchFor(const RecordOptions& options);

// The first run that passes, under control, recorded in full; without schedules natively and at the level asked
// for.
Result<RecordedRun> recordPassing(const RecordOptions& options, const SnapshotReader& snapshots,
                                  RecordObserver& observer);

// Error nothingFound: all runs ended as they should; gaveUp: no run is known to fail, but not all ended so, or it
// was interrupted.
Result<RecordedRun> record(const RecordOptions& options, const SnapshotReader& snapshots,
                           RecordObserver& observer);

} // namespace symbiosis
