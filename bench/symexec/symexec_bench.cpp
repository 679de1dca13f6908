// How fast a recording becomes a symbolic trace, and how much memory that takes. Each program is recorded once at
// level `full`, and executed in a process of its own, whose peak memory is measured.
#include "support/files.h"
#include "symexec/symexec.h"
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace symbiosis::bench {
namespace {

// Of this process: others may use the machine at the same time.
double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void measure(const std::string& program, const std::string& level, const Recording& recording) {
  const double begin = cpuSeconds();
  SymexecStats stats;
  Result<SymbolicTrace> trace = executeSymbolically(recording, {}, &stats);
  const double seconds = cpuSeconds() - begin;
  if (!trace) {
    fmt::print("| {} | {} | {} |\n", program, level, trace.error().message);
    return;
  }
  size_t accesses = 0;
  for (const Event& event : trace->events) accesses += isAccess(event.kind);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double megabytes = double(usage.ru_maxrss) / 1024;
  fmt::print("| {} | {} | {:.1f} | {:.2f} | {:.1f} | {} | {} | {:.0f} | {} |\n", program, level,
             double(stats.instructions) / 1e6, seconds, double(stats.instructions) / 1e6 / seconds,
             trace->events.size(), accesses, megabytes,
             accesses > 1000 ? fmt::format("{:.0f}", megabytes * 1024 * 1024 / double(trace->events.size()))
                             : "–");
  std::fflush(stdout);
}

bool run(const std::string& command) {
  if (std::system((command + " > /dev/null 2>&1").c_str()) == 0) return true;
  fmt::print(stderr, "failed: {}\n", command);
  return false;
}

int main() {
  const Result<std::filesystem::path> directory =
      makeTemporaryDirectory(std::filesystem::temp_directory_path(), "symbiosis-bench-");
  if (!directory) return 1;
  fmt::print("| program | level | M instructions | CPU s | M instructions/s | events | accesses | peak MB | "
             "bytes/event |\n"
             "|---|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  bool good = true;
  for (const char* program : {"concrete", "symbolic", "accesses"})
    for (const char* level : {"-O0", "-O2"}) {
      const std::string app = (*directory / program).string(), recording = app + level;
      good = good &&
             run(fmt::format("'{}' cc -g {} '{}/bench/symexec/{}.c' -o '{}' -pthread", SYMBIOSIS_BINARY, level,
                             SYMBIOSIS_SOURCE, program, app)) &&
             run(fmt::format("cd '{}' && '{}' profile --record full --schedule native --runs 1 -o '{}' '{}'",
                             directory->string(), SYMBIOSIS_BINARY, recording, app));
      if (!good) break;
      const pid_t child = fork();
      if (child == 0) {
        Result<Recording> opened = openRecording(recording);
        if (opened) measure(program, level, *opened);
        _exit(opened ? 0 : 1);
      }
      int status = 0;
      waitpid(child, &status, 0);
      good = status == 0;
    }
  std::filesystem::remove_all(*directory);
  return good ? 0 : 1;
}

} // namespace
} // namespace symbiosis::bench

int main() { return symbiosis::bench::main(); }
