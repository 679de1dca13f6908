// Waits and wakes in the kernel's own terms. Around them the program reads and writes atomics, and those are
// points; the waits and wakes are scheduled like other operations, but silently: they have no index of their own.
//
// What a wait returned is an input: whether the value had changed before it or somebody woke the thread decides
// what the caller does next (libstdc++ looks at errno). A schedule that comes from a solver says nothing of such
// waits, so along one of these a wait returns at once what it returned in the recorded run. That is always
// allowed, since they may wake for no reason; the reads behind it happen where the schedule has them.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <stdarg.h>

using namespace symbiosis;
using namespace symbiosis::runtime;
using control::silent;

namespace {

// The arguments of the system call. libstdc++ makes it for futures and atomic waits.
struct Futex {
  uint32_t* word;
  int operation;
  uint32_t value;
  const timespec* timeout;

  int command() const { return operation & FUTEX_CMD_MASK; }
  bool waits() const { return command() == FUTEX_WAIT || command() == FUTEX_WAIT_BITSET; }
  bool wakes() const { return command() == FUTEX_WAKE || command() == FUTEX_WAKE_BITSET; }
};

long wake(const Futex& futex) {
  return futex.value == 1 ? control::signalOne(silent(EventKind::signal, futex.word))
                          : control::signalAll(silent(EventKind::broadcast, futex.word));
}

long runOutOfTime(const Futex& futex) {
  const timespec& time = *futex.timeout;
  if (futex.command() == FUTEX_WAIT)
    control::passTime(uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec));
  else
    control::timeOut(futex.operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
  return -ETIMEDOUT;
}

long waitInControl(const Futex& futex) {
  uint64_t recorded;
  if (nextFed(Fed::wait, recorded) && control::isOnRecordedPath())
    return long(recorded) == -ETIMEDOUT && futex.timeout ? runOutOfTime(futex) : long(recorded);
  control::announce(silent(EventKind::waitBegin, futex.word));
  if (__atomic_load_n(futex.word, __ATOMIC_SEQ_CST) != futex.value) return -EAGAIN;
  control::Operation operation = silent(EventKind::wake, futex.word);
  operation.timed = futex.timeout != nullptr;
  return control::waitForSignal(operation) ? 0 : runOutOfTime(futex);
}

} // namespace

extern "C" long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_gettid) return gettid();
  const bool isAboutCores = number == SYS_sched_getaffinity || number == SYS_sched_setaffinity;
  const Futex futex{reinterpret_cast<uint32_t*>(arguments[0]), int(arguments[1]), uint32_t(arguments[2]),
                    reinterpret_cast<const timespec*>(arguments[3])};
  const bool isWait = number == SYS_futex && futex.waits(), isWake = number == SYS_futex && futex.wakes();
  long result;
  if (control::inControl() && (isWait || isWake))
    result = isWait ? waitInControl(futex) : wake(futex);
  else if (isAboutCores)
    result = coresCall(number, arguments);
  else
    result = control::systemCall6(number, arguments);
  if (isWait) noteInput(uint64_t(result), futex.word);
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}
