#pragma once
// What the scheduler knows of one thread. All zeros is a thread that does not exist yet.
#include <poll.h>
#include <stdint.h>

namespace symbiosis::runtime {

struct ThreadState;

namespace control {

// What a thread announces, and does when it is granted.
struct Operation {
  uint8_t kind;     // EventKind or a fence, perhaps silent
  bool counted;     // has an index of its own; otherwise its kind has kSilentBit
  bool anyAccess;   // may stand in a schedule as a read, a write or both
  bool lazy;        // would rather let others go first: a sleep, a yield
  bool last;        // goes on only when nobody else can: a thread that has failed
  bool never;       // does not go on at all: the process is about to be ended by one that has failed
  bool timed;       // need not wait: granted without what it waits for, its time has run out
  bool wakesAlone;  // need not wait: it wakes though nobody has signalled
  bool signalled;   // a signal or broadcast has reached it, or a wake of the futex
  bool reachesOne;  // of those who wait, `choice`
  bool isGuard;     // once: of a function-local static
  bool cancellable; // need not wait if its thread is to be cancelled
  uint16_t choice;  // set by the scheduler
  uint32_t site;    // number of the point in the snapshot, 0: none
  uint64_t index;   // silent: of the next counted one
  const void* object;
  ThreadState* peer; // join
  pollfd* awaits;    // a call: what must be ready so that it does not block; null: nothing
  uint32_t awaited;  // how many
  uint64_t signals;  // one of these must be pending, bit n - 1 is signal n; 0: none
  uint64_t round;    // barrier-leave: of the arrival; wake: the order of the waiters
};

// As the kernel has them: bit n of the words is core n.
struct CoreSet {
  uint64_t words[16];
};

enum class Phase : uint8_t {
  absent,
  waiting, // has announced an operation
  running, // was granted it; one thread at a time
  finished,
};

struct ControlledThread {
  uint32_t go;     // futex; 1: granted
  uint32_t parked; // futex; 1: stands before its first operation
  Phase phase;
  bool cancelRequested, cancelDisabled, cancelAsynchronously;
  Operation pending;   // announced, or being executed
  uint32_t silent;     // silent operations made so far
  uint32_t rests;      // sleeps and yields so far
  uint32_t lastSite;   // of the announced points that it has passed; 0: none
  uint32_t learnedAt;  // the point that it has passed last, in a run that learns
  uint64_t inputs;     // clocks looked at and random numbers drawn so far
  uint64_t waits;      // in raw futexes, so far
  uint32_t slot;       // its number in the schedule's table of threads, ~0: not there
  uint32_t task;       // id in the kernel
  uint64_t stop;       // the next index at which the scheduler wants to be asked
  uint64_t seen;       // points that the status has counted
  uint64_t asked;      // operations that it has announced
  uint64_t turnEnd;    // the index at which another may go on; of `asked`, where unnoticed points are passed
  CoreSet cores;       // that it may run on, as the program sees it
  uint64_t priority;   // strategies: 0: none given yet
  uint64_t priorityOf; // pos: the operation, counted from the thread's start, that the priority is for
  bool isNoticed;      // strategies: whatever it does
  uint64_t walked;     // urw: operations at contended places that it was granted; surw: at selected ones
};

} // namespace control
} // namespace symbiosis::runtime
