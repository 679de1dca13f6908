#pragma once
// The kinds of events, listed once. Freestanding: the runtime inside the user's program includes it too.
// The numbers are part of the recording format; append, never renumber (docs/recipes.md, "Add an event kind").

// X(name, number, text)
#define SYMBIOSIS_EVENT_KINDS(X)                                                                                  \
  X(start, 1, "start")             /* first event of a thread */                                                  \
  X(exit, 2, "exit")               /* last event of a thread that ended by itself; may be the failure */          \
  X(fork, 3, "fork")               /* peer: the thread created */                                                 \
  X(join, 4, "join")               /* peer: the thread waited for */                                              \
  X(read, 5, "read")               /* of one or more cells */                                                     \
  X(write, 6, "write")             /* of one or more cells */                                                     \
  X(rmw, 7, "rmw")                 /* atomic read-modify-write, compare-exchange included */                      \
  X(lock, 8, "lock")               /* mutex acquired */                                                           \
  X(unlock, 9, "unlock")           /* mutex released */                                                           \
  X(trylock, 10, "trylock")        /* outcome 0: acquired, otherwise busy */                                      \
  X(alloc, 11, "alloc")            /* the object comes to life */                                                 \
  X(free, 12, "free")              /* the object dies */                                                          \
  X(input, 13, "input")            /* result of an external call */                                               \
  X(failure, 14, "failure")        /* last event of the failing thread; outcome: points between it and the end */ \
  X(waitBegin, 15, "wait-begin")   /* releases `mutex` and joins the queue of the condition variable, at once */  \
  X(wake, 16, "wake")              /* leaves the queue; outcome 0: was signalled, 1: timed out, 2: by itself */   \
  X(signal, 17, "signal")          /* wakes one waiter if any waits; otherwise it is lost */                      \
  X(broadcast, 18, "broadcast")    /* wakes all who wait */                                                       \
  X(rdlock, 19, "rdlock")          /* reader-writer lock, shared */                                               \
  X(wrlock, 20, "wrlock")          /* reader-writer lock, exclusive */                                            \
  X(tryrdlock, 21, "tryrdlock")    /* outcome 0: acquired, otherwise busy */                                      \
  X(trywrlock, 22, "trywrlock")    /* outcome 0: acquired, otherwise busy */                                      \
  X(rwunlock, 23, "rwunlock")      /* releases the thread's latest hold */                                        \
  X(semInit, 24, "sem-init")       /* outcome: the tokens that it adds */                                         \
  X(semPost, 25, "sem-post")       /* adds a token */                                                             \
  X(semWait, 26, "sem-wait")       /* takes a token */                                                            \
  X(semTrywait, 27, "sem-trywait") /* outcome 0: took a token, otherwise there was none */                        \
  X(barrierArrive, 28, "barrier-arrive") /* outcome: how many threads make a round */                             \
  X(barrierLeave, 29, "barrier-leave")   /* the round of the arrival is complete */                               \
  X(onceBegin, 30, "once-begin")         /* the first caller runs the initialiser */                              \
  X(onceEnd, 31, "once-end")             /* and has finished it */                                                \
  X(oncePass, 32, "once-pass")           /* another caller finds it finished */                                   \
  X(futexWait, 33, "futex-wait")         /* sees in a word what it expects and stands in its queue */             \
  X(futexWoken, 34, "futex-woken")       /* somebody has woken it */                                              \
  X(futexWake, 35, "futex-wake")         /* wakes all who stand in the queue of the word */                       \
  X(send, 36, "send")       /* bytes into a pipe, socket or eventfd; in a trace a rmw of its count */             \
  X(destroy, 37, "destroy") /* a mutex, condition variable … is destroyed: it must not be used any more */

namespace symbiosis {

enum class EventKind : unsigned char {
#define SYMBIOSIS_KIND(name, number, text) name = number,
  SYMBIOSIS_EVENT_KINDS(SYMBIOSIS_KIND)
#undef SYMBIOSIS_KIND
};

constexpr const char* toText(EventKind kind) {
  switch (kind) {
#define SYMBIOSIS_KIND(name, number, text)                                                                        \
  case EventKind::name: return text;
    SYMBIOSIS_EVENT_KINDS(SYMBIOSIS_KIND)
#undef SYMBIOSIS_KIND
  }
  return "?";
}

constexpr bool isAccess(EventKind kind) {
  return kind == EventKind::read || kind == EventKind::write || kind == EventKind::rmw;
}
// What other threads can wait for or be stopped by.
constexpr bool isSync(EventKind kind) {
  return !isAccess(kind) && kind != EventKind::alloc && kind != EventKind::free && kind != EventKind::input &&
         kind != EventKind::failure && kind != EventKind::send && kind != EventKind::destroy;
}

} // namespace symbiosis
