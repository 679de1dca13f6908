// Whether the world outside of the process can still do something for those who wait. If every descriptor that is
// waited for has both of its ends in this process, and there is neither a child nor a timer, nobody can: then threads
// that wait in poll() wait for each other, like those at a mutex. Asked only when nobody can go on.
#include "profiler/runtime/channels.h"
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include <errno.h>
#include <sys/time.h>
#include <sys/wait.h>

namespace symbiosis::runtime::control {
namespace {

bool beginsWith(const char* text, const char* begin) {
  while (*begin && *text == *begin) ++text, ++begin;
  return *begin == 0;
}

// Of a file of /proc; what does not fit is left out. 0: it is empty, or cannot be read.
size_t readProc(const char* name, char* to, size_t size) {
  const int file = openFile(name, O_RDONLY);
  if (file < 0) return 0;
  size_t length = 0;
  for (long got = 1; got > 0 && length + 1 < size; length += got > 0 ? size_t(got) : 0)
    got = systemCall(SYS_read, file, reinterpret_cast<long>(to + length), long(size - 1 - length));
  closeFile(file);
  to[length] = 0;
  return length;
}

bool hasChildren() {
  siginfo_t ended = {};
  const long arguments[6] = {P_ALL, 0, reinterpret_cast<long>(&ended), WEXITED | WNOHANG | WNOWAIT, 0, 0};
  return processHeader->forked != 0 || systemCall6(SYS_waitid, arguments) != -ECHILD;
}

bool hasTimers() {
  itimerval real = {};
  char text[8];
  systemCall(SYS_getitimer, ITIMER_REAL, reinterpret_cast<long>(&real));
  return real.it_value.tv_sec || real.it_value.tv_usec || readProc("/proc/self/timers", text, sizeof text) > 0;
}

// "/proc/self/" and what follows, for a descriptor.
void nameOfDescriptor(char (&name)[64], const char* folder, int descriptor) {
  char digits[12];
  size_t at = sizeof digits;
  digits[--at] = 0;
  for (unsigned rest = unsigned(descriptor); at == sizeof digits - 1 || rest; rest /= 10)
    digits[--at] = char('0' + rest % 10);
  const size_t length = copyText(name, sizeof name, folder);
  copyText(name + length, sizeof name - length, digits + at);
}

bool isEpoll(int descriptor) {
  char name[64], target[32] = {};
  nameOfDescriptor(name, "/proc/self/fd/", descriptor);
  systemCall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(name), reinterpret_cast<long>(target),
             sizeof target - 1);
  return beginsWith(target, "anon_inode:[eventpoll]");
}

bool isReachable(int descriptor, int depth);

// One of those that it watches ("tfd:        5 events: …") is.
bool watchesReachable(int epoll, int depth) {
  static char text[16384];
  char name[64];
  nameOfDescriptor(name, "/proc/self/fdinfo/", epoll);
  if (readProc(name, text, sizeof text) + 1 >= sizeof text) return true; // there are too many to know
  int watched[256];
  int count = 0;
  for (const char* at = text; *at; ++at) {
    if (!beginsWith(at, "tfd:")) continue;
    if (count == 256) return true;
    for (at += 4; *at == ' ' || *at == '\t';) ++at;
    int descriptor = 0;
    for (; *at >= '0' && *at <= '9'; ++at) descriptor = descriptor * 10 + (*at - '0');
    watched[count++] = descriptor;
    if (!*at) break;
  }
  for (int i = 0; i < count; ++i)
    if (isReachable(watched[i], depth + 1)) return true;
  return false;
}

bool isReachable(int descriptor, int depth) {
  constexpr int kDeepest = 3;
  if (descriptor < 0 || isWithinProcess(descriptor)) return false;
  return depth > kDeepest || !isEpoll(descriptor) || watchesReachable(descriptor, depth);
}

} // namespace

bool canOutsideHelp(const pollfd* descriptors, uint32_t count) {
  if (hasChildren() || hasTimers()) return true;
  for (uint32_t i = 0; i < count; ++i)
    if (isReachable(descriptors[i].fd, 0)) return true;
  return false;
}

} // namespace symbiosis::runtime::control
