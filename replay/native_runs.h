#pragma once
// Recorded runs of a program as it is, or of whatever it starts, until one fails.
#include "replay/record.h"
#include "support/owned_directory.h"

namespace symbiosis {

// Where runs are recorded until one of them is kept.
class RecordingSession {
public:
  // The logs go into the store, where they will stay: better said now than after a failure that may not come
  // again soon if there is no room.
  static Result<RecordingSession> create(const RecordOptions& options);

  std::pair<std::string, std::string> variable() const;
  std::vector<RecordedProcess> processes() const { return recordedProcesses(logs_.path()); }
  // For the logs of a run that is repeated.
  std::filesystem::path newLogs() const { return logs_.path() / "repeated"; }
  void forgetRun() const;

private:
  RecordingSession(OwnedDirectory logs, OwnedDirectory directory)
      : logs_(std::move(logs)), directory_(std::move(directory)) {}
  OwnedDirectory logs_, directory_;
};

// A run that is to be kept, mostly one that failed: its logs, how it ended, and how many runs it took.
struct FailedRun {
  std::filesystem::path logs;
  Ending ending;
  uint64_t number = 0;
  std::string problem;                       // in words, if the runtime had something to say
  std::optional<RecordedProcess> descendant; // the one of them that is kept; nothing: the program itself
  uint32_t heldMegabytes = 0;                // of freed blocks, at most
};

// Both make up to `runs` runs; nothing: none of them failed.
Result<std::optional<FailedRun>> runNatively(const RecordingSession& session, LaunchOptions launchOptions,
                                             uint64_t runs, int expectedExit, RecordObserver& observer);
// The first of up to `runs` that passes; nothing: none does.
Result<std::optional<FailedRun>> passNatively(const RecordingSession& session, LaunchOptions launchOptions,
                                              uint64_t runs, int expectedExit, RecordObserver& observer);
// A script, make or ctest: its instrumented descendants are recorded, and the one that failed is kept. Only as
// they come: under control a program runs alone.
Result<std::optional<FailedRun>> runDescendants(const RecordingSession& session, LaunchOptions launchOptions,
                                                uint64_t runs, int expectedExit, RecordObserver& observer);

} // namespace symbiosis
