#pragma once
// What the synchronisation of a trace says before any order is known: which events must precede which in
// every feasible schedule, and which critical sections exclude each other. The meaning of each operation is
// trace/sync_model.h's. A new kind of sync operation is added here and in sync_encoding.cpp.
#include "constraints/schedule_solver.h"

namespace symbiosis {

struct CriticalSection {
  ThreadIndex thread = 0;
  EventRef acquire = kNoEvent;
  EventRef release = kNoEvent; // kNoEvent: never released
};

// Pending events (Event::pending) are no part of sections, holds and takes: nothing is known of what follows them.

struct MutexUse {
  uint32_t object = kNone;
  std::vector<CriticalSection> sections;
  std::vector<EventRef> pending; // locks, and returns from waits
  // Trylocks that found the mutex held by another thread.
  std::vector<EventRef> busyTrylocks;
};

struct RwLockUse {
  uint32_t object = kNone;
  struct Hold : CriticalSection {
    bool writes = false;
  };
  std::vector<Hold> holds;
  std::vector<EventRef> pendingReaders, pendingWriters;
  // Tries that found it taken by another thread: of readers by a writer, of writers by anybody.
  std::vector<EventRef> busyReaders, busyWriters;
};

struct ConditionUse {
  uint32_t object = kNone;
  struct Wait {
    EventRef begin = kNoEvent;
    EventRef wake = kNoEvent; // kNoEvent: still waiting at the end
    bool alone = false;       // the wake took no signal
    bool pending = false;     // the wake is a pending event
    uint32_t mutex = kNone;   // that it takes
  };
  std::vector<Wait> waits;
  std::vector<EventRef> signals, broadcasts;
};

struct SemaphoreUse {
  uint32_t object = kNone;
  struct Source {
    EventRef event = kNoEvent;
    uint32_t tokens = 1;
  };
  std::vector<Source> sources;
  std::vector<EventRef> takes, failedTries, pending;
};

struct BarrierUse {
  uint32_t object = kNone;
  struct Visit {
    EventRef arrive = kNoEvent, leave = kNoEvent; // leave kNoEvent: still there at the end
    bool pending = false;                         // the leave is a pending event
  };
  uint32_t participants = 1;
  std::vector<Visit> visits;
};

struct FutexUse {
  uint32_t object = kNone;
  struct Wait {
    EventRef begin = kNoEvent, woken = kNoEvent; // woken: a pending event
  };
  std::vector<Wait> waits;
  std::vector<EventRef> wakes;
};

struct OnceUse {
  std::vector<EventRef> begins, ends, passes, pending;
};

struct JoinUse {
  EventRef join = kNoEvent;
  EventRef exit = kNoEvent; // kNoEvent: the thread never exits
};

// `start` may happen once one of `forks` has: a thread that several events may have created.
struct StartAfterAny {
  EventRef start = kNoEvent;
  std::vector<EventRef> forks;
};

// Where a schedule is looked at up to its end only (trace/trace_end.h), what must be is true only of events that
// happen, and what cannot be need only not happen.
struct SyncStructure {
  std::vector<OrderEdge> must;          // in every feasible schedule; between events of different threads
  std::vector<OrderEdge> mustIfHappens; // the same where the later one happens at all
  std::vector<EventRef> neverHappen;    // instead of a contradiction
  std::vector<StartAfterAny> starts;
  std::vector<MutexUse> mutexes;
  std::vector<RwLockUse> rwlocks;
  std::vector<ConditionUse> conditions;
  std::vector<SemaphoreUse> semaphores;
  std::vector<BarrierUse> barriers;
  std::vector<FutexUse> futexes;
  std::vector<OnceUse> initialisers; // where not everything is looked at; else must-edges say it all
  std::vector<JoinUse> pendingJoins;
  std::string contradiction; // why no order at all is feasible; empty: none known
};

// Both sorts of must-edges.
std::vector<OrderEdge> allMust(const SyncStructure& sync);

SyncStructure analyseSync(const SymbolicTrace& trace);

} // namespace symbiosis
