// Randomness and the ids of process and threads: numbers that differ from run to run. They are recorded, and fed
// to the runs that repeat a recording. A controlled run that has nothing to be fed draws by its seed, which
// therefore repeats it.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include "profiler/runtime/signals.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

// SplitMix64 (Steele, Lea and Flood 2014) of the run's seed and of how much the thread has drawn before.
uint64_t drawn() {
  uint64_t state =
      control::config.seed + 0x9e3779b97f4a7c15 * (self->control.inputs + 1) + (uint64_t{self->serial} << 48);
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

uint64_t randomWord(uint64_t own) { return takeInput(control::inControl() ? drawn() : own); }

pid_t realProcess() { return pid_t(control::systemCall(SYS_getpid)); }

pid_t shownProcess = 0; // what this process was told to be, 0: nothing
pid_t actualProcess(pid_t shown) { return shown && shown == shownProcess ? realProcess() : shown; }
// The same for the calling thread.
__thread __attribute__((tls_model("initial-exec"))) pid_t shownThread = 0;

pid_t realTask() { return pid_t(control::systemCall(SYS_gettid)); }

} // namespace

namespace symbiosis::runtime {

pid_t actualTask(pid_t shown) { return shown && shown == shownThread ? realTask() : actualProcess(shown); }

bool isRandomDevice(int descriptor) {
  struct stat file;
  if (fstat(descriptor, &file) != 0 || !S_ISCHR(file.st_mode)) return false;
  return file.st_rdev == makedev(1, 8) || file.st_rdev == makedev(1, 9);
}

void fillRandomly(void* to, size_t size) {
  for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
    const size_t count = size - done < sizeof(uint64_t) ? size - done : sizeof(uint64_t);
    char* const place = static_cast<char*>(to) + done;
    uint64_t word = 0;
    memcpy(&word, place, count);
    word = randomWord(word);
    memcpy(place, &word, count);
  }
  announceFilling(to);
  recordFilled(to, size);
}

} // namespace symbiosis::runtime

extern "C" {

ssize_t getrandom(void* to, size_t size, unsigned flags) {
  FIND_REAL(getrandom);
  const ssize_t got = real(to, size, flags);
  if (!recording() && !controlling()) return got;
  fillRandomly(to, got > 0 ? size_t(got) : 0);
  return got;
}

int getentropy(void* to, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(to, size, 0) == ssize_t(size) ? 0 : -1;
}

void arc4random_buf(void* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = getrandom(static_cast<char*>(to) + done, size - done, 0);
    if (got > 0) done += size_t(got);
  }
}

uint32_t arc4random(void) {
  static uint32_t (*real)() = nullptr;
  findReal(real, "arc4random", nullptr);
  const uint32_t own = real();
  return recording() || controlling() ? uint32_t(randomWord(own)) : own;
}

uint32_t arc4random_uniform(uint32_t bound) {
  if (bound < 2) return 0;
  const uint32_t unfair = -bound % bound; // that many of the smallest numbers are one chance too many
  for (;;)
    if (const uint32_t word = arc4random(); word >= unfair) return word % bound;
}

// std::random_device::_M_getval(): reads an instruction's result inside libstdc++.
unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  static unsigned (*real)(void*) = nullptr;
  findReal(real, "_ZNSt13random_device9_M_getvalEv", nullptr);
  const unsigned own = real(device);
  return recording() || controlling() ? unsigned(randomWord(own)) : own;
}

pid_t getpid(void) noexcept {
  const pid_t own = realProcess();
  if ((!recording() && !controlling()) || !self) return own;
  const pid_t shown = pid_t(takeInput(uint64_t(own)));
  if (controlling()) shownProcess = shown;
  return shown;
}

pid_t gettid(void) noexcept {
  const pid_t own = realTask();
  if ((!recording() && !controlling()) || !self) return own;
  const auto shown = pid_t(takeInput(uint64_t(own)));
  if (controlling()) shownThread = shown;
  return shown;
}

// Who signals the process that it takes itself for means itself, and nobody else.
int kill(pid_t process, int signal) noexcept {
  FIND_REAL(kill);
  const pid_t actual = actualProcess(process);
  if (actual == realProcess() && (recording() || controlling()))
    return sendToProcess(signal, [](int number) { return real(realProcess(), number); });
  return real(actual, signal);
}

int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  FIND_REAL(sigqueue);
  return real(actualProcess(process), signal, value);
}

int tgkill(pid_t process, pid_t thread, int signal) {
  FIND_REAL(tgkill);
  return real(actualProcess(process), actualTask(thread), signal);
}

} // extern "C"
