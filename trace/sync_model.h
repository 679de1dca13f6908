#pragma once
// What each synchronisation operation means: when it may happen, and what it does. Freestanding, because the
// runtime that controls a program and the evaluator of schedules must be the same model; Z3's encoding says it a
// second time and tests hold the two together.

namespace symbiosis::sync {

inline constexpr unsigned kNobody = ~0u;

struct ThreadState {
  unsigned creations = 0; // forks that name it; the main thread exists from the beginning
  bool started = false;
  bool exited = false;
};

constexpr bool canStart(const ThreadState& self) { return self.creations > 0 && !self.started; }
constexpr bool canJoin(const ThreadState& peer) { return peer.exited; }

struct MutexState {
  unsigned owner = kNobody; // thread, or kNobody
};

constexpr bool canLock(const MutexState& mutex) { return mutex.owner == kNobody; }
constexpr bool canUnlock(const MutexState& mutex, unsigned thread) { return mutex.owner == thread; }
// A trylock never blocks; its recorded outcome must be the one that the state gives.
constexpr bool trylockAcquires(const MutexState& mutex) { return mutex.owner == kNobody; }
constexpr void lock(MutexState& mutex, unsigned thread) { mutex.owner = thread; }
constexpr void unlock(MutexState& mutex) { mutex.owner = kNobody; }

// A waiter has joined the queue, releasing its mutex at the same moment, and leaves it by waking: because a signal
// or broadcast reached it, or by itself (time-out, spurious). A signal reaches exactly one of those whom none has
// reached yet; which one is the runtime's choice, and the evaluator keeps all choices open (condition_queue.h).
struct ConditionState {
  unsigned waiting = 0;   // in the queue
  unsigned signalled = 0; // of these, reached by a signal or broadcast
};

constexpr bool signalIsLost(const ConditionState& condition) { return condition.waiting == condition.signalled; }

struct RwLockState {
  unsigned writer = kNobody;
  unsigned readers = 0; // holds, not threads: a thread may hold it several times
};

constexpr bool canReadLock(const RwLockState& lock) { return lock.writer == kNobody; }
constexpr bool canWriteLock(const RwLockState& lock) { return lock.writer == kNobody && lock.readers == 0; }

struct SemaphoreState {
  unsigned tokens = 0;
};

constexpr bool canTake(const SemaphoreState& semaphore) { return semaphore.tokens > 0; }

// The n-th arrivals of a round complete it; everybody who arrived in it may then leave.
struct BarrierState {
  unsigned arrived = 0; // in the round that is open
  unsigned rounds = 0;  // complete
};

constexpr void arrive(BarrierState& barrier, unsigned participants) {
  if (++barrier.arrived < participants) return;
  barrier.arrived = 0;
  ++barrier.rounds;
}
constexpr bool canLeave(const BarrierState& barrier, unsigned roundOfArrival) {
  return barrier.rounds > roundOfArrival;
}

enum class OnceState : unsigned char { never, running, done };

} // namespace symbiosis::sync
