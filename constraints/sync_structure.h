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

struct MutexUse {
  std::vector<CriticalSection> sections;
  // Trylocks that found the mutex held by another thread.
  std::vector<EventRef> busyTrylocks;
};

struct RwLockUse {
  struct Hold : CriticalSection {
    bool writes = false;
  };
  std::vector<Hold> holds;
  // Tries that found it taken by another thread: of readers by a writer, of writers by anybody.
  std::vector<EventRef> busyReaders, busyWriters;
};

struct ConditionUse {
  struct Wait {
    EventRef begin = kNoEvent;
    EventRef wake = kNoEvent; // kNoEvent: still waiting at the end
    bool alone = false;       // the wake took no signal
  };
  std::vector<Wait> waits;
  std::vector<EventRef> signals, broadcasts;
};

struct SemaphoreUse {
  struct Source {
    EventRef event = kNoEvent;
    uint32_t tokens = 1;
  };
  std::vector<Source> sources;
  std::vector<EventRef> takes, failedTries;
};

struct BarrierUse {
  struct Visit {
    EventRef arrive = kNoEvent, leave = kNoEvent; // leave kNoEvent: still there at the end
  };
  uint32_t participants = 1;
  std::vector<Visit> visits;
};

// `start` may happen once one of `forks` has: a thread that several events may have created.
struct StartAfterAny {
  EventRef start = kNoEvent;
  std::vector<EventRef> forks;
};

struct SyncStructure {
  std::vector<OrderEdge> must; // in every feasible schedule; between events of different threads
  std::vector<StartAfterAny> starts;
  std::vector<MutexUse> mutexes;
  std::vector<RwLockUse> rwlocks;
  std::vector<ConditionUse> conditions;
  std::vector<SemaphoreUse> semaphores;
  std::vector<BarrierUse> barriers;
  std::string contradiction; // why no order at all is feasible; empty: none known
};

SyncStructure analyseSync(const SymbolicTrace& trace);

} // namespace symbiosis
