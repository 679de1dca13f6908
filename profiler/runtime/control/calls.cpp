// System calls that may block. A thread before one is like a thread before a mutex: it cannot go on until the
// kernel says that the call would not block, which costs a poll() whenever the scheduler wants to know, and until
// then the others go on. So it is known who was served before whom, also at a pipe between two threads, and a
// schedule repeats it. Only when nobody can go on does the scheduler itself wait in the kernel. A descriptor that
// the program has made non-blocking never waits here either.
//
// Not covered: calls that libc makes inside stdio, and output to a stream socket that takes only a part at once.
#include "profiler/runtime/channels.h"
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
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
  constexpr int kSignalPatience = 2; // milliseconds: a signal wakes nobody who polls
  uint32_t count = 0;
  bool awaitsSignals = false;
  for (uint32_t i = 0; i < liveCount; ++i) {
    const ControlledThread& control = live[i]->control;
    if (control.phase != Phase::waiting) continue;
    awaitsSignals |= control.pending.signals != 0;
    if (!control.pending.awaits) continue;
    for (uint32_t j = 0; j < control.pending.awaited && count < kMost; ++j)
      all[count++] = control.pending.awaits[j];
  }
  if (!awaitsSignals && (count == 0 || !canOutsideHelp(all, count))) return false;
  const uint32_t holder = status->holder;
  status->holder = ~0u;
  pollNow(all, count, awaitsSignals ? kSignalPatience : -1);
  status->holder = holder;
  return true;
}

bool awaitCall(const Operation& operation) {
  constexpr int kPatience = 2000; // milliseconds
  if (!operation.awaits) return false;
  if (isReady(operation)) return true;
  return canOutsideHelp(operation.awaits, operation.awaited) &&
         pollNow(operation.awaits, operation.awaited, kPatience) != 0;
}

} // namespace symbiosis::runtime::control

namespace {

bool isBlocking(int descriptor) {
  const long flags = control::systemCall(SYS_fcntl, descriptor, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

control::Operation silentCall(int descriptor) {
  return control::silent(EventKind::input, reinterpret_cast<void*>(uintptr_t(unsigned(descriptor)) + 1));
}

// Returns when the thread may make the call, which it announces as `operation`. `descriptor` must be ready for
// `events` (POLLIN, POLLOUT; 0: nothing).
void beforeCall(int descriptor, short events, control::Operation operation) {
  pollfd awaited = {descriptor, events, 0};
  if (events && isBlocking(descriptor)) {
    operation.awaits = &awaited;
    operation.awaited = 1;
  }
  operation.cancellable = true;
  // What is read from a channel changes its count, too, and may stand in a schedule as that.
  operation.anyAccess = operation.counted;
  control::announce(operation);
  if (operation.counted && recording() && control::mustCancel(*self)) takeRequest(spareSlot());
  control::actOnCancellation();
}

bool isPipe(int descriptor) {
  struct stat file;
  return fstat(descriptor, &file) == 0 && S_ISFIFO(file.st_mode);
}

bool isWatchedChannel(int descriptor) { return (recording() || control::inControl()) && isChannel(descriptor); }

// What a call that has taken `got` of `size` bytes says about its channel.
format::ChannelUse takenFrom(int descriptor, const void* to, ssize_t got, size_t size) {
  const uint64_t channel = channelOf(descriptor, Flow::in);
  uint64_t units = got > 0 ? uint64_t(got) : 0;
  if (got == sizeof units && isEventfd(descriptor)) {
    __builtin_memcpy(&units, to, sizeof units);
    return noteTaken(channel, units, givesAll(descriptor));
  }
  if (got < 0) return noteTaken(channel, 0, errno == EAGAIN);
  return noteTaken(channel, units, units < size && !(got > 0 && isDatagram(descriptor)));
}

// A call that has taken bytes out of a channel, or from elsewhere.
void recordTaken(int descriptor, const void* to, ssize_t got, size_t size) {
  if (!recording()) return;
  const int saved = errno;
  const size_t filled = got > 0 ? (size_t(got) < size ? size_t(got) : size) : 0;
  if (isChannel(descriptor)) {
    const format::ChannelUse use = takenFrom(descriptor, to, got, size);
    recordFilled(to, filled, &use);
  } else {
    recordFilled(to, filled);
  }
  errno = saved;
}

// A call that may make somebody at the other end ready. Under control it has a point before it, of an index, and
// one behind it: who was waiting may go on before the sender does anything else. `channel` is asked before the
// call; `units` are sent if it returns `success`.
template <typename Call, typename Channel, typename Result>
Result sending(int descriptor, short events, Call call, Channel channel, uint64_t units, Result success) {
  if (!control::inControl()) {
    if (recording()) recordSent(noteSent(channel(), units)); // counts from the first: another thread may see it
    return call();
  }
  beforeCall(descriptor, events, control::counted(EventKind::send, nullptr));
  const uint64_t to = recording() ? channel() : 0;
  const Result result = call();
  const int saved = errno;
  const uint64_t sent = result == success ? units : result > 0 ? uint64_t(result) : 0;
  if (recording()) recordSent(noteSent(to, sent));
  control::announce(control::silent(EventKind::send, nullptr));
  errno = saved;
  return result;
}

template <typename Call> ssize_t sendingBytes(int descriptor, const void* from, size_t size, Call call) {
  uint64_t units = size;
  if (size == sizeof units && isEventfd(descriptor)) __builtin_memcpy(&units, from, sizeof units);
  return sending(
      descriptor, POLLOUT, call, [&] { return channelOf(descriptor, Flow::out); }, units, ssize_t(size));
}

size_t sizeOfParts(const iovec* parts, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; ++i) size += parts[i].iov_len;
  return size;
}

// A pipe that is ready takes PIPE_BUF bytes; more than that is written in pieces, as the kernel would do it.
template <typename Real> ssize_t writeInPieces(Real real, int descriptor, const void* from, size_t size) {
  if (!control::inControl() || size <= PIPE_BUF || !isPipe(descriptor) || !isBlocking(descriptor))
    return real(descriptor, from, size);
  size_t written = 0;
  for (;;) {
    const size_t rest = size - written;
    const ssize_t put =
        real(descriptor, static_cast<const char*>(from) + written, rest < PIPE_BUF ? rest : PIPE_BUF);
    if (put < 0) return written ? ssize_t(written) : put;
    written += size_t(put);
    if (written == size) return ssize_t(size);
    beforeCall(descriptor, POLLOUT, silentCall(descriptor));
  }
}

// The end of what is sent: `descriptor` is closed, or nothing more is sent through it.
template <typename Call> int ending(int descriptor, bool sends, Call call) {
  return sending(
      descriptor, 0, call, [&] { return sends ? channelOf(descriptor, Flow::out) : 0; }, format::kChannelEnd, 0);
}

bool canSend(int descriptor) {
  const long flags = control::systemCall(SYS_fcntl, descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

// A connection that is taken from those who have asked for one.
template <typename Call> int accepting(int descriptor, Call call) {
  if (control::inControl()) beforeCall(descriptor, POLLIN, control::counted(EventKind::write, nullptr));
  const int accepted = call();
  if (!recording()) return accepted;
  const int saved = errno;
  const format::ChannelUse use = noteTaken(channelOfListener(descriptor), accepted >= 0, false);
  recordFilled(nullptr, 0, &use);
  errno = saved;
  return accepted;
}

template <typename Call> int tellingTwo(int* ends, Call call) {
  announceFilling(ends);
  const int result = call();
  recordFilled(ends, result == 0 ? 2 * sizeof *ends : 0);
  return result;
}

template <typename Call> int tellingPipe(int* ends, Call call) {
  const int result = tellingTwo(ends, call);
  if (result == 0 && (recording() || controlling())) notePipe(ends[0]);
  return result;
}

} // namespace

// Outside of control, what the program would have called; in control that, too, but not before it can be done.
// FILL: one that returns how many bytes it has put to `to`.
#define FILL(name, descriptor, to, ...)                                                                           \
  FIND_REAL(name);                                                                                                \
  if (control::inControl()) beforeCall(descriptor, POLLIN, control::counted(EventKind::write, to));               \
  const ssize_t got = real(__VA_ARGS__);                                                                          \
  recordTaken(descriptor, to, got, size);                                                                         \
  return got
#define WAIT_FOR(name, descriptor, events)                                                                        \
  FIND_REAL(name);                                                                                                \
  if (control::inControl()) beforeCall(descriptor, events, silentCall(descriptor))

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
  FIND_REAL(accept);
  return accepting(descriptor, [&] { return real(descriptor, peer, length); });
}
int accept4(int descriptor, sockaddr* peer, socklen_t* length, int flags) {
  FIND_REAL(accept4);
  return accepting(descriptor, [&] { return real(descriptor, peer, length, flags); });
}
int connect(int descriptor, const sockaddr* address, socklen_t length) {
  FIND_REAL(connect);
  auto call = [&] { return real(descriptor, address, length); };
  if (!isWatchedChannel(descriptor)) return call();
  return sending(descriptor, 0, call, [&] { return channelTo(address); }, 1, 0);
}
ssize_t send(int descriptor, const void* from, size_t size, int flags) {
  FIND_REAL(send);
  auto call = [&] { return real(descriptor, from, size, flags); };
  return isWatchedChannel(descriptor) ? sendingBytes(descriptor, from, size, call) : call();
}
ssize_t sendto(int descriptor, const void* from, size_t size, int flags, const sockaddr* to, socklen_t length) {
  FIND_REAL(sendto);
  auto call = [&] { return real(descriptor, from, size, flags, to, length); };
  return isWatchedChannel(descriptor) ? sendingBytes(descriptor, from, size, call) : call();
}
ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  FIND_REAL(sendmsg);
  auto call = [&] { return real(descriptor, message, flags); };
  if (!isWatchedChannel(descriptor)) return call();
  return sendingBytes(descriptor, nullptr, sizeOfParts(message->msg_iov, message->msg_iovlen), call);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  FIND_REAL(writev);
  auto call = [&] { return real(descriptor, parts, count); };
  if (isWatchedChannel(descriptor) && !isEventfd(descriptor))
    return sendingBytes(descriptor, nullptr, sizeOfParts(parts, size_t(count)), call);
  if (control::inControl()) beforeCall(descriptor, POLLOUT, silentCall(descriptor));
  return call();
}

ssize_t write(int descriptor, const void* from, size_t size) {
  FIND_REAL(write);
  auto call = [&] { return writeInPieces(real, descriptor, from, size); };
  if (isWatchedChannel(descriptor)) return sendingBytes(descriptor, from, size, call);
  if (control::inControl()) beforeCall(descriptor, POLLOUT, silentCall(descriptor));
  return call();
}

int close(int descriptor) {
  FIND_REAL(close);
  const bool isWatched = isWatchedChannel(descriptor);
  auto call = [&] {
    forgetDescriptor(descriptor);
    return real(descriptor);
  };
  return isWatched ? ending(descriptor, canSend(descriptor), call) : call();
}

int shutdown(int descriptor, int how) noexcept {
  FIND_REAL(shutdown);
  auto call = [&] { return real(descriptor, how); };
  return isWatchedChannel(descriptor) ? ending(descriptor, how != SHUT_RD, call) : call();
}

// What these tell by their pointer are two descriptors.
int pipe(int* ends) noexcept {
  FIND_REAL(pipe);
  return tellingPipe(ends, [&] { return real(ends); });
}

int pipe2(int* ends, int flags) noexcept {
  FIND_REAL(pipe2);
  return tellingPipe(ends, [&] { return real(ends, flags); });
}

int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  FIND_REAL(socketpair);
  const int result = tellingTwo(ends, [&] { return real(domain, type, protocol, ends); });
  if (result == 0 && (recording() || controlling())) notePair({ends[0], ends[1]});
  return result;
}

int eventfd(unsigned count, int flags) noexcept {
  FIND_REAL(eventfd);
  const int descriptor = real(count, flags);
  noteEventfd(descriptor, flags & EFD_SEMAPHORE);
  if (count && recording()) noteSent(channelOf(descriptor, Flow::out), count);
  return descriptor;
}

int eventfd_write(int descriptor, eventfd_t value) {
  return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

int eventfd_read(int descriptor, eventfd_t* value) {
  return read(descriptor, value, sizeof *value) == sizeof *value ? 0 : -1;
}

} // extern "C"
