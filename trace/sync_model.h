#pragma once
// What each operation of synchronisation means, said once. Freestanding, because the runtime that controls a
// program and the evaluator of schedules must be the same model; Z3's encoding (constraints/sync_encoding.cpp)
// says it a second time and the brute-force tests hold the two together.
//
// First a *rule* for each kind of event: what it is about, what it takes and gives back, whether a thread can wait
// in it, what it belongs to. Then for each sort of object a *state*, with
//
//   can      whether the operation would get what it asks for now
//   perform  what it does, if it gets it
//   undo     takes that back, in a state that the operation has led to
//
// An operation that only tries is possible exactly if it would fare as it fared in the recorded run:
// `whyImpossible` and `perform` at the end look at its outcome. Condition variables keep a queue of their own
// (condition_queue.h), because whom a signal reaches stays open.
#include "trace/event_kind.h"

namespace symbiosis::sync {

inline constexpr unsigned kNobody = ~0u;

// --- rules ---

enum class Sort : unsigned char { none, thread, mutex, rwlock, condition, semaphore, barrier, once, futex };
inline constexpr unsigned kSorts = unsigned(Sort::futex) + 1;

// What holds of an object in every schedule.
constexpr const char* lawOf(Sort sort) {
  switch (sort) {
  case Sort::mutex: return "is held by one thread at a time";
  case Sort::rwlock: return "is held by one writer, or by readers only";
  case Sort::condition: return "wakes only who waits when it is signalled";
  case Sort::semaphore: return "is taken only as often as it was posted before";
  case Sort::barrier: return "lets nobody leave before its round is full";
  case Sort::futex: return "wakes only who waits in it";
  case Sort::once:
  case Sort::thread:
  case Sort::none: break;
  }
  return "lets only some orders happen";
}

// What an event says besides its object; a compiled event has one number for it.
enum class Argument : unsigned char {
  outcome, // Event::outcome, of which event_kind.h says what it means
  peer,    // the thread that is created or waited for
  mutex,   // that it releases
};

// With which operations of others on its object, possible themselves, an operation that is possible cannot change
// places without somebody noticing.
enum class Meets : unsigned char {
  all,
  failedTries, // it gives something back: only who has to find it taken notices
  takers,      // it takes beside others: only who takes away what it needs notices
  otherRounds, // an arrival: only if more threads come than make a round
  nobody,
};

// Which operations of one thread belong together, by program order.
enum class Pairs : unsigned char {
  alone,
  opens,        // one at a time in a thread; the next that closes belongs to it
  closes,       // belongs to the one that is open
  opensNested,  // several may be open
  closesNested, // belongs to the latest of its object
};

struct Rule {
  EventKind kind;
  Sort sort = Sort::none;
  signed char hold = 0;     // 1: its thread then has something that others may want; -1: gives such a thing back
  bool excludes = false;    // what it takes nobody else can have: others find it taken
  bool tries = false;       // never waits; outcome 0: it got what it asked for, otherwise it found it taken
  bool waits = false;       // a thread can stand before it until others let it go on
  bool hasArgument = false; // its record says more than object and result (trace/format.h)
  Argument argument = Argument::outcome;
  Meets meets = Meets::all;
  Pairs pairs = Pairs::alone;
  bool isReached = false;             // who stands before it is let go by name: whom a signal reaches
  EventKind attempt = kind;           // what it was if it had a time limit and the time ran out
  const char* impossible = nullptr;   // why it cannot happen now
  const char* wouldSucceed = nullptr; // why it cannot fail now
  const char* unpaired =
      nullptr; // why it can happen in no schedule, if its thread has not done what belongs to it
  // How it reads; a text that ends with a space goes on with the name of the object.
  const char* text = "";        // done; empty: it is not worth a word
  const char* wants = "";       // what a thread that stands before it waits for
  const char* goesOn = "gets "; // a thread that stood before it
};

inline constexpr Rule kRules[] = {
    // Accesses to memory are no business of this model; the lives of objects concern nobody else.
    {.kind = EventKind::write, .hasArgument = true},
    {.kind = EventKind::input, .hasArgument = true},
    {.kind = EventKind::alloc, .hasArgument = true, .meets = Meets::nobody},
    {.kind = EventKind::free, .meets = Meets::nobody},
    {.kind = EventKind::destroy, .meets = Meets::nobody},

    {.kind = EventKind::start, .sort = Sort::thread, .impossible = "its thread has not been created"},
    {.kind = EventKind::exit, .sort = Sort::thread},
    {.kind = EventKind::fork, .sort = Sort::thread, .hasArgument = true, .argument = Argument::peer},
    {.kind = EventKind::join,
     .sort = Sort::thread,
     .waits = true,
     .hasArgument = true,
     .argument = Argument::peer,
     .impossible = "the thread it waits for has not exited"},

    {.kind = EventKind::lock,
     .sort = Sort::mutex,
     .hold = 1,
     .excludes = true,
     .waits = true,
     .attempt = EventKind::trylock,
     .impossible = "the mutex is held",
     .text = "takes "},
    {.kind = EventKind::trylock,
     .sort = Sort::mutex,
     .hold = 1,
     .excludes = true,
     .tries = true,
     .impossible = "the mutex is held",
     .wouldSucceed = "the mutex is free"},
    {.kind = EventKind::unlock,
     .sort = Sort::mutex,
     .hold = -1,
     .meets = Meets::failedTries,
     .impossible = "the mutex is not held by this thread",
     .text = "releases "},

    // A waiter joins the queue, releasing its mutex at the same moment, and leaves it by waking: because a signal
    // or
    // broadcast reached it, or by itself (time-out, spurious; outcome not 0). A signal reaches exactly one of
    // those
    // whom none has reached yet, and is lost if there is none.
    {.kind = EventKind::waitBegin,
     .sort = Sort::condition,
     .hasArgument = true,
     .argument = Argument::mutex,
     .pairs = Pairs::opens,
     .impossible = "the mutex is not held by this thread",
     .unpaired = "its thread waits already",
     .text = "begins to wait"},
    {.kind = EventKind::wake,
     .sort = Sort::condition,
     .waits = true,
     .pairs = Pairs::closes,
     .isReached = true,
     .impossible = "no signal has reached it",
     .wouldSucceed = "a signal has reached it",
     .unpaired = "its thread does not wait for this condition",
     .text = "wakes up",
     .wants = "a signal of ",
     .goesOn = "is woken by "},
    {.kind = EventKind::signal, .sort = Sort::condition, .text = "signals "},
    {.kind = EventKind::broadcast, .sort = Sort::condition, .text = "signals "},

    {.kind = EventKind::rdlock,
     .sort = Sort::rwlock,
     .hold = 1,
     .waits = true,
     .meets = Meets::takers,
     .pairs = Pairs::opensNested,
     .attempt = EventKind::tryrdlock,
     .impossible = "the lock is held for writing",
     .text = "takes "},
    {.kind = EventKind::wrlock,
     .sort = Sort::rwlock,
     .hold = 1,
     .excludes = true,
     .waits = true,
     .pairs = Pairs::opensNested,
     .attempt = EventKind::trywrlock,
     .impossible = "the lock is held",
     .text = "takes "},
    {.kind = EventKind::tryrdlock,
     .sort = Sort::rwlock,
     .hold = 1,
     .tries = true,
     .meets = Meets::takers,
     .pairs = Pairs::opensNested,
     .impossible = "the lock is held for writing",
     .wouldSucceed = "the lock is free"},
    {.kind = EventKind::trywrlock,
     .sort = Sort::rwlock,
     .hold = 1,
     .excludes = true,
     .tries = true,
     .pairs = Pairs::opensNested,
     .impossible = "the lock is held",
     .wouldSucceed = "the lock is free"},
    {.kind = EventKind::rwunlock,
     .sort = Sort::rwlock,
     .hold = -1,
     .meets = Meets::failedTries,
     .pairs = Pairs::closesNested,
     .unpaired = "the lock is not held by this thread",
     .text = "releases "},

    {.kind = EventKind::semInit, .sort = Sort::semaphore, .hasArgument = true, .meets = Meets::failedTries},
    {.kind = EventKind::semPost,
     .sort = Sort::semaphore,
     .hold = -1,
     .meets = Meets::failedTries,
     .text = "adds a token to "},
    {.kind = EventKind::semWait,
     .sort = Sort::semaphore,
     .hold = 1,
     .excludes = true,
     .waits = true,
     .meets = Meets::takers,
     .attempt = EventKind::semTrywait,
     .impossible = "there is no token",
     .text = "takes a token of ",
     .wants = "a token of "},
    {.kind = EventKind::semTrywait,
     .sort = Sort::semaphore,
     .hold = 1,
     .excludes = true,
     .tries = true,
     .meets = Meets::takers,
     .impossible = "there is no token",
     .wouldSucceed = "there is a token"},

    {.kind = EventKind::barrierArrive,
     .sort = Sort::barrier,
     .hasArgument = true,
     .meets = Meets::otherRounds,
     .pairs = Pairs::opens,
     .unpaired = "its thread has arrived already",
     .text = "arrives at "},
    {.kind = EventKind::barrierLeave,
     .sort = Sort::barrier,
     .waits = true,
     .meets = Meets::nobody,
     .pairs = Pairs::closes,
     .impossible = "the round is not complete",
     .unpaired = "its thread has not arrived at this barrier",
     .wants = "the others at ",
     .goesOn = "goes on behind "},

    {.kind = EventKind::onceBegin,
     .sort = Sort::once,
     .hold = 1,
     .excludes = true,
     .meets = Meets::takers,
     .pairs = Pairs::opensNested,
     .impossible = "the initialiser has run already",
     .text = "begins "},
    {.kind = EventKind::onceEnd,
     .sort = Sort::once,
     .hold = -1,
     .meets = Meets::nobody,
     .pairs = Pairs::closesNested,
     .unpaired = "its thread does not run this initialiser"},
    {.kind = EventKind::oncePass,
     .sort = Sort::once,
     .waits = true,
     .meets = Meets::nobody,
     .impossible = "the initialiser has not finished",
     .wants = "the initialiser of ",
     .goesOn = "goes on behind "},

    // A wait in the kernel's own terms. Those that ended are inputs, because they may end for no reason; one that
    // did
    // not end stands in the queue of its word until somebody wakes those who do.
    {.kind = EventKind::futexWait,
     .sort = Sort::futex,
     .hasArgument = true,
     .pairs = Pairs::opens,
     .unpaired = "its thread waits already",
     .text = "begins to wait"},
    {.kind = EventKind::futexWoken,
     .sort = Sort::futex,
     .waits = true,
     .hasArgument = true,
     .meets = Meets::nobody,
     .pairs = Pairs::closes,
     .isReached = true,
     .impossible = "nobody has woken it",
     .unpaired = "its thread does not wait there",
     .wants = "a wake-up of ",
     .goesOn = "is woken by "},
    {.kind = EventKind::futexWake, .sort = Sort::futex, .text = "wakes who waits for "},
};

namespace detail {
struct RulesByKind {
  Rule of[64] = {};
  constexpr RulesByKind() {
    for (unsigned i = 0; i < 64; ++i) of[i] = Rule{.kind = EventKind(i)};
    for (const Rule& rule : kRules) of[unsigned(rule.kind)] = rule;
  }
};
inline constexpr RulesByKind kRulesByKind;
} // namespace detail

// Of a kind that the model does not know: an operation without an object.
constexpr const Rule& ruleOf(EventKind kind) { return detail::kRulesByKind.of[unsigned(kind) & 63]; }

constexpr bool canWait(EventKind kind) { return ruleOf(kind).waits; }
constexpr bool isFailedTry(EventKind kind, unsigned outcome) { return ruleOf(kind).tries && outcome != 0; }
// What the operation does to what its thread has: 1 takes, -1 gives back, 0 neither.
constexpr int changeOfHold(EventKind kind, unsigned outcome) {
  return isFailedTry(kind, outcome) ? 0 : ruleOf(kind).hold;
}
// A hold of a mutex, or the end of one.
constexpr bool locks(EventKind kind, unsigned outcome) {
  return ruleOf(kind).sort == Sort::mutex && changeOfHold(kind, outcome) > 0;
}
constexpr bool unlocks(EventKind kind) { return ruleOf(kind).sort == Sort::mutex && ruleOf(kind).hold < 0; }

// --- states ---

// One operation, as a state sees it.
struct Act {
  EventKind kind;
  unsigned thread = kNobody;
  unsigned argument = 0;    // by Rule::argument; a departure: the rounds that were complete at the arrival
  EventKind partner = kind; // rwunlock: how the hold that it ends was taken
  constexpr const Rule& rule() const { return ruleOf(kind); }
};

struct ThreadState {
  unsigned creations = 0; // forks that name it; the main thread exists from the beginning
  bool started = false;
  bool exited = false;
};
// `thread` is the one that the operation is about: of fork and join its peer.
constexpr bool can(const ThreadState& thread, const Act& act) {
  if (act.kind == EventKind::start) return thread.creations > 0 && !thread.started;
  return act.kind != EventKind::join || thread.exited;
}
constexpr void perform(ThreadState& thread, const Act& act) {
  if (act.kind == EventKind::start) thread.started = true;
  if (act.kind == EventKind::exit) thread.exited = true;
  if (act.kind == EventKind::fork) ++thread.creations;
}
constexpr void undo(ThreadState& thread, const Act& act) {
  if (act.kind == EventKind::start) thread.started = false;
  if (act.kind == EventKind::exit) thread.exited = false;
  if (act.kind == EventKind::fork) --thread.creations;
}

struct MutexState {
  unsigned owner = kNobody; // thread, or kNobody
};
constexpr bool can(const MutexState& mutex, const Act& act) {
  return mutex.owner == (act.rule().hold > 0 ? kNobody : act.thread);
}
constexpr void perform(MutexState& mutex, const Act& act) {
  mutex.owner = act.rule().hold > 0 ? act.thread : kNobody;
}
constexpr void undo(MutexState& mutex, const Act& act) {
  mutex.owner = act.rule().hold > 0 ? kNobody : act.thread;
}

struct RwLockState {
  unsigned writer = kNobody;
  unsigned readers = 0; // holds, not threads: a thread may hold it several times
};
constexpr bool can(const RwLockState& lock, const Act& act) {
  if (act.rule().hold < 0) return true;
  return lock.writer == kNobody && (!act.rule().excludes || lock.readers == 0);
}
constexpr void take(RwLockState& lock, EventKind how, unsigned thread) {
  if (ruleOf(how).excludes)
    lock.writer = thread;
  else
    ++lock.readers;
}
constexpr void giveBack(RwLockState& lock) {
  if (lock.writer != kNobody)
    lock.writer = kNobody;
  else
    --lock.readers;
}
constexpr void perform(RwLockState& lock, const Act& act) {
  if (act.rule().hold > 0)
    take(lock, act.kind, act.thread);
  else
    giveBack(lock);
}
constexpr void undo(RwLockState& lock, const Act& act) {
  if (act.rule().hold > 0)
    giveBack(lock);
  else
    take(lock, act.partner, act.thread);
}

struct SemaphoreState {
  unsigned tokens = 0;
};
constexpr unsigned tokensAdded(const Act& act) { return act.kind == EventKind::semInit ? act.argument : 1; }
constexpr bool can(const SemaphoreState& semaphore, const Act& act) {
  return act.rule().hold <= 0 || semaphore.tokens > 0;
}
constexpr void perform(SemaphoreState& semaphore, const Act& act) {
  if (act.rule().hold > 0)
    --semaphore.tokens;
  else
    semaphore.tokens += tokensAdded(act);
}
constexpr void undo(SemaphoreState& semaphore, const Act& act) {
  if (act.rule().hold > 0)
    ++semaphore.tokens;
  else
    semaphore.tokens -= tokensAdded(act);
}

// The n-th arrival of a round completes it; everybody who arrived in it may then leave.
struct BarrierState {
  unsigned arrived = 0; // in the round that is open
  unsigned rounds = 0;  // complete
};
constexpr bool can(const BarrierState& barrier, const Act& act) {
  return act.kind != EventKind::barrierLeave || barrier.rounds > act.argument;
}
constexpr void perform(BarrierState& barrier, const Act& act) {
  if (act.kind != EventKind::barrierArrive || ++barrier.arrived < act.argument) return;
  barrier.arrived = 0;
  ++barrier.rounds;
}
constexpr void undo(BarrierState& barrier, const Act& act) {
  if (act.kind != EventKind::barrierArrive || barrier.arrived-- != 0) return;
  --barrier.rounds;
  barrier.arrived = act.argument - 1;
}

enum class OnceState : unsigned char { never, running, done };
constexpr bool can(OnceState once, const Act& act) {
  if (act.kind == EventKind::onceBegin) return once == OnceState::never;
  return act.kind != EventKind::oncePass || once == OnceState::done;
}
constexpr void perform(OnceState& once, const Act& act) {
  if (act.kind == EventKind::onceBegin) once = OnceState::running;
  if (act.kind == EventKind::onceEnd) once = OnceState::done;
}
constexpr void undo(OnceState& once, const Act& act) {
  if (act.kind == EventKind::onceBegin) once = OnceState::never;
  if (act.kind == EventKind::onceEnd) once = OnceState::running;
}

struct FutexState {
  unsigned wakes = 0; // so far; a thread in the queue may go on after one more than there were when it came
};
constexpr bool can(const FutexState& futex, const Act& act) {
  return act.kind != EventKind::futexWoken || futex.wakes > act.argument;
}
constexpr void perform(FutexState& futex, const Act& act) { futex.wakes += act.kind == EventKind::futexWake; }
constexpr void undo(FutexState& futex, const Act& act) { futex.wakes -= act.kind == EventKind::futexWake; }

// --- any object ---

// An object is of one sort; which, the operations on it say.
union ObjectState {
  constexpr ObjectState() : mutex() {}
  explicit constexpr ObjectState(Sort sort) : mutex() {
    switch (sort) {
    case Sort::rwlock: rwlock = {}; break;
    case Sort::semaphore: semaphore = {}; break;
    case Sort::barrier: barrier = {}; break;
    case Sort::once: once = OnceState::never; break;
    case Sort::futex: futex = {}; break;
    default: break;
    }
  }
  MutexState mutex;
  RwLockState rwlock;
  SemaphoreState semaphore;
  BarrierState barrier;
  OnceState once;
  FutexState futex;
};

// What has been completed so far at an object at which threads arrive: who arrives now may leave after one more.
constexpr unsigned roundsAt(Sort sort, const ObjectState& object) {
  return sort == Sort::barrier ? object.barrier.rounds : sort == Sort::futex ? object.futex.wakes : 0;
}
// An arrival at such an object, or the departure that belongs to it.
constexpr bool hasRounds(Sort sort) { return sort == Sort::barrier || sort == Sort::futex; }
constexpr bool arrives(EventKind kind) {
  return hasRounds(ruleOf(kind).sort) && ruleOf(kind).pairs == Pairs::opens;
}
constexpr bool departs(EventKind kind) {
  return hasRounds(ruleOf(kind).sort) && ruleOf(kind).pairs == Pairs::closes;
}

// Calls `visit` with the state that operations of this sort are about; threads and condition variables have none
// here.
template <typename State, typename Visit> constexpr void withState(Sort sort, State& object, Visit visit) {
  switch (sort) {
  case Sort::mutex: return visit(object.mutex);
  case Sort::rwlock: return visit(object.rwlock);
  case Sort::semaphore: return visit(object.semaphore);
  case Sort::barrier: return visit(object.barrier);
  case Sort::once: return visit(object.once);
  case Sort::futex: return visit(object.futex);
  case Sort::none:
  case Sort::thread:
  case Sort::condition: return;
  }
}

// Whether it would fare as its outcome says; nullptr: it would.
constexpr const char* whyImpossible(const ObjectState& object, const Act& act) {
  const Rule& rule = act.rule();
  bool succeeds = true;
  withState(rule.sort, object, [&](const auto& state) { succeeds = can(state, act); });
  if (isFailedTry(act.kind, act.argument)) return succeeds ? rule.wouldSucceed : nullptr;
  return succeeds ? nullptr : rule.impossible;
}
constexpr void perform(ObjectState& object, const Act& act) {
  if (isFailedTry(act.kind, act.argument)) return;
  withState(act.rule().sort, object, [&](auto& state) { perform(state, act); });
}
constexpr void undo(ObjectState& object, const Act& act) {
  if (isFailedTry(act.kind, act.argument)) return;
  withState(act.rule().sort, object, [&](auto& state) { undo(state, act); });
}

} // namespace symbiosis::sync
