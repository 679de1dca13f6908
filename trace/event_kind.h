#pragma once
// The kinds of events, listed once. Freestanding: the runtime inside the user's program includes it too.
// The numbers are part of the recording format; append, never renumber (docs/recipes.md, "Add an event kind").

// X(name, number, text)
#define SYMBIOSIS_EVENT_KINDS(X)                                                                                  \
  X(start, 1, "start")      /* first event of a thread */                                                         \
  X(exit, 2, "exit")        /* last event of a thread that ended by itself */                                     \
  X(fork, 3, "fork")        /* peer: the thread created */                                                        \
  X(join, 4, "join")        /* peer: the thread waited for */                                                     \
  X(read, 5, "read")        /* of one or more cells */                                                            \
  X(write, 6, "write")      /* of one or more cells */                                                            \
  X(rmw, 7, "rmw")          /* atomic read-modify-write, compare-exchange included */                             \
  X(lock, 8, "lock")        /* mutex acquired */                                                                  \
  X(unlock, 9, "unlock")    /* mutex released */                                                                  \
  X(trylock, 10, "trylock") /* outcome 0: acquired, otherwise busy */                                             \
  X(alloc, 11, "alloc")     /* the object comes to life */                                                        \
  X(free, 12, "free")       /* the object dies */                                                                 \
  X(input, 13, "input")     /* result of an external call */                                                      \
  X(failure, 14, "failure") /* the failing check; last event of the failing thread */

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
constexpr bool isSync(EventKind kind) {
  return kind == EventKind::fork || kind == EventKind::join || kind == EventKind::start ||
         kind == EventKind::exit || kind == EventKind::lock || kind == EventKind::unlock ||
         kind == EventKind::trylock;
}

} // namespace symbiosis
