// Time under control is virtual: nobody sleeps, a sleep is a wish to let others go first, and clocks show a time
// that only sleeping and looking at them moves forward. So the same schedule sees the same times.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

constexpr uint64_t kSecond = 1000000000;
constexpr uint64_t kLook = 1000;                  // what looking at a clock takes
constexpr uint64_t kEpoch = 1700000000 * kSecond; // where the calendar's clocks begin
uint64_t now = 1000 * kSecond;

void pause(uint64_t nanoseconds) {
  control::Operation operation = {};
  operation.kind = format::kPause;
  operation.lazy = true;
  control::announce(operation);
  now += nanoseconds;
}

void sleepFor(uint64_t nanoseconds) {
  pause(nanoseconds);
  control::actOnCancellation();
}

uint64_t nanoseconds(const timespec& time) { return uint64_t(time.tv_sec) * kSecond + uint64_t(time.tv_nsec); }

bool isCalendar(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

// What the clock shows: under control the virtual time, or what it was in the run that is repeated.
uint64_t look(clockid_t clock) {
  now += kLook;
  const uint64_t epoch = isCalendar(clock) ? kEpoch : 0;
  const uint64_t shown = takeInput(now + epoch);
  if (shown > now + epoch) now = shown - epoch; // never backwards afterwards
  return shown;
}

template <typename Function> Function* next(Function*& known, const char* name) {
  if (!known) known = reinterpret_cast<Function*>(nextDefinition(name));
  return known;
}

} // namespace

namespace symbiosis::runtime::control {

void passTime(uint64_t nanoseconds) { now += nanoseconds; }

void timeOut(clockid_t clock, const timespec& deadline) {
  const uint64_t epoch = isCalendar(clock) ? kEpoch : 0;
  const uint64_t then = nanoseconds(deadline);
  if (then > epoch + now) now = then - epoch;
  ++now;
}

} // namespace symbiosis::runtime::control

extern "C" int usleep(useconds_t microseconds) {
  static decltype(usleep)* real = nullptr;
  if (!control::inControl()) return next(real, "usleep")(microseconds);
  sleepFor(uint64_t{microseconds} * 1000);
  return 0;
}

extern "C" unsigned sleep(unsigned seconds) {
  static decltype(sleep)* real = nullptr;
  if (!control::inControl()) return next(real, "sleep")(seconds);
  sleepFor(seconds * kSecond);
  return 0;
}

extern "C" int nanosleep(const timespec* time, timespec* rest) {
  static decltype(nanosleep)* real = nullptr;
  if (!control::inControl()) return next(real, "nanosleep")(time, rest);
  sleepFor(nanoseconds(*time));
  return 0;
}

extern "C" int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  static decltype(clock_nanosleep)* real = nullptr;
  if (!control::inControl()) return next(real, "clock_nanosleep")(clock, flags, time, rest);
  uint64_t wait = nanoseconds(*time);
  if (flags & TIMER_ABSTIME) {
    const uint64_t present = now + (isCalendar(clock) ? kEpoch : 0);
    wait = wait > present ? wait - present : 0;
  }
  sleepFor(wait);
  return 0;
}

extern "C" int sched_yield(void) noexcept {
  static decltype(sched_yield)* real = nullptr;
  if (!control::inControl()) return next(real, "sched_yield")();
  pause(0);
  return 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static decltype(clock_gettime)* real = nullptr;
  if (!control::inControl()) {
    const int result = next(real, "clock_gettime")(clock, time);
    if (recording() && result == 0) takeInput(nanoseconds(*time));
    return result;
  }
  const uint64_t shown = look(clock);
  time->tv_sec = time_t(shown / kSecond);
  time->tv_nsec = long(shown % kSecond);
  return 0;
}

extern "C" int gettimeofday(timeval* time, void* zone) noexcept {
  static decltype(gettimeofday)* real = nullptr;
  if (!control::inControl()) {
    const int result = next(real, "gettimeofday")(time, zone);
    if (recording() && result == 0) takeInput(uint64_t(time->tv_sec) * kSecond + uint64_t(time->tv_usec) * 1000);
    return result;
  }
  const uint64_t shown = look(CLOCK_REALTIME);
  time->tv_sec = time_t(shown / kSecond);
  time->tv_usec = suseconds_t(shown % kSecond / 1000);
  return 0;
}

extern "C" time_t time(time_t* out) noexcept {
  static decltype(time)* real = nullptr;
  if (!control::inControl()) {
    const time_t result = next(real, "time")(out);
    if (recording()) takeInput(uint64_t(result) * kSecond);
    return result;
  }
  const time_t shown = time_t(look(CLOCK_REALTIME) / kSecond);
  if (out) *out = shown;
  return shown;
}

extern "C" int timespec_get(timespec* time, int base) noexcept {
  static decltype(timespec_get)* real = nullptr;
  if (base != TIME_UTC) return next(real, "timespec_get")(time, base);
  return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

extern "C" clock_t clock(void) noexcept {
  static decltype(clock)* real = nullptr;
  if (!control::inControl()) {
    const clock_t result = next(real, "clock")();
    if (recording()) takeInput(uint64_t(result) * (kSecond / CLOCKS_PER_SEC));
    return result;
  }
  return clock_t(look(CLOCK_PROCESS_CPUTIME_ID) / (kSecond / CLOCKS_PER_SEC));
}
