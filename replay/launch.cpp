#include "replay/launch.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace symbiosis {
namespace {

using Clock = std::chrono::steady_clock;

// Closed with its owner; -1: none.
struct OwnedDescriptor {
  int number = -1;
  explicit OwnedDescriptor(int fd) : number(fd) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  ~OwnedDescriptor() { close(); }
  void close() {
    if (number >= 0) ::close(std::exchange(number, -1));
  }
};

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What every run finds in its environment; who has said otherwise is not overruled. A check of GoogleTest that
// fails is to end the run where it failed. The workers of OpenMP's library are to wait at once: it is no code of
// ours that would spin there, for a fifth of a second each time, while nobody else can run.
constexpr std::pair<const char*, const char*> kDefaults[] = {{"GTEST_BREAK_ON_FAILURE", "1"},
                                                             {"KMP_BLOCKTIME", "0"}};

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> result;
  for (const auto& [name, value] : kDefaults)
    if (!::getenv(name)) result.push_back(std::string(name) + "=" + value);
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::none_of(additions.begin(), additions.end(), [&](const auto& added) { return added.first == name; }))
      result.emplace_back(text);
  }
  for (const auto& [name, value] : additions) result.push_back(name + "=" + value);
  return result;
}

// A file in memory, because the program may seek in it or read it slowly.
OwnedDescriptor inputWith(const std::optional<std::string>& contents) {
  if (!contents) return OwnedDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  OwnedDescriptor input(::memfd_create("standard input", MFD_CLOEXEC));
  std::string_view rest = *contents;
  while (input.number >= 0 && !rest.empty()) {
    const ssize_t put = ::write(input.number, rest.data(), rest.size());
    if (put <= 0) return OwnedDescriptor(-1);
    rest.remove_prefix(size_t(put));
  }
  if (input.number >= 0) ::lseek(input.number, 0, SEEK_SET);
  return input;
}

// -1: the caller's own.
OwnedDescriptor outputTo(const std::filesystem::path& file, bool quiet) {
  if (!file.empty()) return OwnedDescriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  return OwnedDescriptor(quiet ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
}

// Everything that the child needs, made before it begins: until it is the program it shares our memory, and only
// async-signal-safe calls are allowed.
struct Prepared {
  std::string program;
  std::vector<std::string> argumentTexts, environmentTexts;
  std::vector<char*> arguments, environment;
  std::string workingDirectory;
  OwnedDescriptor input, output, error;
  bool fixedAddresses, sharesTerminal;
  pid_t parent;
};

[[noreturn]] void becomeProgram(Prepared& child, int failurePipe) {
  if (!child.sharesTerminal) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // … nor when we are killed
  if (::getppid() != child.parent) ::_exit(127);
  if (child.input.number >= 0) ::dup2(child.input.number, 0);
  if (child.output.number >= 0) ::dup2(child.output.number, 1);
  if (child.error.number >= 0) ::dup2(child.error.number, 2);
  if (child.fixedAddresses) ::personality(ADDR_NO_RANDOMIZE);
  // Our handlers are not for the child, which would run them in our memory.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN && !(child.sharesTerminal && signal == SIGINT)) continue;
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (child.workingDirectory.empty() || ::chdir(child.workingDirectory.c_str()) == 0)
    ::execvpe(child.program.c_str(), child.arguments.data(), child.environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failurePipe, &error, sizeof error);
  ::_exit(127);
}

// vfork, because a copy of our page tables, which a fork makes, costs more than the start of a small program. All
// signals are blocked until the child has set its own handling of them.
__attribute__((noinline)) pid_t startChild(Prepared& child, int failurePipe) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = ::vfork();
  if (process == 0) becomeProgram(child, failurePipe);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return process;
}

int pidDescriptor(pid_t process) { return int(::syscall(SYS_pidfd_open, process, 0)); }

// True: it has ended. False: `waitSeconds` have passed.
bool waitForEnd(pid_t process, int descriptor, double waitSeconds) {
  if (descriptor >= 0) {
    pollfd end{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&end, 1, std::max(1, int(waitSeconds * 1000))) == 1;
  }
  // Kernels before 5.3
  siginfo_t info{};
  ::usleep(1000);
  return ::waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}

Ending endingOf(int status) {
  if (WIFSIGNALED(status)) return {EndingKind::signalled, WTERMSIG(status)};
  return {EndingKind::exited, WEXITSTATUS(status)};
}

Ending await(pid_t process, const LaunchOptions& options) {
  constexpr double kGlance = 0.05; // seconds between two looks at a program that is watched
  const OwnedDescriptor descriptor(pidDescriptor(process));
  const Clock::time_point begin = Clock::now();
  bool killed = false;
  for (;;) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    double wait = options.isStuck ? kGlance : 3600;
    if (options.timeoutSeconds > 0) wait = std::min(wait, options.timeoutSeconds - elapsed);
    if (waitForEnd(process, descriptor.number, wait)) break;
    const bool late = options.timeoutSeconds > 0 && elapsed >= options.timeoutSeconds;
    if (!late && !(options.isStuck && options.isStuck(process))) continue;
    ::kill(-process, SIGKILL);
    killed = true;
    break;
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return killed ? Ending{EndingKind::timedOut, 0} : endingOf(status);
}

std::atomic<int> watches = 0;
std::atomic<bool> interruptedOnce = false; // while there are watches

// What we have started does not outlive us: neither when we are interrupted, in the middle of whatever we do, …
class RunningGroup {
public:
  explicit RunningGroup(pid_t process) {
    handleInterrupts();
    for (std::atomic<pid_t>& place : groups_)
      if (pid_t none = 0; place.compare_exchange_strong(none, process)) {
        place_ = &place;
        break;
      }
    if (interruptedOnce) ::kill(-process, SIGKILL); // it was started too late to be seen
  }
  RunningGroup(const RunningGroup&) = delete;
  ~RunningGroup() {
    if (place_) *place_ = 0;
  }
  static void handleInterrupts() {
    static const bool installed = installHandlers();
    (void)installed;
  }

private:
  static void interrupted(int signal) {
    const bool isWatched = watches > 0 && !interruptedOnce.exchange(true);
    for (const std::atomic<pid_t>& place : groups_)
      if (const pid_t group = place) ::kill(-group, SIGKILL);
    if (isWatched) return;
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }

  static bool installHandlers() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction current = {};
      ::sigaction(signal, nullptr, &current);
      if (current.sa_handler != SIG_DFL) continue; // under nohup
      current.sa_handler = interrupted;
      current.sa_flags |= SA_RESTART;
      ::sigaction(signal, &current, nullptr);
    }
    return true;
  }

  static inline std::atomic<pid_t> groups_[64] = {};
  std::atomic<pid_t>* place_ = nullptr;
};

// Ctrl-C is meant for the program that shares our terminal.
class IgnoredInterrupt {
public:
  explicit IgnoredInterrupt(bool ignores) : ignores_(ignores) {
    if (ignores_) previous_ = ::signal(SIGINT, SIG_IGN);
  }
  IgnoredInterrupt(const IgnoredInterrupt&) = delete;
  ~IgnoredInterrupt() {
    if (ignores_) ::signal(SIGINT, previous_);
  }

private:
  bool ignores_;
  void (*previous_)(int) = SIG_DFL;
};

} // namespace

InterruptWatch::InterruptWatch() {
  RunningGroup::handleInterrupts();
  if (watches++ == 0) interruptedOnce = false;
}

InterruptWatch::~InterruptWatch() {
  if (--watches == 0) interruptedOnce = false;
}

bool InterruptWatch::wasInterrupted() { return interruptedOnce; }

Result<Ending> launch(const LaunchOptions& options) {
  const std::string name = options.program.string();
  Prepared child{.program = name,
                 .argumentTexts = options.arguments,
                 .environmentTexts = environmentWith(options.environment),
                 .arguments = {},
                 .environment = {},
                 .workingDirectory = options.workingDirectory.string(),
                 .input = options.sharesTerminal ? OwnedDescriptor(-1) : inputWith(options.standardInput),
                 .output = outputTo(options.outputFile, options.quiet),
                 .error = outputTo(options.errorFile, options.quiet),
                 .fixedAddresses = options.fixedAddresses,
                 .sharesTerminal = options.sharesTerminal,
                 .parent = ::getpid()};
  child.argumentTexts.insert(child.argumentTexts.begin(),
                             options.argumentZero.empty() ? name : options.argumentZero);
  child.arguments = pointersTo(child.argumentTexts);
  child.environment = pointersTo(child.environmentTexts);
  if (child.input.number < 0 && !options.sharesTerminal)
    return gaveUp(fmt::format("{}: cannot prepare its standard input", name));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return gaveUp(fmt::format("{}: cannot start: {}", name, std::strerror(errno)));
  OwnedDescriptor readEnd(ends[0]), writeEnd(ends[1]);
  const IgnoredInterrupt ignored(options.sharesTerminal);
  const pid_t process = startChild(child, writeEnd.number);
  if (process < 0) return gaveUp(fmt::format("{}: cannot start: {}", name, std::strerror(errno)));
  std::optional<RunningGroup> group;
  if (!options.sharesTerminal) {
    ::setpgid(process, process); // whoever comes first
    group.emplace(process);
  }
  writeEnd.close();
  int problem = 0;
  if (::read(readEnd.number, &problem, sizeof problem) == ssize_t(sizeof problem)) {
    ::waitpid(process, nullptr, 0);
    return badInput(fmt::format("{}: cannot run: {}", name, std::strerror(problem)));
  }
  return await(process, options);
}

} // namespace symbiosis
