// Waits and wakes in the kernel's own terms, which the recorder makes no records of: around them the program reads
// and writes atomics, and those are points. They are scheduled like other operations, but silently: they have no
// index of their own.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/futex.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <stdarg.h>

using namespace symbiosis;
using namespace symbiosis::runtime;
using control::silent;

namespace {

// libstdc++ makes them for futures and atomic waits.
long futex(uint32_t* word, int operation, uint32_t value, const timespec* timeout) {
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)
    return value == 1 ? control::signalOne(silent(EventKind::signal, word))
                      : control::signalAll(silent(EventKind::broadcast, word));
  control::announce(silent(EventKind::waitBegin, word));
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return -EAGAIN;
  control::Operation wake = silent(EventKind::wake, word);
  wake.timed = timeout != nullptr;
  if (control::waitForSignal(wake)) return 0;
  if (command == FUTEX_WAIT)
    control::passTime(uint64_t(timeout->tv_sec) * 1000000000 + uint64_t(timeout->tv_nsec));
  else
    control::timeOut(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, *timeout);
  return -ETIMEDOUT;
}

bool isWaitOrWake(int operation) {
  const int command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE ||
         command == FUTEX_WAKE_BITSET;
}

} // namespace

extern "C" long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_gettid) return gettid();
  long result;
  if (number == SYS_futex && control::inControl() && isWaitOrWake(int(arguments[1])))
    result = futex(reinterpret_cast<uint32_t*>(arguments[0]), int(arguments[1]), uint32_t(arguments[2]),
                   reinterpret_cast<const timespec*>(arguments[3]));
  else
    result = control::systemCall6(number, arguments);
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}
