#include "replay/recorded_processes.h"
#include "support/files.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// A process that was killed while it began has files of zeros.
bool hasBegun(const fs::path& directory) {
  Result<std::string> bytes = readFile(directory / "process"), operations = readFile(directory / "0.ops");
  return bytes && operations && !operations->empty() && operations->front() != 0 &&
         bytes->size() >= sizeof format::kProcessMagic &&
         std::memcmp(bytes->data(), format::kProcessMagic, sizeof format::kProcessMagic) == 0;
}

void readProblem(const fs::path& file, RecordedProcess& process) {
  Result<std::string> bytes = readFile(file);
  format::ProcessHeader header;
  if (!bytes || bytes->size() < sizeof header) return;
  std::memcpy(&header, bytes->data(), sizeof header);
  header.problem[sizeof header.problem - 1] = 0;
  if (header.recordingFailed) process.problem = header.problem;
}

void readCommand(const fs::path& file, RecordedProcess& process) {
  Result<std::string> text = readFile(file);
  if (!text) return;
  std::vector<std::string> words;
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\0', at), text->size());
    words.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  if (words.size() < 3) return;
  process.executable = words[0];
  process.workingDirectory = words[1];
  process.arguments.assign(words.begin() + 2, words.end());
}

void readExit(const fs::path& file, RecordedProcess& process) {
  Result<std::string> bytes = readFile(file);
  int status = 0;
  if (!bytes || bytes->size() != sizeof status) return;
  std::memcpy(&status, bytes->data(), sizeof status);
  process.exitStatus = status & 0xFF;
}

int rank(const RecordedProcess& process) { return process.saysWhy ? 0 : failed(process) ? 1 : 2; }

} // namespace

bool failed(const RecordedProcess& process) { return process.saysWhy || process.exitStatus != 0; }

Ending endingOf(const RecordedProcess& process) {
  if (process.exitStatus) return {EndingKind::exited, *process.exitStatus};
  return {EndingKind::signalled, process.saysWhy ? SIGABRT : SIGKILL};
}

std::string commandLine(const RecordedProcess& process) {
  return fmt::format("{}", fmt::join(process.arguments, " "));
}

std::vector<RecordedProcess> recordedProcesses(const fs::path& logs) {
  std::vector<RecordedProcess> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(logs, error)) {
    if (!hasBegun(entry.path())) continue;
    RecordedProcess process;
    process.logs = entry.path();
    process.saysWhy = fs::exists(entry.path() / "failure");
    readProblem(entry.path() / "process", process);
    readCommand(entry.path() / "command", process);
    readExit(entry.path() / "exit", process);
    found.push_back(std::move(process));
  }
  std::sort(found.begin(), found.end(), [](const RecordedProcess& a, const RecordedProcess& b) {
    return std::pair(rank(a), a.logs) < std::pair(rank(b), b.logs);
  });
  return found;
}

} // namespace symbiosis
