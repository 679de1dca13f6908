// Waiting for several descriptors at once: poll, select, epoll and their kin. Under control a thread before such a call
// goes on when one of them is ready, or its time has run out.
//
// Where a channel of this process is among them (channels.h), the call is a point, and its record says what it saw: so
// much was there, or nothing was. Of several channels one is recorded, the one that was ready or the one that is used
// most: a loop waits for its one bell.
#include "profiler/runtime/channels.h"
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include <sys/epoll.h>
#include <sys/select.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

// What is waited for in an epoll, by descriptor.
constexpr int kMostDescriptors = 4096;
struct Watched {
  int epoll; // one more than the descriptor of the epoll; 0: in none
  uint32_t events;
  uint64_t data;
};
Watched watched[kMostDescriptors] = {};
int watchedEnd = 0; // one more than the highest

// The channel that the record is about.
struct Bell {
  int descriptor = -1;
  bool isReady = false;
  // The better of the two.
  void consider(int other, bool ready) {
    if (other < 0 || !isWithinProcess(other)) return;
    const bool isBetter = descriptor < 0 || (ready && !isReady) ||
                          (ready == isReady && sentThrough(other) > sentThrough(descriptor));
    if (!isBetter) return;
    descriptor = other;
    isReady = ready;
  }
};

bool isWatching() { return recording() || control::inControl(); }

// The program is about to wait for these, for so long; negative: for ever. False: the time has run out.
bool beforePoll(pollfd* descriptors, uint32_t count, int64_t milliseconds, bool hasBell) {
  if (!control::inControl()) return true;
  control::Operation operation =
      hasBell ? control::counted(EventKind::write, nullptr) : control::silent(EventKind::input, nullptr);
  operation.anyAccess = hasBell;
  operation.awaits = descriptors;
  operation.awaited = count;
  operation.timed = milliseconds >= 0;
  operation.cancellable = true;
  control::announce(operation);
  if (hasBell && recording() && control::mustCancel(*self)) takeRequest(spareSlot());
  control::actOnCancellation();
  if (control::isReady(operation)) return true;
  control::passTime(uint64_t(milliseconds) * 1000000);
  return false;
}

void afterPoll(const Bell& bell) {
  if (bell.descriptor < 0 || !recording()) return;
  const format::ChannelUse use = noteLook(channelOf(bell.descriptor, Flow::in), bell.isReady);
  recordFilled(nullptr, 0, &use);
}

Bell bellAmong(const pollfd* descriptors, uint64_t count, bool isDone) {
  Bell bell;
  for (uint64_t i = 0; i < count && isWatching(); ++i)
    if (descriptors[i].events & POLLIN)
      bell.consider(descriptors[i].fd, isDone && (descriptors[i].revents & (POLLIN | POLLHUP)));
  return bell;
}

int pollWith(int (*real)(pollfd*, nfds_t, int), pollfd* descriptors, nfds_t count, int milliseconds) {
  const bool hasBell = bellAmong(descriptors, count, false).descriptor >= 0;
  beforePoll(descriptors, uint32_t(count), milliseconds, hasBell);
  const int result = real(descriptors, count, control::inControl() ? 0 : milliseconds);
  if (hasBell) afterPoll(bellAmong(descriptors, count, true));
  return result;
}

// What only tells that it is ready once is not there when it is not told.
bool tellsAlways(const Watched& one) { return (one.events & EPOLLIN) && !(one.events & (EPOLLET | EPOLLONESHOT)); }

Bell bellOf(int epoll, const epoll_event* events, int count) {
  Bell bell;
  for (int descriptor = 0; descriptor < watchedEnd && isWatching(); ++descriptor) {
    const Watched& one = watched[descriptor];
    if (one.epoll != epoll + 1 || !(one.events & EPOLLIN)) continue;
    bool isReady = false;
    for (int i = 0; i < count; ++i)
      isReady |= events[i].data.u64 == one.data && (events[i].events & (EPOLLIN | EPOLLHUP));
    if (isReady || tellsAlways(one)) bell.consider(descriptor, isReady);
  }
  return bell;
}

template <typename Call> int waitingInEpoll(int epoll, epoll_event* events, int milliseconds, Call call) {
  const bool hasBell = bellOf(epoll, nullptr, 0).descriptor >= 0;
  pollfd awaited = {epoll, POLLIN, 0};
  beforePoll(&awaited, 1, milliseconds, hasBell);
  const int result = call(control::inControl() ? 0 : milliseconds);
  if (hasBell) afterPoll(bellOf(epoll, events, result > 0 ? result : 0));
  return result;
}

int64_t inMilliseconds(const timespec* limit) {
  return limit ? int64_t(limit->tv_sec) * 1000 + (limit->tv_nsec + 999999) / 1000000 : -1;
}

// The sets of a select as what poll wants; how many.
uint32_t asPoll(int count, const fd_set* read, const fd_set* write, const fd_set* except, pollfd* to, uint32_t most) {
  uint32_t made = 0;
  for (int descriptor = 0; descriptor < count && descriptor < FD_SETSIZE && made < most; ++descriptor) {
    short events = 0;
    if (read && FD_ISSET(descriptor, read)) events = short(events | POLLIN);
    if (write && FD_ISSET(descriptor, write)) events = short(events | POLLOUT);
    if (except && FD_ISSET(descriptor, except)) events = short(events | POLLPRI);
    if (events) to[made++] = {descriptor, events, 0};
  }
  return made;
}

template <typename Call>
int selecting(int count, const fd_set* read, const fd_set* write, const fd_set* except, int64_t milliseconds,
              Call call) {
  pollfd descriptors[FD_SETSIZE];
  const uint32_t made = isWatching() ? asPoll(count, read, write, except, descriptors, FD_SETSIZE) : 0;
  const bool hasBell = bellAmong(descriptors, made, false).descriptor >= 0;
  beforePoll(descriptors, made, milliseconds, hasBell);
  const int result = call();
  for (uint32_t i = 0; i < made; ++i)
    descriptors[i].revents = result > 0 && read && FD_ISSET(descriptors[i].fd, read) ? POLLIN : 0;
  if (hasBell) afterPoll(bellAmong(descriptors, made, true));
  return result;
}

} // namespace

extern "C" {

int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  FIND_REAL(poll);
  return pollWith(real, descriptors, count, milliseconds);
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* limit, const sigset_t* mask) {
  FIND_REAL(ppoll);
  const timespec none = {0, 0};
  const bool hasBell = bellAmong(descriptors, count, false).descriptor >= 0;
  beforePoll(descriptors, uint32_t(count), inMilliseconds(limit), hasBell);
  const int result = real(descriptors, count, control::inControl() ? &none : limit, mask);
  if (hasBell) afterPoll(bellAmong(descriptors, count, true));
  return result;
}

int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* limit) {
  FIND_REAL(select);
  const int64_t milliseconds =
      limit ? int64_t(limit->tv_sec) * 1000 + (int64_t(limit->tv_usec) + 999) / 1000 : int64_t{-1};
  return selecting(count, read, write, except, milliseconds, [&] {
    timeval none = {0, 0};
    return real(count, read, write, except, control::inControl() ? &none : limit);
  });
}

int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* limit, const sigset_t* mask) {
  FIND_REAL(pselect);
  return selecting(count, read, write, except, inMilliseconds(limit), [&] {
    const timespec none = {0, 0};
    return real(count, read, write, except, control::inControl() ? &none : limit, mask);
  });
}

int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  FIND_REAL(epoll_ctl);
  const int result = real(epoll, operation, descriptor, event);
  if (result != 0 || descriptor < 0 || descriptor >= kMostDescriptors) return result;
  const bool isGone = operation == EPOLL_CTL_DEL || !event;
  watched[descriptor] = isGone ? Watched{} : Watched{epoll + 1, event->events, event->data.u64};
  if (descriptor >= watchedEnd) watchedEnd = descriptor + 1;
  return result;
}

int epoll_wait(int descriptor, epoll_event* events, int most, int milliseconds) {
  FIND_REAL(epoll_wait);
  return waitingInEpoll(descriptor, events, milliseconds,
                        [&](int limit) { return real(descriptor, events, most, limit); });
}

int epoll_pwait(int descriptor, epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
  FIND_REAL(epoll_pwait);
  return waitingInEpoll(descriptor, events, milliseconds,
                        [&](int limit) { return real(descriptor, events, most, limit, mask); });
}

} // extern "C"
