#include "replay/supervisor.h"
#include "replay/plan.h"
#include "support/files.h"
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace symbiosis {

std::optional<format::ControlStatus> readStatus(const std::filesystem::path& file) {
  Result<std::string> bytes = readFile(file);
  format::ControlStatus status;
  if (!bytes || bytes->size() < sizeof status) return std::nullopt;
  std::memcpy(&status, bytes->data(), sizeof status);
  if (std::memcmp(status.magic, format::kStatusMagic, sizeof status.magic) != 0 ||
      status.version != format::kFormatVersion)
    return std::nullopt;
  status.text[sizeof status.text - 1] = 0;
  return status;
}

namespace {

struct TaskState {
  char state = '?'; // R running, S sleeping, …
  double cpuSeconds = 0;
};

// Fields 3, 14 and 15 of /proc/…/stat, counted from behind the name, which may contain anything.
std::optional<TaskState> readTask(int process, uint32_t task) {
  Result<std::string> text = readFile(fmt::format("/proc/{}/task/{}/stat", process, task));
  if (!text) return std::nullopt;
  std::istringstream fields(text->substr(std::min(text->size(), text->rfind(')') + 1)));
  TaskState result;
  std::string skipped;
  uint64_t user = 0, system = 0;
  fields >> result.state;
  for (int i = 0; i < 10; ++i) fields >> skipped;
  fields >> user >> system;
  if (!fields) return std::nullopt;
  result.cpuSeconds = double(user + system) / double(::sysconf(_SC_CLK_TCK));
  return result;
}

// The calls in which a thread can wait long.
struct NamedCall {
  long number;
  const char* name;
};
constexpr NamedCall kCalls[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_pwait"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pause, "pause"},
#endif
    {SYS_futex, "futex"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_ioctl, "ioctl"},
    {SYS_openat, "openat"},
    {SYS_fsync, "fsync"},
    {SYS_rt_sigsuspend, "sigsuspend"},
    {SYS_rt_sigtimedwait, "sigtimedwait"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_mq_timedreceive, "mq_timedreceive"},
    {SYS_mq_timedsend, "mq_timedsend"},
    {SYS_io_getevents, "io_getevents"},
};

// "recvmsg(), a call", "system call 425, a call": what the kernel says that the thread is in.
std::string callOf(int process, uint32_t task) {
  Result<std::string> text = readFile(fmt::format("/proc/{}/task/{}/syscall", process, task));
  long number = -1;
  if (!text || std::sscanf(text->c_str(), "%ld", &number) != 1 || number < 0) return "a call";
  for (const NamedCall& call : kCalls)
    if (call.number == number) return fmt::format("{}(), a call", call.name);
  return fmt::format("system call {}, a call", number);
}

std::string nameOf(uint32_t serial, const format::ControlStatus& status) {
  const uint32_t known = std::min(status.threads, format::kMostControlledThreads);
  if (serial >= known) return "?";
  return threadIds({status.table, status.table + known})[serial];
}

} // namespace

Supervisor::Supervisor(std::filesystem::path logs, double stallSeconds)
    : logs_(std::move(logs)), stallSeconds_(stallSeconds) {}

bool Supervisor::isStuck(int processId) {
  std::optional<format::ControlStatus> status = readStatus(logs_ / std::to_string(processId) / "control");
  if (!status) return false; // the time-out is for those
  const bool everybodyOutside = status->holder == ~0u;
  std::optional<TaskState> task = readTask(processId, everybodyOutside ? uint32_t(processId) : status->holderTask);
  if (!task) return false; // between two threads
  const Clock::time_point now = Clock::now();
  if (status->steps != steps_) {
    steps_ = status->steps;
    cpuAtStep_ = task->cpuSeconds;
    asleep_ = false;
    return false;
  }
  const bool sleeps = task->state == 'S' || task->state == 'D';
  if (sleeps && !asleep_) asleepSince_ = now;
  asleep_ = sleeps;
  const std::string who = fmt::format("thread {}", nameOf(status->holder, *status));
  if (asleep_ && std::chrono::duration<double>(now - asleepSince_).count() > stallSeconds_)
    verdict_ = everybodyOutside ? std::string("every thread waits for something outside the program")
                                : fmt::format("{} is blocked in {} that is not under control", who,
                                              callOf(processId, status->holderTask));
  else if (task->cpuSeconds - cpuAtStep_ > stallSeconds_ * 2)
    verdict_ = fmt::format("{} runs without coming to another event", who);
  return !verdict_.empty();
}

} // namespace symbiosis
