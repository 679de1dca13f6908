// Signals that one thread sends and another waits for (sigwait and its kin). A signal that is blocked stays
// pending until somebody takes it: in a recording it is a semaphore, which who sends it posts and who waits takes;
// there is one for each thread, and one for the process, whose signals any thread may take. What comes from
// outside has no record of a post; the wait for it is recorded as an attempt at something that is never posted.
//
// Under control a thread before such a wait cannot go on until a signal of its set is pending, which the kernel
// tells
// (/proc, because it tells a thread only of its own).
#include "profiler/runtime/signals.h"
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include "trace/signal_objects.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

constexpr uint32_t kProcess = ~0u;

const void* objectOf(uint32_t serial, int signal) {
  const uint64_t thread = serial == kProcess ? 0 : uint64_t{serial} + 1;
  return reinterpret_cast<void*>(format::kSignalObjects + thread * format::kSignalsPerThread + uint64_t(signal));
}

// Bit n - 1 is signal n, as the kernel has it.
uint64_t bitsOf(const sigset_t* set) { return *reinterpret_cast<const uint64_t*>(set); }
uint64_t bitOf(int signal) { return signal > 0 && signal < 64 ? uint64_t{1} << (signal - 1) : 0; }

uint64_t blockedHere() {
  uint64_t blocked = 0;
  control::systemCall(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&blocked), sizeof blocked);
  return blocked;
}

// The number behind `name` in a file of /proc, in hexadecimal; 0: it is not there.
uint64_t numberBehind(const char* text, const char* name) {
  for (; *text; ++text) {
    const char *at = text, *wanted = name;
    while (*wanted && *at == *wanted) ++at, ++wanted;
    if (*wanted) continue;
    uint64_t number = 0;
    for (; *at == '\t' || *at == ' '; ++at) {
    }
    for (;; ++at)
      if (*at >= '0' && *at <= '9')
        number = number << 4 | uint64_t(*at - '0');
      else if (*at >= 'a' && *at <= 'f')
        number = number << 4 | uint64_t(*at - 'a' + 10);
      else
        return number;
  }
  return 0;
}

char* append(char* to, const char* text) {
  while (*text) *to++ = *text++;
  return to;
}

uint64_t pendingFor(uint32_t task) {
  char name[64], digits[16], text[4096];
  char *at = append(name, "/proc/self/task/"), *digit = digits + sizeof digits;
  *--digit = 0;
  do *--digit = char('0' + task % 10);
  while (task /= 10);
  at = append(append(at, digit), "/status");
  *at = 0;
  const int file = control::openFile(name, O_RDONLY);
  if (file < 0) return 0;
  const long size = control::systemCall(SYS_read, file, reinterpret_cast<long>(text), sizeof text - 1);
  control::closeFile(file);
  text[size > 0 ? size : 0] = 0;
  return numberBehind(text, "SigPnd:") | numberBehind(text, "ShdPnd:");
}

long takeNow(uint64_t set, siginfo_t* info, const timespec* limit) {
  return control::systemCall(SYS_rt_sigtimedwait, reinterpret_cast<long>(&set), reinterpret_cast<long>(info),
                             reinterpret_cast<long>(limit), sizeof set);
}

bool isOurs(const siginfo_t& info) {
  return (info.si_code == SI_TKILL || info.si_code == SI_USER || info.si_code == SI_QUEUE) &&
         info.si_pid == pid_t(control::systemCall(SYS_getpid));
}

void recordWait(uint64_t set, long signal, const siginfo_t& info) {
  if (!recording()) return;
  if (signal > 0 && isOurs(info)) {
    const uint32_t serial = info.si_code == SI_TKILL ? self->serial : kProcess;
    return finishWait(beginOp(EventKind::semWait, objectOf(serial, int(signal))), 0);
  }
  const int tried = signal > 0 ? 0 : __builtin_ctzll(set | bitOf(63)) + 1;
  finishWait(beginOp(EventKind::semTrywait, objectOf(kProcess, tried)), EAGAIN);
}

// The signal, or -errno.
long await(uint64_t set, siginfo_t& info, const timespec* limit) {
  if (!control::inControl()) {
    const long signal = takeNow(set, &info, limit);
    recordWait(set, signal, info);
    return signal;
  }
  control::Operation operation = control::counted(EventKind::semWait, nullptr);
  operation.signals = set;
  operation.timed = limit != nullptr;
  operation.cancellable = true;
  control::announce(operation);
  control::actOnCancellation();
  const timespec now = {0, 0};
  const long signal = takeNow(set, &info, &now);
  if (signal < 0 && limit) control::passTime(uint64_t(limit->tv_sec) * 1000000000 + uint64_t(limit->tv_nsec));
  recordWait(set, signal, info);
  return signal;
}

template <typename Call> int sendTo(uint32_t serial, int signal, Call call) {
  if (!recording() && !control::inControl()) return call();
  const void* object = objectOf(serial, signal);
  auto send = [&] {
    if (control::inControl()) control::announce(control::counted(EventKind::semPost, object));
    return call();
  };
  const int result = recording() ? recordedRelease(EventKind::semPost, object, send) : send();
  const int saved = errno;
  if (control::inControl()) control::announce(control::silent(EventKind::send, nullptr));
  errno = saved;
  return result;
}

} // namespace

namespace symbiosis::runtime {

bool isPending(uint32_t task, uint64_t set) { return (pendingFor(task) & set) != 0; }

int sendToProcess(int signal, int (*call)(int)) {
  if (!self || !(bitOf(signal) & blockedHere())) return call(signal);
  return sendTo(kProcess, signal, [&] { return call(signal); });
}

} // namespace symbiosis::runtime

extern "C" {

int sigwait(const sigset_t* set, int* signal) {
  FIND_REAL(sigwait);
  if (!recording() && !control::inControl()) return real(set, signal);
  siginfo_t info;
  long got;
  do got = await(bitsOf(set), info, nullptr);
  while (got == -EINTR);
  announceFilling(signal);
  if (got > 0) *signal = int(got);
  recordFilled(signal, got > 0 ? sizeof *signal : 0);
  return got > 0 ? 0 : int(-got);
}

int sigtimedwait(const sigset_t* set, siginfo_t* to, const timespec* limit) {
  FIND_REAL(sigtimedwait);
  if (!recording() && !control::inControl()) return real(set, to, limit);
  siginfo_t info;
  const long got = await(bitsOf(set), info, limit);
  announceFilling(to);
  if (got > 0 && to) *to = info;
  recordFilled(to, got > 0 && to ? sizeof *to : 0);
  if (got > 0) return int(got);
  errno = int(-got);
  return -1;
}

int sigwaitinfo(const sigset_t* set, siginfo_t* to) { return sigtimedwait(set, to, nullptr); }

int pthread_kill(pthread_t handle, int signal) {
  FIND_REAL(pthread_kill);
  ThreadState* peer = recording() || control::inControl() ? findThread(handle) : nullptr;
  if (!peer || signal <= 0) return real(handle, signal);
  return sendTo(peer->serial, signal, [&] { return real(handle, signal); });
}

int raise(int signal) noexcept {
  FIND_REAL(raise);
  if (!self || !(bitOf(signal) & blockedHere())) return real(signal);
  return sendTo(self->serial, signal, [&] { return real(signal); });
}

} // extern "C"
