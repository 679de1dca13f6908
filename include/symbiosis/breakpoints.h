/* Concurrent breakpoints for C11 and C++11 (Park and Sen 2011): they make a failure that depends on the schedule
 * happen in almost every run. This header is all there is: no library, no special compiler; pthreads and the GNU
 * dialect's expressions, which gcc and clang have.
 *
 * A breakpoint (l1, l2, phi) is a place in two threads, or in more, and a predicate. A thread that comes to its
 * place and finds the local part of the predicate true waits there for a while. If the others come to theirs
 * meanwhile and the joint part holds as well, the breakpoint is hit and the threads go on in the order of their
 * ranks, 0 first; otherwise the wait ends and the run goes on as it would have.
 *
 *   SYMBIOSIS_CONFLICT("race", 0, &p->x);  p->x = 10;          one thread
 *   SYMBIOSIS_CONFLICT("race", 1, &q->x);  t = q->x;           the other: behind the first
 *   SYMBIOSIS_DEADLOCK("ab", 0, &a, &b);   lock(&b);           holds a, wants b; elsewhere the other way round
 *   SYMBIOSIS_MEET("all", 2, 3, &queue);                       rank 2 of 3 threads
 *   SYMBIOSIS_TRIGGER("mine", 0, 2, local, joint, &state);     any predicates; joint(mine, other), both ways
 * Each is an expression: 1 if the breakpoint was hit, else 0. The same with a local predicate in front:
 *   SYMBIOSIS_CONFLICT_IF(SYMBIOSIS_IGNORE_FIRST(7200) && SYMBIOSIS_BOUND("race", 4), "race", 0, &p->x);
 *
 * Who has rank 1 goes on when who has rank 0 says SYMBIOSIS_GONE_ON() or comes to another trigger, or a hundredth
 * of a second later.
 *
 * Orderings are what `symbiosis breakpoints --emit patch` writes: one thread says that it has come so far, another
 * waits for that.
 *   SYMBIOSIS_REACHED("bug", 1, 2, "0.1", 1);          ordering 1 of 2: thread 0.1 is here for the first time
 *   SYMBIOSIS_AWAIT("bug", 1, 2, "0.2", 3);            waits for it: thread 0.2, here for the third time
 *   SYMBIOSIS_REACHED_AT_END("bug", 2, 2, "0.2", 3);   kept when thread 0.2 has ended
 *   SYMBIOSIS_HOLD("bug", "0.3", 1);                   thread 0.3 does not go on before the others have failed
 *
 * A wait for an ordering lasts 1 s, and when one was in vain nobody waits for the rest of them. The main thread is
 * "0", the n-th thread that it creates "0.n", and so on. For that a source defines
 * SYMBIOSIS_NAME_THREADS before it includes this header; then the program gets a pthread_create that counts.
 *
 * On and off: compile with -DSYMBIOSIS_BREAKPOINTS=0 and nothing is left of all this; set the environment variable
 * SYMBIOSIS_BREAKPOINTS to 0 and the triggers do nothing. A wait lasts 0.1 s; when it was in vain the next one at
 * this breakpoint lasts 1 s, and those after it 10 s. SYMBIOSIS_BREAKPOINTS_WAIT, in seconds, sets all of them.
 * The first hits are told on stderr when they happen, and all are counted there at exit.
 */
#ifndef SYMBIOSIS_BREAKPOINTS_H
#define SYMBIOSIS_BREAKPOINTS_H

#ifndef SYMBIOSIS_BREAKPOINTS
#define SYMBIOSIS_BREAKPOINTS 1
#endif

/* The short forms; what they are made of is below. */
#define SYMBIOSIS_CONFLICT(name, rank, object) SYMBIOSIS_CONFLICT_IF(1, name, rank, object)
#define SYMBIOSIS_DEADLOCK(name, rank, held, wanted) SYMBIOSIS_DEADLOCK_IF(1, name, rank, held, wanted)
#define SYMBIOSIS_MEET(name, rank, parties, object) SYMBIOSIS_MEET_IF(1, name, rank, parties, object)
#define SYMBIOSIS_CONFLICT_IF(local, name, rank, object) SYMBIOSIS_MEET_IF(local, name, rank, 2, object)

#if !SYMBIOSIS_BREAKPOINTS

static inline int __symbiosis_nothing(void) { return 0; }
#define SYMBIOSIS_MEET_IF(local, name, rank, parties, object) __symbiosis_nothing()
#define SYMBIOSIS_DEADLOCK_IF(local, name, rank, held, wanted) __symbiosis_nothing()
#define SYMBIOSIS_TRIGGER(name, rank, parties, local, joint, state) __symbiosis_nothing()
#define SYMBIOSIS_REACHED(name, number, all, thread, nth) __symbiosis_nothing()
#define SYMBIOSIS_REACHED_AT_END(name, number, all, thread, nth) __symbiosis_nothing()
#define SYMBIOSIS_AWAIT(name, number, all, thread, nth) __symbiosis_nothing()
#define SYMBIOSIS_HOLD(name, thread, nth) __symbiosis_nothing()
#define SYMBIOSIS_GONE_ON() __symbiosis_nothing()
#define SYMBIOSIS_HOLDS(type) __symbiosis_nothing()
#define SYMBIOSIS_LETS_GO(type) __symbiosis_nothing()
#define SYMBIOSIS_IGNORE_FIRST(count) __symbiosis_nothing()
#define SYMBIOSIS_BOUND(name, most) __symbiosis_nothing()
#define SYMBIOSIS_HITS(name) __symbiosis_nothing()
#define SYMBIOSIS_LOCK_TYPE_HELD(type) __symbiosis_nothing()
#define SYMBIOSIS_LOCK_HELD(mutex) __symbiosis_nothing()
#define SYMBIOSIS_WAIT_FOR(name, seconds) __symbiosis_nothing()
#define SYMBIOSIS_BETWEEN(value, trigger) (value)

#else

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Local predicates. IGNORE_FIRST(n): true from the n+1st time on that this place is reached. BOUND(name, n): the
 * breakpoint was hit less than n times. LOCK_TYPE_HELD(type): the thread is between HOLDS(type) and LETS_GO(type).
 * LOCK_HELD(&mutex): the thread holds this pthread_mutex_t. */
#define SYMBIOSIS_IGNORE_FIRST(count)                                                                             \
  __extension__({                                                                                                 \
    static unsigned long symbiosis_arrivals_;                                                                     \
    __atomic_add_fetch(&symbiosis_arrivals_, 1, __ATOMIC_RELAXED) > (unsigned long)(count);                       \
  })
#define SYMBIOSIS_BOUND(name, most) (__symbiosis_hits(name) < (unsigned long)(most))
#define SYMBIOSIS_HITS(name) __symbiosis_hits(name)
#define SYMBIOSIS_LOCK_TYPE_HELD(type) __symbiosis_holds_type(type)
#define SYMBIOSIS_LOCK_HELD(mutex) __symbiosis_holds_mutex(mutex)
#define SYMBIOSIS_HOLDS(type) __symbiosis_take_type(type)
#define SYMBIOSIS_LETS_GO(type) __symbiosis_release_type(type)

/* Triggers. */
#define SYMBIOSIS_MEET_IF(local, name, rank, parties, object)                                                     \
  (__symbiosis_is_on() && (local) ? __symbiosis_meet(name, rank, parties, object, object, 0, 0) : 0)
#define SYMBIOSIS_DEADLOCK_IF(local, name, rank, held, wanted)                                                    \
  (__symbiosis_is_on() && (local) ? __symbiosis_meet(name, rank, 2, held, wanted, 0, 0) : 0)
#define SYMBIOSIS_TRIGGER(name, rank, parties, local, joint, state)                                               \
  (__symbiosis_is_on() && (local) ? __symbiosis_meet(name, rank, parties, 0, 0, joint, state) : 0)
#define SYMBIOSIS_GONE_ON() (__symbiosis_is_on() ? __symbiosis_gone_on() : 0)
#define SYMBIOSIS_WAIT_FOR(name, seconds) (__symbiosis_is_on() ? __symbiosis_set_wait(name, seconds) : 0)

/* Orderings. Each place counts how often its thread has come there. */
#define SYMBIOSIS_REACHED(name, number, all, thread, nth)                                                         \
  __symbiosis_at(__symbiosis_reached, name, number, all, thread, nth)
#define SYMBIOSIS_REACHED_AT_END(name, number, all, thread, nth)                                                  \
  __symbiosis_at(__symbiosis_reach_at_end, name, number, all, thread, nth)
#define SYMBIOSIS_AWAIT(name, number, all, thread, nth)                                                           \
  __symbiosis_at(__symbiosis_await, name, number, all, thread, nth)
#define SYMBIOSIS_HOLD(name, thread, nth) __symbiosis_at(__symbiosis_hold, name, 0, 0, thread, nth)
#define __symbiosis_at(what, name, number, all, thread, nth)                                                      \
  __extension__({                                                                                                 \
    static unsigned long symbiosis_times_;                                                                        \
    __symbiosis_is_on() && __symbiosis_is_thread(thread) &&                                                       \
            __atomic_add_fetch(&symbiosis_times_, 1, __ATOMIC_RELAXED) == (nth)                                   \
        ? what(name, number, all)                                                                                 \
        : 0;                                                                                                      \
  })

/* A value, and something that is done behind its computation: x = SYMBIOSIS_BETWEEN(x + 1, trigger). */
#define SYMBIOSIS_BETWEEN(value, trigger)                                                                         \
  __extension__({                                                                                                 \
    __typeof__(value) symbiosis_value_ = (value);                                                                 \
    trigger;                                                                                                      \
    symbiosis_value_;                                                                                             \
  })

/* ---- What follows is how it is done. ----
 * Definitions are weak: all sources of a program share one state. One mutex guards it; triggers are few. */
#ifdef __cplusplus
extern "C" {
#endif

enum {
  __symbiosis_most_parties = 16,
  __symbiosis_most_orderings = 64,
  __symbiosis_most_types = 32,
  __symbiosis_most_ends = 16,
  __symbiosis_told_hits = 3,
  __symbiosis_id_length = 64
};

/* Threads of one hit go on by rank: `gone` is the rank of who may go on next. */
struct __symbiosis_meeting {
  int gone;
  struct __symbiosis_meeting* next;
};

/* A thread that waits at its place; on its own stack. */
struct __symbiosis_arrival {
  pthread_t thread;
  int rank;
  const void *first, *second; /* conflict: the object, twice; deadlock: the lock held, the lock wanted */
  int (*joint)(const void*, const void*);
  const void* state;
  struct __symbiosis_meeting* met; /* 0: waits still */
  struct __symbiosis_arrival* next;
};

struct __symbiosis_breakpoint {
  const char* name;
  unsigned long hits, vain; /* `vain`: waits that ended without one */
  double wait;              /* seconds; 0: as the vain waits so far say */
  struct __symbiosis_arrival* waiting;
  struct __symbiosis_meeting* meetings;
  int orderings, kept;                               /* of a breakpoint that is a list of orderings */
  unsigned char reached[__symbiosis_most_orderings]; /* by number */
  struct __symbiosis_breakpoint* next;
};

struct __symbiosis_state_type {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct __symbiosis_breakpoint* breakpoints;
  double wait; /* of the environment; 0: not set */
  int mode;    /* 0: nobody has looked; 1: on; 2: off */
};

struct __symbiosis_end {
  const char* name;
  int number, all;
};

struct __symbiosis_thread_type {
  struct __symbiosis_meeting* meeting; /* of the last hit, until it has gone on */
  int rank;                            /* in it */
  const char* types[__symbiosis_most_types];
  int type_count;
  char id[__symbiosis_id_length]; /* empty: nobody has looked; "?": not one that was counted */
  unsigned long children;
  struct __symbiosis_end ends[__symbiosis_most_ends]; /* orderings that its end keeps */
  int end_count;
};

__attribute__((weak)) struct __symbiosis_state_type __symbiosis_state = {PTHREAD_MUTEX_INITIALIZER,
                                                                         PTHREAD_COND_INITIALIZER, 0, 0, 0};
__attribute__((weak)) __thread struct __symbiosis_thread_type __symbiosis_thread;

/* <unistd.h> has both, one of them hidden by -std=c11, and much else that programs may have names for. */
#ifdef __cplusplus
int gettid(void) noexcept;
int getpid(void) noexcept;
#else
extern int gettid(void);
extern int getpid(void);
#endif

static inline double __symbiosis_now(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits for a change until `deadline`; 0: that has passed. */
static inline int __symbiosis_wait_until(double deadline) {
  struct timespec until;
  if (__symbiosis_now() >= deadline) return 0;
  until.tv_sec = (time_t)deadline;
  until.tv_nsec = (long)((deadline - (double)until.tv_sec) * 1e9);
  pthread_cond_timedwait(&__symbiosis_state.changed, &__symbiosis_state.mutex, &until);
  return 1;
}

static inline const char* __symbiosis_times(unsigned long count) { return count == 1 ? "time" : "times"; }

static inline void __symbiosis_report(void) {
  const struct __symbiosis_breakpoint* each;
  pthread_mutex_lock(&__symbiosis_state.mutex);
  for (each = __symbiosis_state.breakpoints; each; each = each->next) {
    if (each->orderings)
      fprintf(stderr, "symbiosis: breakpoint \"%s\": %d of %d orderings kept, %lu %s waited in vain\n", each->name,
              each->kept, each->orderings, each->vain, __symbiosis_times(each->vain));
    else
      fprintf(stderr, "symbiosis: breakpoint \"%s\": hit %lu %s, %lu %s waited in vain\n", each->name, each->hits,
              __symbiosis_times(each->hits), each->vain, __symbiosis_times(each->vain));
  }
  pthread_mutex_unlock(&__symbiosis_state.mutex);
}

/* Looks at the environment, once. */
__attribute__((weak, noinline)) int __symbiosis_begin(void) {
  pthread_mutex_lock(&__symbiosis_state.mutex);
  if (__symbiosis_state.mode == 0) {
    const char* on = getenv("SYMBIOSIS_BREAKPOINTS");
    const char* wait = getenv("SYMBIOSIS_BREAKPOINTS_WAIT");
    int mode = on && (strcmp(on, "0") == 0 || strcmp(on, "off") == 0) ? 2 : 1;
    if (wait) __symbiosis_state.wait = atof(wait);
    if (mode == 1) atexit(__symbiosis_report);
    __atomic_store_n(&__symbiosis_state.mode, mode, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return __symbiosis_state.mode == 1;
}

static inline int __symbiosis_is_on(void) {
  int mode = __atomic_load_n(&__symbiosis_state.mode, __ATOMIC_ACQUIRE);
  return mode ? mode == 1 : __symbiosis_begin();
}

/* The breakpoint of that name; made when it is first asked for. The mutex is held. */
static inline struct __symbiosis_breakpoint* __symbiosis_find(const char* name) {
  struct __symbiosis_breakpoint* found = __symbiosis_state.breakpoints;
  while (found && strcmp(found->name, name) != 0) found = found->next;
  if (found) return found;
  found = (struct __symbiosis_breakpoint*)calloc(1, sizeof *found);
  if (!found) abort();
  found->name = name;
  found->next = __symbiosis_state.breakpoints;
  __symbiosis_state.breakpoints = found;
  return found;
}

/* Seconds: as the environment says, as the program does, or `otherwise`. */
static inline double __symbiosis_wait_of(const struct __symbiosis_breakpoint* breakpoint, double otherwise) {
  if (__symbiosis_state.wait > 0) return __symbiosis_state.wait;
  return breakpoint->wait > 0 ? breakpoint->wait : otherwise;
}

static inline double __symbiosis_lengthened(const struct __symbiosis_breakpoint* breakpoint) {
  return breakpoint->vain == 0 ? 0.1 : breakpoint->vain == 1 ? 1 : 10;
}

static inline unsigned long __symbiosis_hits(const char* name) {
  unsigned long hits;
  pthread_mutex_lock(&__symbiosis_state.mutex);
  hits = __symbiosis_find(name)->hits;
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return hits;
}

static inline int __symbiosis_set_wait(const char* name, double seconds) {
  pthread_mutex_lock(&__symbiosis_state.mutex);
  __symbiosis_find(name)->wait = seconds;
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return 0;
}

static inline void __symbiosis_count_hit(struct __symbiosis_breakpoint* breakpoint) {
  if (++breakpoint->hits <= __symbiosis_told_hits)
    fprintf(stderr, "symbiosis: breakpoint \"%s\" hit\n", breakpoint->name);
}

/* The thread does what comes behind its last hit; who has the next rank may follow. The mutex is held. */
static inline void __symbiosis_let_follow(void) {
  struct __symbiosis_meeting* meeting = __symbiosis_thread.meeting;
  __symbiosis_thread.meeting = 0;
  if (!meeting || meeting->gone > __symbiosis_thread.rank) return;
  meeting->gone = __symbiosis_thread.rank + 1;
  pthread_cond_broadcast(&__symbiosis_state.changed);
}

static inline int __symbiosis_gone_on(void) {
  pthread_mutex_lock(&__symbiosis_state.mutex);
  __symbiosis_let_follow();
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return 0;
}

/* The joint predicate of two arrivals: a conflict has the same object, and of a deadlock each holds what the other
 * wants. */
static inline int __symbiosis_fit(const struct __symbiosis_arrival* a, const struct __symbiosis_arrival* b) {
  if (a->rank == b->rank || pthread_equal(a->thread, b->thread) || a->joint != b->joint) return 0;
  if (a->joint) return a->joint(a->state, b->state) && b->joint(b->state, a->state);
  return a->first == b->second && a->second == b->first;
}

/* Chooses from `waiting` who fits each of the chosen, until there are `parties`. */
static inline int __symbiosis_choose(struct __symbiosis_arrival* waiting, struct __symbiosis_arrival** chosen,
                                     int count, int parties) {
  int i;
  if (count == parties) return 1;
  for (; waiting; waiting = waiting->next) {
    int fits = waiting->met == 0 && waiting->rank < parties;
    for (i = 0; fits && i < count; ++i) fits = __symbiosis_fit(waiting, chosen[i]);
    if (!fits) continue;
    chosen[count] = waiting;
    if (__symbiosis_choose(waiting->next, chosen, count + 1, parties)) return 1;
  }
  return 0;
}

static inline struct __symbiosis_meeting* __symbiosis_new_meeting(struct __symbiosis_breakpoint* breakpoint) {
  struct __symbiosis_meeting* meeting = (struct __symbiosis_meeting*)calloc(1, sizeof *meeting);
  if (!meeting) abort();
  meeting->next = breakpoint->meetings;
  return breakpoint->meetings = meeting;
}

static inline void __symbiosis_leave(struct __symbiosis_breakpoint* breakpoint,
                                     const struct __symbiosis_arrival* arrival) {
  struct __symbiosis_arrival** link = &breakpoint->waiting;
  while (*link && *link != arrival) link = &(*link)->next;
  if (*link) *link = arrival->next;
}

/* After a hit: until everybody of a lower rank has gone on, or a hundredth of a second for each has passed. */
static inline void __symbiosis_follow(struct __symbiosis_meeting* meeting, int rank) {
  const double deadline = __symbiosis_now() + 0.01 * rank;
  while (meeting->gone < rank && __symbiosis_wait_until(deadline)) continue;
  if (meeting->gone < rank) meeting->gone = rank;
  __symbiosis_thread.meeting = meeting;
  __symbiosis_thread.rank = rank;
}

__attribute__((weak, noinline)) int __symbiosis_meet(const char* name, int rank, int parties, const void* first,
                                                     const void* second, int (*joint)(const void*, const void*),
                                                     const void* state) {
  struct __symbiosis_arrival* chosen[__symbiosis_most_parties];
  struct __symbiosis_breakpoint* breakpoint;
  struct __symbiosis_arrival mine;
  double deadline;
  int i;
  if (rank < 0 || rank >= parties || parties > __symbiosis_most_parties) {
    fprintf(stderr, "symbiosis: breakpoint \"%s\": rank %d of %d threads; at most %d can meet\n", name, rank,
            parties, (int)__symbiosis_most_parties);
    abort();
  }
  pthread_mutex_lock(&__symbiosis_state.mutex);
  __symbiosis_let_follow();
  breakpoint = __symbiosis_find(name);
  mine.thread = pthread_self();
  mine.rank = rank;
  mine.first = first;
  mine.second = second;
  mine.joint = joint;
  mine.state = state;
  mine.met = 0;
  mine.next = 0;
  chosen[0] = &mine;
  if (__symbiosis_choose(breakpoint->waiting, chosen, 1, parties)) {
    struct __symbiosis_meeting* meeting = __symbiosis_new_meeting(breakpoint);
    __symbiosis_count_hit(breakpoint);
    for (i = 0; i < parties; ++i) chosen[i]->met = meeting;
    pthread_cond_broadcast(&__symbiosis_state.changed);
  } else {
    mine.next = breakpoint->waiting;
    breakpoint->waiting = &mine;
    deadline = __symbiosis_now() + __symbiosis_wait_of(breakpoint, __symbiosis_lengthened(breakpoint));
    while (!mine.met && __symbiosis_wait_until(deadline)) continue;
    __symbiosis_leave(breakpoint, &mine);
  }
  if (mine.met)
    __symbiosis_follow(mine.met, rank);
  else
    ++breakpoint->vain;
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return mine.met != 0;
}

/* The breakpoint as a list of orderings. The mutex is held. */
static inline struct __symbiosis_breakpoint* __symbiosis_find_list(const char* name, int number, int all) {
  struct __symbiosis_breakpoint* breakpoint = __symbiosis_find(name);
  if (number < 1 || number > all || all >= __symbiosis_most_orderings) abort();
  breakpoint->orderings = all;
  return breakpoint;
}

__attribute__((weak, noinline)) int __symbiosis_reached(const char* name, int number, int all) {
  pthread_mutex_lock(&__symbiosis_state.mutex);
  __symbiosis_find_list(name, number, all)->reached[number] = 1;
  pthread_cond_broadcast(&__symbiosis_state.changed);
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return 1;
}

__attribute__((weak, noinline)) int __symbiosis_await(const char* name, int number, int all) {
  struct __symbiosis_breakpoint* breakpoint;
  double deadline;
  int kept;
  pthread_mutex_lock(&__symbiosis_state.mutex);
  breakpoint = __symbiosis_find_list(name, number, all);
  deadline = __symbiosis_now() + __symbiosis_wait_of(breakpoint, 1);
  while (!breakpoint->reached[number] && breakpoint->vain == 0 && __symbiosis_wait_until(deadline)) continue;
  kept = breakpoint->reached[number];
  if (!kept)
    ++breakpoint->vain;
  else if (++breakpoint->kept == all)
    __symbiosis_count_hit(breakpoint);
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return kept;
}

/* The others come to the failure meanwhile, and the process ends; or they do not. */
__attribute__((weak, noinline)) int __symbiosis_hold(const char* name, int number, int all) {
  struct __symbiosis_breakpoint* breakpoint;
  double deadline;
  (void)number, (void)all;
  pthread_mutex_lock(&__symbiosis_state.mutex);
  breakpoint = __symbiosis_find(name);
  deadline = __symbiosis_now() + __symbiosis_wait_of(breakpoint, 1);
  while (breakpoint->vain == 0 && __symbiosis_wait_until(deadline)) continue;
  pthread_mutex_unlock(&__symbiosis_state.mutex);
  return 0;
}

/* The thread's end keeps the ordering. */
static inline int __symbiosis_reach_at_end(const char* name, int number, int all) {
  struct __symbiosis_thread_type* mine = &__symbiosis_thread;
  struct __symbiosis_end* end = &mine->ends[mine->end_count];
  if (mine->end_count == __symbiosis_most_ends) abort();
  end->name = name;
  end->number = number;
  end->all = all;
  ++mine->end_count;
  return 1;
}

/* Types of locks that the thread holds, by name; the latest last. */
static inline int __symbiosis_take_type(const char* type) {
  struct __symbiosis_thread_type* mine = &__symbiosis_thread;
  if (mine->type_count == __symbiosis_most_types) abort();
  mine->types[mine->type_count++] = type;
  return 1;
}

static inline int __symbiosis_type_at(const char* type) {
  int at = __symbiosis_thread.type_count - 1;
  while (at >= 0 && strcmp(__symbiosis_thread.types[at], type) != 0) --at;
  return at;
}

static inline int __symbiosis_holds_type(const char* type) { return __symbiosis_type_at(type) >= 0; }

static inline int __symbiosis_release_type(const char* type) {
  struct __symbiosis_thread_type* mine = &__symbiosis_thread;
  int at = __symbiosis_type_at(type);
  if (at < 0) return 0;
  for (--mine->type_count; at < mine->type_count; ++at) mine->types[at] = mine->types[at + 1];
  return 1;
}

/* glibc keeps the owner in every kind of mutex; one that is initialised without `PTHREAD_MUTEX_…_NP` too. */
static inline int __symbiosis_holds_mutex(const pthread_mutex_t* mutex) {
  return mutex->__data.__owner == (int)gettid();
}

/* The main thread is the one whose id is that of the process; nobody else has created it. */
static inline int __symbiosis_is_thread(const char* id) {
  if (!__symbiosis_thread.id[0]) __symbiosis_thread.id[0] = (int)gettid() == (int)getpid() ? '0' : '?';
  return strcmp(__symbiosis_thread.id, id) == 0;
}

#ifdef SYMBIOSIS_NAME_THREADS
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
#error "threads are counted by a pthread_create of the program's own, which a sanitizer has already"
#endif
#include <dlfcn.h>

struct __symbiosis_start {
  void* (*function)(void*);
  void* argument;
  char id[__symbiosis_id_length];
};

static inline void __symbiosis_thread_ends(void* unused) {
  const struct __symbiosis_end* end = __symbiosis_thread.ends;
  int left = __symbiosis_thread.end_count;
  for (; left > 0; --left, ++end) __symbiosis_reached(end->name, end->number, end->all);
  (void)unused;
}

/* However the thread ends: by return, pthread_exit or cancellation. */
static inline void* __symbiosis_run(void* given) {
  struct __symbiosis_start start = *(struct __symbiosis_start*)given;
  void* result;
  free(given);
  memcpy(__symbiosis_thread.id, start.id, sizeof start.id);
  pthread_cleanup_push(__symbiosis_thread_ends, 0);
  result = start.function(start.argument);
  pthread_cleanup_pop(1);
  return result;
}

/* Gives the new thread its id: that of its creator, and how many that one has created. */
#ifdef __cplusplus
__attribute__((weak)) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                         void* (*function)(void*), void* argument) noexcept
#else
__attribute__((weak)) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                         void* (*function)(void*), void* argument)
#endif
{
  typedef int (*creator)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static creator real;
  struct __symbiosis_start* start = (struct __symbiosis_start*)malloc(sizeof *start);
  creator create = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!start) return 11; /* EAGAIN */
  if (!create) {
    void* next = dlsym((void*)-1l, "pthread_create"); /* RTLD_NEXT */
    memcpy(&create, &next, sizeof create);
    __atomic_store_n(&real, create, __ATOMIC_RELAXED);
  }
  start->function = function;
  start->argument = argument;
  snprintf(start->id, sizeof start->id, "%.40s.%lu", __symbiosis_thread.id[0] ? __symbiosis_thread.id : "0",
           ++__symbiosis_thread.children);
  return create(thread, attributes, __symbiosis_run, start);
}

#if !defined __cplusplus && !defined __STDC_NO_THREADS__
#include <threads.h>

struct __symbiosis_c11_start {
  thrd_start_t function;
  void* argument;
};

static inline void* __symbiosis_run_c11(void* given) {
  struct __symbiosis_c11_start start = *(struct __symbiosis_c11_start*)given;
  free(given);
  return (void*)(long)start.function(start.argument);
}

/* A thread of C11 is one of pthreads whose result is an int. */
__attribute__((weak)) int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  struct __symbiosis_c11_start* start = (struct __symbiosis_c11_start*)malloc(sizeof *start);
  if (!start) return thrd_nomem;
  start->function = function;
  start->argument = argument;
  return pthread_create(thread, 0, __symbiosis_run_c11, start) == 0 ? thrd_success : thrd_error;
}
#endif
#endif

#ifdef __cplusplus
}
#endif
#endif
#endif
