// What the kernel says (proc(5)): `task/N/syscall` has the number, the arguments and the stack pointer of the call
// that a thread is in, or "running"; `status` of a process its parent, and the signals that it catches.
#include "replay/standstill.h"
#include "support/files.h"
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/futex.h>
#include <optional>
#include <sys/syscall.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// A thread that only another thread can wake.
bool waitsForEver(const std::string& call) {
  long number = -1;
  unsigned long word = 0, operation = 0, value = 0, limit = 0;
  if (std::sscanf(call.c_str(), "%ld %lx %lx %lx %lx", &number, &word, &operation, &value, &limit) != 5)
    return false;
  if (number != SYS_futex || limit != 0) return false;
  const unsigned long kind = operation & FUTEX_CMD_MASK;
  return kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET || kind == FUTEX_LOCK_PI;
}

// A number in /proc/N/status, as it is written there; nothing: the process is gone.
std::optional<unsigned long long> statusOf(const fs::path& process, const char* name, int base) {
  const Result<std::string> status = readFile(process / "status");
  const size_t line = status ? status->find(name) : std::string::npos;
  if (line == std::string::npos) return std::nullopt;
  return std::strtoull(status->c_str() + line + std::strlen(name), nullptr, base);
}

bool hasChildren(int process) {
  std::error_code unreadable;
  for (const fs::directory_entry& other : fs::directory_iterator("/proc", unreadable))
    if (std::isdigit(other.path().filename().native().front()) &&
        statusOf(other.path(), "PPid:", 10) == static_cast<unsigned long long>(process))
      return true;
  return bool(unreadable);
}

// Of signals that a timer, a child, a terminal or another process sends.
bool catchesSignals(int process) {
  const std::optional<unsigned long long> known = statusOf(fmt::format("/proc/{}", process), "SigCgt:", 16);
  if (!known) return true;
  const unsigned long long caught = *known;
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGUSR1, SIGUSR2, SIGCHLD, SIGINT, SIGTERM, SIGHUP})
    if (caught >> (signal - 1) & 1) return true;
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
    if (caught >> (signal - 1) & 1) return true;
  return false;
}

} // namespace

bool Standstill::isReached(int process) {
  constexpr auto kGlance = std::chrono::milliseconds(500);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kGlance) return false;
  looked_ = now;
  std::map<std::string, std::string> waits;
  bool mayGoOn = false;
  std::error_code gone;
  for (const fs::directory_entry& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
    const Result<std::string> call = readFile(task.path() / "syscall");
    mayGoOn |= !call || !waitsForEver(*call);
    if (mayGoOn) break;
    waits[task.path().filename()] = *call;
  }
  if (gone || mayGoOn || waits.empty() || waits != waits_) {
    waits_ = mayGoOn || gone ? std::map<std::string, std::string>() : std::move(waits);
    since_ = now;
    return false;
  }
  return std::chrono::duration<double>(now - since_).count() >= seconds_ && !catchesSignals(process) &&
         !hasChildren(process);
}

} // namespace symbiosis
