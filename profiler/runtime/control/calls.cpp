// System calls that may block. A thread before one is like a thread before a mutex: it cannot go on until the
// kernel says that the call would not block, which costs a poll() whenever the scheduler wants to know, and until
// then the others go on. So it is known who was served before whom, also at a pipe between two threads, and a
// schedule repeats it. Only when nobody can go on does the scheduler itself wait in the kernel. A descriptor that
// the program has made non-blocking never waits here either.
//
// Not covered: calls that libc makes inside stdio, and output to a stream socket that takes only a part at once.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace symbiosis::runtime::control {

namespace {

long pollNow(pollfd* descriptors, uint32_t count, int milliseconds) {
  return systemCall(SYS_poll, reinterpret_cast<long>(descriptors), count, milliseconds);
}

} // namespace

// An error is an answer too: the call will get it.
bool isReady(const Operation& operation) {
  return !operation.awaits || pollNow(operation.awaits, operation.awaited, 0) != 0;
}

bool awaitAnyCall() {
  constexpr uint32_t kMost = 256;
  static pollfd all[kMost];
  uint32_t count = 0;
  for (uint32_t i = 0; i < liveCount; ++i) {
    const ControlledThread& control = live[i]->control;
    if (control.phase != Phase::waiting || !control.pending.awaits) continue;
    for (uint32_t j = 0; j < control.pending.awaited && count < kMost; ++j)
      all[count++] = control.pending.awaits[j];
  }
  if (count == 0) return false;
  const uint32_t holder = status->holder;
  status->holder = ~0u;
  pollNow(all, count, -1);
  status->holder = holder;
  return true;
}

bool awaitCall(const Operation& operation) {
  constexpr int kPatience = 2000; // milliseconds
  return operation.awaits && pollNow(operation.awaits, operation.awaited, kPatience) != 0;
}

} // namespace symbiosis::runtime::control

namespace {

bool isBlocking(int descriptor) {
  const long flags = control::systemCall(SYS_fcntl, descriptor, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

// Returns when the thread may make the call. `descriptor` must be ready for `events` (POLLIN, POLLOUT). A call
// that fills a buffer is a write to it.
void beforeCall(int descriptor, short events, const void* fills = nullptr) {
  pollfd awaited = {descriptor, events, 0};
  control::Operation operation =
      fills ? control::counted(EventKind::write, fills)
            : control::silent(EventKind::input, reinterpret_cast<void*>(uintptr_t(unsigned(descriptor)) + 1));
  if (isBlocking(descriptor)) {
    operation.awaits = &awaited;
    operation.awaited = 1;
  }
  operation.cancellable = true;
  control::announce(operation);
  if (fills && recording() && control::mustCancel(*self)) takeRequest(spareSlot());
  control::actOnCancellation();
}

bool isPipe(int descriptor) {
  struct stat file;
  return fstat(descriptor, &file) == 0 && S_ISFIFO(file.st_mode);
}

// Pipes and sockets; not files and terminals.
bool isChannel(int descriptor) {
  struct stat file;
  return recording() && fstat(descriptor, &file) == 0 && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode));
}

// A call with a time limit of its own; false: the time has run out.
bool beforeTimedCall(pollfd* descriptors, uint32_t count, int milliseconds) {
  control::Operation operation = control::silent(EventKind::input, nullptr);
  operation.awaits = descriptors;
  operation.awaited = count;
  operation.timed = milliseconds >= 0;
  operation.cancellable = true;
  control::announce(operation);
  control::actOnCancellation();
  if (control::isReady(operation)) return true;
  control::passTime(uint64_t(milliseconds) * 1000000);
  return false;
}

} // namespace

// Outside of control, what the program would have called; in control that, too, but not before it can be done.
// FILL: one that returns how many bytes it has put to `to`.
#define FILL(name, descriptor, to, ...)                                                                           \
  FIND_REAL(name);                                                                                                \
  if (control::inControl()) beforeCall(descriptor, POLLIN, to);                                                   \
  const ssize_t got = real(__VA_ARGS__);                                                                          \
  recordFilled(to, got > 0 ? (size_t(got) < size ? size_t(got) : size) : 0, isChannel(descriptor));               \
  return got
#define WAIT_FOR(name, descriptor, events)                                                                        \
  FIND_REAL(name);                                                                                                \
  if (control::inControl()) beforeCall(descriptor, events)

extern "C" {

ssize_t read(int descriptor, void* to, size_t size) {
  if ((recording() || controlling()) && isRandomDevice(descriptor)) return getrandom(to, size, 0);
  FILL(read, descriptor, to, descriptor, to, size);
}
ssize_t readv(int descriptor, const iovec* parts, int count) {
  WAIT_FOR(readv, descriptor, POLLIN);
  return real(descriptor, parts, count);
}
ssize_t recv(int descriptor, void* to, size_t size, int flags) {
  FILL(recv, descriptor, to, descriptor, to, size, flags);
}
ssize_t recvfrom(int descriptor, void* to, size_t size, int flags, sockaddr* from, socklen_t* length) {
  FILL(recvfrom, descriptor, to, descriptor, to, size, flags, from, length);
}
ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  WAIT_FOR(recvmsg, descriptor, POLLIN);
  return real(descriptor, message, flags);
}
int accept(int descriptor, sockaddr* peer, socklen_t* length) {
  WAIT_FOR(accept, descriptor, POLLIN);
  return real(descriptor, peer, length);
}
int accept4(int descriptor, sockaddr* peer, socklen_t* length, int flags) {
  WAIT_FOR(accept4, descriptor, POLLIN);
  return real(descriptor, peer, length, flags);
}
ssize_t send(int descriptor, const void* from, size_t size, int flags) {
  WAIT_FOR(send, descriptor, POLLOUT);
  return real(descriptor, from, size, flags);
}

// A pipe that is ready takes PIPE_BUF bytes; more than that is written in pieces, as the kernel would do it.
ssize_t write(int descriptor, const void* from, size_t size) {
  FIND_REAL(write);
  if (!control::inControl()) return real(descriptor, from, size);
  beforeCall(descriptor, POLLOUT);
  if (size <= PIPE_BUF || !isPipe(descriptor) || !isBlocking(descriptor)) return real(descriptor, from, size);
  size_t written = 0;
  for (;;) {
    const size_t rest = size - written;
    const ssize_t put =
        real(descriptor, static_cast<const char*>(from) + written, rest < PIPE_BUF ? rest : PIPE_BUF);
    if (put < 0) return written ? ssize_t(written) : put;
    written += size_t(put);
    if (written == size) return ssize_t(size);
    beforeCall(descriptor, POLLOUT);
  }
}

int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  FIND_REAL(poll);
  if (control::inControl()) beforeTimedCall(descriptors, uint32_t(count), milliseconds);
  return real(descriptors, count, control::inControl() ? 0 : milliseconds);
}

int epoll_wait(int descriptor, epoll_event* events, int most, int milliseconds) {
  FIND_REAL(epoll_wait);
  pollfd awaited = {descriptor, POLLIN, 0};
  if (control::inControl()) beforeTimedCall(&awaited, 1, milliseconds);
  return real(descriptor, events, most, control::inControl() ? 0 : milliseconds);
}

} // extern "C"
