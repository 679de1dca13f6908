#pragma once
// Controlled execution: one thread runs at a time. Before each point and sync operation a thread announces what it
// is about to do and waits; the scheduler grants one announced operation, whose thread then executes it and runs
// on to its next announcement. Announce, then execute: a thread that waits has done nothing of what it announced,
// so "stands before point n" is a complete description of it, and a schedule of such positions repeats a run
// exactly (DEJAVU's idea of logical intervals, Choi and Zeller 2002 §3, with positions instead of lengths).
//
//   scheduler.cpp   the baton: announce, choose, grant
//   follower.cpp    what the schedule wants next; divergence
//   status.cpp      the page that the supervisor reads, the log of what was granted, endings
//   mutexes.cpp, waiting.cpp   what the wrappers of runtime/ do in control
//   contention.cpp   which points other threads can notice
//   held_blocks.cpp   freed blocks are held back, and uses of them noticed
//   calls.cpp       system calls that wait for the world outside, or for another thread at a pipe
//   futexes.cpp     the same in the kernel's terms
//   time.cpp        wrappers of what is scheduled but not recorded, and so has no index
#include "profiler/runtime/runtime.h"
#include "trace/control_protocol.h"
#include <semaphore.h>
#include <time.h>

namespace symbiosis::runtime::control {

// --- scheduler.cpp ---
// True if this thread is under control: operations must be announced.
inline bool inControl() { return controlling() && self && self->control.phase == Phase::running; }
// Announces the operation and returns when it is granted. Counted operations take the thread's next index.
void announce(Operation operation);
void announceJoin(ThreadState* peer); // null: nobody whom we know, never waits
void registerMainThread(ThreadState& thread);
// A new thread announces its start and waits for its first grant; wakes its creator when it stands there.
void beginThread(ThreadState& thread);
void waitUntilParked(ThreadState& thread); // its creator, which has the baton
// The calling thread was granted its exit: gives the baton to another for good.
void leave();
// The calling thread has failed: the others run on until none of them can, or for long enough, and are not logged.
void linger();
bool isLingering();
// The calling thread would end the process, but one that has failed is going to.
[[noreturn]] void neverGoOn();
bool isEnabled(const ThreadState& thread);
bool isPossible(const ThreadState& thread); // what it announced can happen now, without running out of time
// Threads that have not finished, in order of creation.
extern ThreadState* live[format::kMostControlledThreads];
extern uint32_t liveCount;

// --- follower.cpp ---
struct Wish {
  ThreadState* thread; // who goes on; null: the schedule says no more
  uint64_t stop;       // the index at which `thread` must be asked again
};
void startFollowing(const format::ControlConfig& config);
uint32_t findSlot(const ThreadState& thread); // of a new thread; ~0: the schedule does not know it
Wish nextWish();
const ThreadState* threadAt(uint32_t slot); // null: not created yet
uint32_t parentOf(uint32_t slot);           // its own: the main thread
// What the threads do now is still what they did in the run that the schedule is about.
bool isOnRecordedPath();
// Of the waiters on the condition variable, the one that the schedule wakes first, counted from the oldest.
uint32_t scheduledWaiter(const void* condition);

// --- orderings.cpp ---
bool startOrderings(const format::ControlEntry* entries, uint64_t entryCount); // false: these are a schedule
bool mustAwait(const ThreadState& thread);     // where it stands: an ordering is not reached yet
uint64_t nextAwait(const ThreadState& thread); // the next point at which it may have to; ~0: there is none
uint64_t keptAt(const ThreadState& thread);    // orderings that are kept when it is granted what it announced

// --- status.cpp ---
bool openStatus();
extern format::ControlStatus* status;
extern format::ControlConfig config;
bool logsEverything(); // still
void logGrant(const ThreadState& thread, const ThreadState* previous);
void reportWait(const ThreadState& thread); // part of a deadlock
[[noreturn]] void endProcess(format::ControlOutcome outcome);

// Builds status->text.
class Text {
public:
  Text();
  static Text more(); // goes on where the last one ended
  Text& operator<<(const char* text);
  Text& operator<<(uint64_t number);
  Text& thread(uint32_t serial); // "0.1.2"

private:
  explicit Text(size_t length) : length_(length) {}
  size_t length_ = 0;
};
using format::kindName;

// --- contention.cpp ---
// As the configuration says; `contended`: places, ascending, of which points count. False: no memory.
bool startNoticing(const uint64_t* contended, uint32_t count);
bool isLearning();
bool passesUnnoticed();        // by now: strategies are asked at noticed points only
bool isNoticed(uint32_t site); // the point
// The calling thread does this now.
void learnAccess(const void* address, uint32_t kind, uint32_t site);
void learnRange(const void* address, uint64_t size, uint32_t site); // which it may change
void forgetRange(const void* address, uint64_t size);               // it is new
void learnOrder(const Operation& operation);
void learnRelease(const void* object); // as part of something else
void learnFork(const ThreadState& child);
// In a run of more points than these the last of them teach nothing new, or another run does.
inline constexpr uint64_t kMostLearned = 30'000'000;
void stopLearning(); // what is not noticed by now is not

// --- mutexes.cpp ---
int lock(pthread_mutex_t* mutex, int (*real)(pthread_mutex_t*));
int tryLock(pthread_mutex_t* mutex, int (*real)(pthread_mutex_t*));
int unlock(pthread_mutex_t* mutex, int (*real)(pthread_mutex_t*));
int lockUntil(pthread_mutex_t* mutex, clockid_t clock, const timespec& deadline);
int spin(EventKind kind, pthread_spinlock_t* lock, int (*real)(pthread_spinlock_t*)); // lock, trylock, unlock
// The robust mutexes of a thread that has ended can be locked again.
void forgetRobustMutexesOf(uint32_t serial);
void releaseForWait(pthread_mutex_t* mutex);
void acquireAfterWait(pthread_mutex_t* mutex); // a lock of its own
bool canLock(const ThreadState& thread, const void* mutex);
uint32_t ownerOf(const void* mutex); // serial, or sync::kNobody
// Whether the thread still holds the mutex that it acquired at `index`.
bool holdsSince(uint32_t serial, uint64_t index);

// --- waiting.cpp: what else one can wait for ---
struct Deadline {
  clockid_t clock;
  const timespec* time; // null: none
};
// `signalled`: how it woke. A thread that is cancelled does not lock the mutex: its cleanup does.
int waitOnCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, Deadline deadline, bool& signalled);
int signalOne(Operation operation);      // how many it reached
int signalAll(Operation operation);      // likewise
bool waitForSignal(Operation operation); // of a kind that is reached; false: the time ran out
int lockShared(Operation operation, pthread_rwlock_t* lock, Deadline deadline); // all kinds but rwunlock
int unlockShared(pthread_rwlock_t* lock, int (*real)(pthread_rwlock_t*));
int takeToken(Operation operation, sem_t* semaphore, Deadline deadline);
int waitAtBarrier(pthread_barrier_t* barrier);
void forgetBarrier(const pthread_barrier_t* barrier); // it was initialised again
void claimOnce(const void* once);                     // the caller runs it
void endOnce(Operation operation);

bool canShare(EventKind kind, const void* lock); // rdlock or wrlock
bool hasToken(const void* semaphore);
bool canLeave(const void* barrier, uint64_t round);
bool canBeginOnce(const ThreadState& thread, const void* once);
// Who waits on the condition variable and has not been reached by a signal, `choice` from the oldest; null:
// nobody.
ThreadState* waiterOn(const void* condition, uint32_t choice);
uint32_t waitersOn(const void* condition);
// What the announced operation is if it is granted now: a once that is done is passed, a lock whose time runs out
// is an attempt, and a thread that is to be cancelled takes the request.
uint8_t effectiveKind(const ThreadState& thread);
uint64_t effectiveObject(const ThreadState& thread); // its address

// --- heap_key.cpp ---
void fixHeapKey(); // what is read of a freed block depends on the schedule alone

// --- held_blocks.cpp ---
using GiveBack = void(void*, uint64_t, uint64_t); // free, or an operator delete with its other arguments
void startHolding();                              // as the configuration says
bool isHolding();                                 // it does hold back
bool isGone(const void* address);                 // it is in a block that was freed
bool isKnown(const void* block);                  // noted, and not freed
void forgetBlock(const void* block);              // it goes back to libc
void noteBlock(const void* block);                // the program has allocated it
bool holdsBack(const void* block);                // if it is freed now
// The block is being freed: returns what is to be given back in its place, null if it is held back.
void* holdBack(void* block, GiveBack* giveBack, uint64_t second, uint64_t third);
void checkFree(const void* block); // before: fails if it has been freed, or is none
// The calling thread has failed; returns only if another one failed before, or it is not in control. `inBody`: in
// instrumented code, otherwise in a call.
void misuse(format::HeapMisuse what, const void* address, bool inBody);

// --- runtime/destroyed.cpp ---
// Before the calling thread uses a lock, a condition variable …: fails if it is in a block that was freed or, if
// it can be, was destroyed and not initialised again.
void checkUse(const void* object, bool canBeDestroyed);

// --- outside.cpp ---
bool canOutsideHelp(const pollfd* descriptors, uint32_t count); // make one of these ready

// --- calls.cpp ---
bool isReady(const Operation& operation); // it would not block
// Nobody can go on: waits until one of the calls that threads stand before can. False: there are none, or none
// that anything outside of the process could end.
bool awaitAnyCall();
// As a schedule wants it, waits for this one, though not for ever; false: not a call, or nothing came.
bool awaitCall(const Operation& operation);

// --- runtime/cancellation.cpp ---
bool mustCancel(const ThreadState& thread);
bool endsAnywhere(const ThreadState& thread); // it must, and need not come to a cancellation point
void actOnCancellation();                     // at a cancellation point: the calling thread may end here

// --- runtime/cores.cpp ---
void pinProcess();                   // by its main thread, at the start
void pinThread(ThreadState& thread); // the calling one, which has just begun
void unpinChild();                   // in a process that was forked

// --- runtime/inputs.cpp ---
void openInputs(const char* session); // what is to be fed to the threads, if anything

// --- time.cpp ---
// Virtual time has come to `deadline` of the clock.
void timeOut(clockid_t clock, const timespec& deadline);
void passTime(uint64_t nanoseconds);

// --- start ---
bool start(const char* session); // false: there is no (readable) control file

inline Operation counted(EventKind kind, const void* object) {
  Operation operation = {};
  operation.kind = uint8_t(kind);
  operation.counted = true;
  operation.object = object;
  return operation;
}
// Always possible and felt by nobody who waits: accesses, fences, allocations.
inline bool isMinor(const Operation& operation) {
  if (operation.kind == format::kFence) return true;
  if (operation.awaits || operation.kind == uint8_t(EventKind::send)) return false;
  return operation.counted && !isSync(EventKind(operation.kind)) && operation.kind != uint8_t(EventKind::failure);
}
inline Operation silent(EventKind kind, const void* object) {
  Operation operation = {};
  operation.kind = uint8_t(kind) | format::kSilentBit;
  operation.object = object;
  return operation;
}
inline EventKind kindOf(const Operation& operation) { return EventKind(operation.kind & ~format::kSilentBit); }

} // namespace symbiosis::runtime::control

namespace symbiosis::runtime {

// In control, a point that nobody waits for: what is inlined at the points of instrumented code.
inline void countedPoint(EventKind kind, const void* object) {
  if (__symbiosis_point_index < __symbiosis_point_stop)
    ++__symbiosis_point_index;
  else if (control::inControl()) {
    control::Operation operation = control::counted(kind, object);
    // A schedule may have it as the write that begins or ends a life.
    operation.anyAccess = kind == EventKind::alloc || kind == EventKind::free || kind == EventKind::destroy;
    control::announce(operation);
  }
}

} // namespace symbiosis::runtime
