// Mutexes under control. The model (trace/sync_model.h) says who may lock; whoever is granted then takes the real
// mutex, which never blocks, returns what the program expects and faults where the program would.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include "trace/sync_model.h"
#include <errno.h>

namespace symbiosis::runtime::control {
namespace {

struct Mutex {
  const void* address; // null: free slot
  sync::MutexState state;
  uint32_t depth;      // how often its owner has locked it
  uint64_t acquiredAt; // index of the event by which its owner came to hold it
  bool isSpinlock;
  bool isRobust;
};

// By a hash of the address, a few slots per bucket; a mutex that nobody holds needs no slot.
constexpr uint32_t kBuckets = 1 << 12, kBucketSize = 8;
Mutex table[kBuckets][kBucketSize] = {};
bool anyWasRobust = false;

Mutex* bucketOf(const void* address) {
  return table[(reinterpret_cast<uint64_t>(address) * 0x9E3779B97F4A7C15ull) >> 52];
}

Mutex* find(const void* address) {
  Mutex* bucket = bucketOf(address);
  for (uint32_t i = 0; i < kBucketSize; ++i)
    if (bucket[i].address == address) return &bucket[i];
  return nullptr;
}

bool isRobust(const void* mutex) {
  return (static_cast<const pthread_mutex_t*>(mutex)->__data.__kind & 16) != 0; // PTHREAD_MUTEX_ROBUST_NORMAL_NP
}

void acquired(const void* address, bool isSpinlock = false) {
  Mutex* mutex = find(address);
  if (!mutex) {
    Mutex* bucket = bucketOf(address);
    for (uint32_t i = 0; i < kBucketSize && !mutex; ++i)
      if (!bucket[i].address) mutex = &bucket[i];
    if (!mutex) {
      Text() << "too many mutexes are held at once";
      endProcess(format::ControlOutcome::gaveUp);
    }
    *mutex = {address, {}, 0, self->control.pending.index, isSpinlock, !isSpinlock && isRobust(address)};
    sync::perform(mutex->state, {EventKind::lock, self->serial});
    anyWasRobust = anyWasRobust || mutex->isRobust;
  }
  ++mutex->depth;
}

void released(const void* address) {
  Mutex* mutex = find(address);
  if (mutex && --mutex->depth == 0) *mutex = {};
}

// The memory was given to a new mutex while the old one was held.
bool isStale(const void* mutex) { return static_cast<const pthread_mutex_t*>(mutex)->__data.__lock == 0; }

bool isNormal(const void* mutex) {
  const int kind = static_cast<const pthread_mutex_t*>(mutex)->__data.__kind & 3;
  return kind != PTHREAD_MUTEX_RECURSIVE_NP && kind != PTHREAD_MUTEX_ERRORCHECK_NP;
}

} // namespace

bool canLock(const ThreadState& thread, const void* address) {
  const Mutex* mutex = find(address);
  if (!mutex || sync::can(mutex->state, {EventKind::lock, thread.serial})) return true;
  if (mutex->isSpinlock) return false;
  if (isStale(address)) return true;
  // Locking again what one holds: counted, refused, or waiting for oneself for ever.
  return sync::can(mutex->state, {EventKind::unlock, thread.serial}) && !isNormal(address);
}

uint32_t ownerOf(const void* address) {
  const Mutex* mutex = find(address);
  return mutex ? mutex->state.owner : sync::kNobody;
}

bool holdsSince(uint32_t serial, uint64_t index) {
  for (Mutex(&bucket)[kBucketSize] : table)
    for (const Mutex& mutex : bucket)
      if (mutex.address && mutex.state.owner == serial && mutex.acquiredAt == index) return true;
  return false;
}

// The thread may have the mutex, as far as we know. What lies in memory that was freed or overwritten may look
// taken all the same, and libc would wait there for ever. Special kinds (robust, shared by processes) are left to
// libc.
static void mustBeFree(const pthread_mutex_t* mutex) {
  const Mutex* known = find(mutex);
  if (mutex->__data.__lock == 0 || (mutex->__data.__kind & ~3) || (known && known->state.owner == self->serial))
    return;
  Text text;
  text << "thread ";
  text.thread(self->serial)
      << " would wait for ever for a mutex that no thread holds: it lies in memory that was freed "
         "or overwritten";
  endProcess(format::ControlOutcome::gaveUp);
}

int lock(pthread_mutex_t* mutex, int (*real)(pthread_mutex_t*)) {
  announce(counted(EventKind::lock, mutex));
  if (Mutex* known = find(mutex); known && isStale(mutex)) *known = {};
  mustBeFree(mutex);
  const int result = real(mutex);
  if (took(result)) acquired(mutex);
  return result;
}

namespace {

using MutexFunction = int(pthread_mutex_t*);
MutexFunction* realFunction(MutexFunction*& known, const char* name) {
  if (!known) known = reinterpret_cast<MutexFunction*>(nextDefinition(name));
  return known;
}
MutexFunction *realUnlock = nullptr, *realLock = nullptr;

} // namespace

void releaseForWait(pthread_mutex_t* mutex) {
  if (isLearning()) learnRelease(mutex);
  if (realFunction(realUnlock, "pthread_mutex_unlock")(mutex) == 0) released(mutex);
}

void acquireAfterWait(pthread_mutex_t* mutex) {
  announce(counted(EventKind::lock, mutex));
  if (took(realFunction(realLock, "pthread_mutex_lock")(mutex))) acquired(mutex);
}

int lockUntil(pthread_mutex_t* mutex, clockid_t clock, const timespec& deadline) {
  Operation operation = counted(EventKind::lock, mutex);
  operation.timed = true;
  announce(operation);
  if (!isPossible(*self)) {
    timeOut(clock, deadline);
    return ETIMEDOUT;
  }
  // It does not block; an errorcheck mutex says what its owner has done.
  const int result = realFunction(realLock, "pthread_mutex_lock")(mutex);
  if (took(result)) acquired(mutex);
  return result;
}

int tryLock(pthread_mutex_t* mutex, int (*real)(pthread_mutex_t*)) {
  announce(counted(EventKind::trylock, mutex));
  const int result = real(mutex);
  if (took(result)) acquired(mutex);
  return result;
}

int spin(EventKind kind, pthread_spinlock_t* lock, int (*real)(pthread_spinlock_t*)) {
  const void* address = const_cast<int*>(lock);
  announce(counted(kind, address));
  const int result = real(lock);
  if (result == 0 && kind == EventKind::unlock) released(address);
  if (result == 0 && kind != EventKind::unlock) acquired(address, true);
  return result;
}

void forgetRobustMutexesOf(uint32_t serial) {
  if (!anyWasRobust) return; // the table is large
  for (Mutex(&bucket)[kBucketSize] : table)
    for (Mutex& mutex : bucket)
      if (mutex.isRobust && mutex.state.owner == serial) mutex = {};
}

int unlock(pthread_mutex_t* mutex, int (*real)(pthread_mutex_t*)) {
  announce(counted(EventKind::unlock, mutex));
  const int result = real(mutex);
  if (result == 0) released(mutex);
  return result;
}

} // namespace symbiosis::runtime::control
