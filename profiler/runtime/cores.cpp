// The cores that the program has. Under control its process is pinned to one of them, since only one thread runs
// at a time; but how many there are decides how many workers most programs start. So whoever asks is answered as
// if nobody had pinned anything: what a thread may run on is kept here (`ControlledThread::cores`), and what the
// kernel or libc say is asked with the pin taken off. The answers are inputs: recorded, and fed to the runs that
// repeat a recording, perhaps on another machine.
//
// Not covered: children that are started without fork() (posix_spawn, system) inherit the pin, and
// /proc/self/status shows it.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;
using control::systemCall;

namespace {

using Cores = control::CoreSet;

// What the process is pinned to; empty: to nothing.
Cores pin = {};
bool isPinned = false;

long getCores(pid_t task, Cores& cores) {
  cores = {};
  return systemCall(SYS_sched_getaffinity, task, sizeof cores, reinterpret_cast<long>(&cores));
}
long setCores(pid_t task, const Cores& cores) {
  return systemCall(SYS_sched_setaffinity, task, sizeof cores, reinterpret_cast<long>(&cores));
}
bool isSame(const Cores& one, const Cores& other) { return memcmp(&one, &other, sizeof one) == 0; }

bool isShown() { return isPinned && control::inControl(); }

// While it lives, the calling thread may run where the program thinks that it does.
class Unpinned {
public:
  Unpinned() {
    if (shown_) setCores(0, self->control.cores);
  }
  Unpinned(const Unpinned&) = delete;
  ~Unpinned() {
    if (shown_) setCores(0, pin);
  }

private:
  const bool shown_ = isShown();
};

ThreadState* threadOf(pid_t task) {
  if (task == 0) return self;
  for (uint32_t i = 0; i < control::liveCount; ++i)
    if (control::live[i]->control.task == uint32_t(task)) return control::live[i];
  return nullptr;
}

bool isInput() { return (recording() || controlling()) && self; }

// 0: nobody whom we know. One that has been created is about to say which task it is.
pid_t taskOf(pthread_t handle) {
  const ThreadState* thread = isInput() ? findThread(handle) : nullptr;
  if (!thread) return 0;
  for (;;) {
    if (const uint32_t task = __atomic_load_n(&thread->control.task, __ATOMIC_RELAXED)) return pid_t(task);
    systemCall(SYS_sched_yield);
  }
}

// A count that the program asks libc for.
template <typename Count> long countOf(Count real) {
  long own;
  {
    const Unpinned here;
    own = real();
  }
  return isInput() ? long(takeInput(uint64_t(own))) : own;
}

// Like the system call: how many bytes there are, or -errno.
long coresOf(pid_t shownTask, size_t size, void* to) {
  const pid_t task = actualTask(shownTask);
  Cores cores = {};
  const size_t room = size < sizeof cores ? size : sizeof cores;
  long got = systemCall(SYS_sched_getaffinity, task, long(room), reinterpret_cast<long>(&cores));
  if (isShown())
    if (const ThreadState* thread = threadOf(task)) cores = thread->control.cores;
  for (long i = 0; i * long(sizeof cores.words[0]) < got; ++i) cores.words[i] = takeInput(cores.words[i]);
  announceFilling(to);
  if (got > 0 && !to) got = -EFAULT;
  if (got > 0) memcpy(to, &cores, size_t(got));
  recordFilled(to, got > 0 ? size_t(got) : 0);
  return got;
}

// What the kernel makes of it is what is shown.
long chooseCores(pid_t shownTask, size_t size, const void* from) {
  const pid_t task = actualTask(shownTask);
  const long result = systemCall(SYS_sched_setaffinity, task, long(size), reinterpret_cast<long>(from));
  ThreadState* thread = result == 0 && isShown() ? threadOf(task) : nullptr;
  if (!thread) return result;
  getCores(task, thread->control.cores);
  setCores(task, pin);
  return result;
}

int withErrno(long result) {
  if (result >= 0) return 0;
  errno = int(-result);
  return -1;
}

} // namespace

namespace symbiosis::runtime {

void control::pinProcess() {
  unsigned here = 0;
  Cores all;
  if (getCores(0, all) <= 0 || systemCall(SYS_getcpu, reinterpret_cast<long>(&here), 0, 0) != 0) return;
  if (here >= 8 * sizeof pin) return;
  pin.words[here / 64] = uint64_t{1} << here % 64;
  isPinned = setCores(0, pin) == 0;
  self->control.cores = all;
}

void control::pinThread(ThreadState& thread) {
  Cores own;
  if (!isPinned || getCores(0, own) <= 0 || isSame(own, pin)) return;
  thread.control.cores = own; // asked for where it was created
  setCores(0, pin);
}

void control::unpinChild() {
  if (isPinned && self) setCores(0, self->control.cores);
}

long coresCall(long number, const long (&arguments)[6]) {
  if (!isInput()) return control::systemCall6(number, arguments);
  const auto task = pid_t(arguments[0]);
  const auto size = size_t(uint32_t(arguments[1]));
  void* const cores = reinterpret_cast<void*>(arguments[2]);
  return number == SYS_sched_getaffinity ? coresOf(task, size, cores) : chooseCores(task, size, cores);
}

} // namespace symbiosis::runtime

extern "C" {

int sched_getaffinity(pid_t task, size_t size, cpu_set_t* to) noexcept {
  FIND_REAL(sched_getaffinity);
  if (!isInput()) return real(task, size, to);
  const long got = coresOf(task, size, to);
  if (got >= 0 && size_t(got) < size) memset(reinterpret_cast<char*>(to) + got, 0, size - size_t(got));
  return withErrno(got);
}

int sched_setaffinity(pid_t task, size_t size, const cpu_set_t* from) noexcept {
  FIND_REAL(sched_setaffinity);
  return isInput() ? withErrno(chooseCores(task, size, from)) : real(task, size, from);
}

int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* to) noexcept {
  FIND_REAL(pthread_getaffinity_np);
  const pid_t task = taskOf(handle);
  if (!task) return real(handle, size, to);
  const long got = coresOf(task, size, to);
  if (got < 0) return int(-got);
  if (size_t(got) < size) memset(reinterpret_cast<char*>(to) + got, 0, size - size_t(got));
  return 0;
}

int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t* from) noexcept {
  FIND_REAL(pthread_setaffinity_np);
  const pid_t task = taskOf(handle);
  if (!task) return real(handle, size, from);
  return int(-chooseCores(task, size, from));
}

long sysconf(int name) noexcept {
  FIND_REAL(sysconf);
  if (name != _SC_NPROCESSORS_ONLN && name != _SC_NPROCESSORS_CONF) return real(name);
  return countOf([&] { return real(name); });
}

// std::thread::hardware_concurrency() is this.
int get_nprocs(void) noexcept {
  FIND_REAL(get_nprocs);
  return int(countOf([&] { return long(real()); }));
}

int get_nprocs_conf(void) noexcept {
  FIND_REAL(get_nprocs_conf);
  return int(countOf([&] { return long(real()); }));
}

int sched_getcpu(void) noexcept {
  FIND_REAL(sched_getcpu);
  const int own = real();
  return isInput() ? int(takeInput(uint64_t(own))) : own;
}

} // extern "C"
