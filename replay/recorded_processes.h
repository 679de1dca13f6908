#pragma once
// The processes of one run that were recorded: the program itself, or those that a script, make or ctest started.
#include "trace/recording.h"
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace symbiosis {

struct RecordedProcess {
  std::filesystem::path logs;
  std::filesystem::path executable;   // empty: not known
  std::string workingDirectory;       // in which it began
  std::vector<std::string> arguments; // with its own name first
  std::string problem;                // why the recording is incomplete; empty: it is not
  bool saysWhy = false;               // it has left a failure record
  std::optional<int> exitStatus;      // nothing: it did not come to an orderly end
};

// Those that failed first, in their own words before by their status.
std::vector<RecordedProcess> recordedProcesses(const std::filesystem::path& logs);

bool failed(const RecordedProcess& process); // as a descendant: said so, or did not exit with 0
// What is known of how a descendant ended; its parent was told more.
Ending endingOf(const RecordedProcess& process);
// "./tests/queue_test --fast" and, if that is elsewhere, where
std::string commandLine(const RecordedProcess& process);

} // namespace symbiosis
