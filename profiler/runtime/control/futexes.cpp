// Waits and wakes in the kernel's own terms. Around them the program reads and writes atomics, and those are
// points, like the waits and wakes themselves.
//
// What a wait returned is an input: whether the value had changed before it or somebody woke the thread decides
// what the caller does next (libstdc++ looks at errno). A schedule that comes from a solver says nothing of waits
// that ended, so along one of these a wait returns at once what it returned in the recorded run. That is always
// allowed, since they may wake for no reason; the reads behind it happen where the schedule has them.
//
// A wait is two records: that the thread stands in the queue, and that it was woken. When it ends, the first is
// made one that did nothing and the second an input; of a wait that never ends they stay what they are.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <stdarg.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

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

long wakeInControl(const Futex& futex) {
  const control::Operation operation = control::counted(EventKind::futexWake, futex.word);
  return futex.value == 1 ? control::signalOne(operation) : control::signalAll(operation);
}

// A wake that has woken as many as it may is lost for all others; one that wakes everybody never is.
long wake(const Futex& futex, const long (&arguments)[6]) {
  long result = 0;
  auto call = [&] {
    result = control::inControl() ? wakeInControl(futex) : control::systemCall6(SYS_futex, arguments);
    return result < 0 || (futex.value == 1 && result == 1) ? 1 : 0;
  };
  if (recording())
    recordedRelease(EventKind::futexWake, futex.word, call);
  else
    call();
  return result;
}

long runOutOfTime(const Futex& futex) {
  const timespec& time = *futex.timeout;
  if (futex.command() == FUTEX_WAIT)
    control::passTime(uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec));
  else
    control::timeOut(futex.operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
  return -ETIMEDOUT;
}

// Two points, however it ends.
long waitInControl(const Futex& futex) {
  uint64_t recorded;
  if (nextFed(Fed::wait, recorded) && control::isOnRecordedPath()) {
    control::announce(control::counted(EventKind::futexWait, futex.word));
    const bool waited = recorded == 0 || long(recorded) == -ETIMEDOUT;
    control::Operation end = control::counted(waited ? EventKind::futexWoken : EventKind::input, futex.word);
    end.signalled = true;
    control::announce(end);
    return long(recorded) == -ETIMEDOUT && futex.timeout ? runOutOfTime(futex) : long(recorded);
  }
  control::announce(control::counted(EventKind::futexWait, futex.word));
  if (__atomic_load_n(futex.word, __ATOMIC_SEQ_CST) != futex.value) {
    countedPoint(EventKind::input, nullptr);
    return -EAGAIN;
  }
  control::Operation operation = control::counted(EventKind::futexWoken, futex.word);
  operation.timed = futex.timeout != nullptr;
  return control::waitForSignal(operation) ? 0 : runOutOfTime(futex);
}

long wait(const Futex& futex, const long (&arguments)[6]) {
  auto call = [&] {
    return control::inControl() ? waitInControl(futex) : control::systemCall6(SYS_futex, arguments);
  };
  if (!recording()) return call();
  reserveSlots(8); // all of them must be in memory until it is over
  format::OpSlot* begin = beginOp(EventKind::futexWait, futex.word, {.argument = futex.value});
  finishOp(begin, 0);
  const uint8_t flags = futex.timeout ? format::kOpTimed : 0;
  format::OpSlot* woken = beginOp(EventKind::futexWoken, futex.word, {.flags = flags});
  const long result = call();
  finishOp(begin, 1);
  reinterpret_cast<format::OpArgument*>(woken + 1)->argument = uint64_t(result);
  changeKind(woken, EventKind::input);
  finishOp(woken, 0);
  return result;
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
  if (isWait)
    result = wait(futex, arguments);
  else if (isWake)
    result = wake(futex, arguments);
  else if (isAboutCores)
    result = coresCall(number, arguments);
  else
    result = control::systemCall6(number, arguments);
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}
