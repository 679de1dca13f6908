#pragma once
// What each synchronisation operation means: when it may happen, and what it does. Freestanding, because the
// runtime that controls a program and the evaluator of schedules must be the same model; Z3's encoding says it a
// second time and tests hold the two together.

namespace symbiosis::sync {

inline constexpr unsigned kNobody = ~0u;

struct ThreadState {
  bool created = false;
  bool started = false;
  bool exited = false;
};

struct MutexState {
  unsigned owner = kNobody; // thread, or kNobody
};

constexpr bool canStart(const ThreadState& self) { return self.created && !self.started; }
constexpr bool canJoin(const ThreadState& peer) { return peer.exited; }

constexpr bool canLock(const MutexState& mutex) { return mutex.owner == kNobody; }
constexpr bool canUnlock(const MutexState& mutex, unsigned thread) { return mutex.owner == thread; }
// A trylock never blocks; its recorded outcome must be the one that the state gives.
constexpr bool trylockAcquires(const MutexState& mutex) { return mutex.owner == kNobody; }

constexpr void lock(MutexState& mutex, unsigned thread) { mutex.owner = thread; }
constexpr void unlock(MutexState& mutex) { mutex.owner = kNobody; }

} // namespace symbiosis::sync
