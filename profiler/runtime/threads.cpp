// Threads: hierarchical identities (the j-th child of t is t.j, Symbiosis §4.2), fork, join and exit.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/failures.h"
#include "profiler/runtime/real.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

static void processEnds();

namespace symbiosis::runtime {

namespace {

ThreadState* newest = nullptr; // registry; entries are never removed
pthread_key_t endKey;

// Thread states come from pages of our own and are never given back.
ThreadState* allocateState() {
  struct Page {
    uint64_t used;
    ThreadState states[1];
  };
  constexpr size_t kPageSize = 64 * 1024;
  constexpr size_t kPerPage = (kPageSize - sizeof(uint64_t)) / sizeof(ThreadState);
  static Page* page = nullptr;
  static int lock = 0;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
  }
  if (!page || page->used == kPerPage) {
    void* memory = mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page = memory == MAP_FAILED ? nullptr : static_cast<Page*>(memory);
  }
  ThreadState* state = page ? &page->states[page->used++] : nullptr;
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return state;
}

// Runs in the last round of the key destructors, after the thread_local destructors of the program.
void threadEnds(void* value) {
  ThreadState* state = static_cast<ThreadState*>(value);
  if (++state->destructorRounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(endKey, state);
    return;
  }
  if (state->finished) return;
  state->finished = true;
  blockSignals(); // there are no logs any more for a handler
  while (self != state && self->interrupted) leaveHandler();
  const bool controlled = control::inControl();
  if (controlled) control::announce(control::counted(EventKind::exit, nullptr));
  if (recording()) {
    finishOp(beginOp(EventKind::exit, nullptr), 0);
    closeLogs(*state);
  }
  closeSignalStack(*state);
  if (controlled) control::leave();
}

void* trampoline(void* argument) {
  ThreadState& thread = *static_cast<ThreadState*>(argument);
  enterThread(thread);
  return reinterpret_cast<void* (*)(void*)>(thread.startRoutine)(thread.startArgument);
}

} // namespace

void enterThread(ThreadState& thread) {
  self = &thread;
  beginThread(thread);
}

ThreadState* announceThread(void* routine, void* argument, format::OpSlot*& record) {
  if (control::inControl()) control::announce(control::counted(EventKind::fork, nullptr));
  ThreadState* child = newThread(self);
  record = recording() ? beginOp(EventKind::fork, nullptr, {.argument = child ? child->serial : 0}) : nullptr;
  if (!child) return nullptr;
  child->startRoutine = routine;
  child->startArgument = argument;
  child->control.cores = self->control.cores;
  // The thread is born with all signals blocked: a handler that came before its logs are open would not know it.
  child->startsBlocked = recording() && !controlling();
  if (child->startsBlocked) child->signalMask = blockSignals();
  return child;
}

void threadCreated(ThreadState* child, pthread_t handle, int result, format::OpSlot* record) {
  if (child && child->startsBlocked) unblockSignals(child->signalMask);
  if (child && result == 0) {
    __atomic_store_n(&child->handle, handle, __ATOMIC_RELAXED);
    if (control::inControl()) control::waitUntilParked(*child);
  }
  if (record) finishOp(record, result);
}

static uint32_t ownTask() { return uint32_t(control::systemCall(SYS_gettid)); }

void beginThread(ThreadState& thread) {
  __atomic_store_n(&thread.control.task, ownTask(), __ATOMIC_RELAXED);
  if (controlling()) control::beginThread(thread);
  pthread_setspecific(endKey, &thread);
  openSignalStack(thread);
  if (!recording()) return;
  const uint64_t blocked = blockSignals(); // a handler that came now would find no logs
  if (openLogs(thread)) finishOp(beginOp(EventKind::start, nullptr), 0);
  unblockSignals(thread.startsBlocked ? thread.signalMask : blocked);
}

void createThreadKey() {
  FIND_REAL(pthread_key_create);
  real(&endKey, threadEnds);
}
void noticeQuickExit() { at_quick_exit(processEnds); } // the first that is registered runs last

ThreadState* newThread(ThreadState* parent) {
  ThreadState* state = allocateState();
  if (!state) return nullptr;
  state->serial = __atomic_fetch_add(&processHeader->threads, 1u, __ATOMIC_RELAXED);
  state->parentSerial = parent ? parent->serial : state->serial;
  state->ordinal = parent ? ++parent->children : 0;
  state->next = __atomic_load_n(&newest, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&newest, &state->next, state, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  return state;
}

ThreadState* newHandler(ThreadState& interrupted) {
  const uint32_t children = interrupted.children;
  ThreadState* state = newThread(&interrupted);
  interrupted.children = children; // it is none
  if (!state) return nullptr;
  state->ordinal = format::kHandlerOrdinal;
  state->interrupted = &interrupted;
  return state;
}

void startMainThread() {
  ThreadState* state = newThread(nullptr);
  if (!state) return;
  self = state;
  state->handle = pthread_self();
  state->control.task = ownTask();
  if (controlling()) {
    control::registerMainThread(*state);
    pthread_setspecific(endKey, state); // it may end before the others, by pthread_exit
  }
  openSignalStack(*state);
  if (!recording()) return;
  if (openLogs(*state)) finishOp(beginOp(EventKind::start, nullptr), 0);
}

// Handles are used again after a join; the newest thread with this handle is meant.
ThreadState* findThread(pthread_t handle) {
  for (ThreadState* state = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); state; state = state->next)
    if (!state->interrupted && pthread_equal(__atomic_load_n(&state->handle, __ATOMIC_RELAXED), handle))
      return state;
  return nullptr;
}

} // namespace symbiosis::runtime

// One that has failed is going to end the process: the calling thread, which would end it as well, does not
// overtake it.
static void leaveTheEndToWhoFailed() {
  if (!anyHasFailed() || hasFailed(self)) return;
  if (control::inControl() && control::isLingering()) control::neverGoOn();
  waitForTheEnd();
}

// The program ends itself: the thread that does so has come to its end too.
__attribute__((destructor)) static void processEnds() {
  if (!self || self->finished) return;
  leaveTheEndToWhoFailed();
  self->finished = true;
  if (control::inControl()) {
    control::announce(control::counted(EventKind::exit, nullptr));
    leaveTheEndToWhoFailed(); // in the meantime
    control::status->outcome = format::ControlOutcome::finished;
  }
  if (!recording()) return;
  finishOp(beginOp(EventKind::exit, nullptr), 0);
}

// Without the destructors.
extern "C" void _exit(int status) {
  if (__symbiosis_mode != uint32_t(format::Mode::off)) processEnds();
  control::systemCall(SYS_exit_group, status);
  __builtin_unreachable();
}
extern "C" void _Exit(int status) noexcept { _exit(status); }

extern "C" void __symbiosis_adopt_thread(void) {
  // Not announced by pthread_create: a child of the main thread by default, so that it has a name.
  ThreadState* root = newest;
  while (root && root->next) root = root->next;
  self = newThread(root);
  if (!self) return;
  self->control.cores = root->control.cores;
  self->handle = pthread_self();
  beginThread(*self);
}

extern "C" int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) {
  static decltype(&pthread_create) real = nullptr;
  if (!real) real = reinterpret_cast<decltype(real)>(nextDefinition("pthread_create"));
  return createThread(handle, reinterpret_cast<void*>(routine), argument, [&](ThreadState* child) {
    return child ? real(handle, attributes, trampoline, child) : real(handle, attributes, routine, argument);
  });
}

int symbiosis::runtime::joinThread(pthread_t handle, void** value) {
  static decltype(&pthread_join) real = nullptr;
  if (!real) real = reinterpret_cast<decltype(real)>(nextDefinition("pthread_join"));
  const bool controlled = control::inControl();
  if (!controlled && !recording()) return real(handle, value);
  ThreadState* peer = findThread(handle);
  const uint64_t serial = peer ? peer->serial : ~uint64_t{0};
  format::OpSlot* record = recording() ? beginOp(EventKind::join, nullptr, {.argument = serial}) : nullptr;
  if (controlled) {
    control::announceJoin(peer);
    control::actOnCancellation();
  }
  int result = real(handle, value);
  if (record) finishWait(record, result);
  return result;
}

extern "C" int pthread_join(pthread_t handle, void** value) {
  void* returned = nullptr;
  const int result = joinThread(handle, &returned);
  if (value) tellByPointer(value, returned, result == 0);
  return result;
}

// A child that does not become another program is not part of the run: it goes on unobserved.
extern "C" pid_t fork(void) noexcept {
  static decltype(&fork) real = nullptr;
  if (!real) real = reinterpret_cast<decltype(real)>(nextDefinition("fork"));
  const pid_t child = real();
  if (__symbiosis_mode == uint32_t(format::Mode::off)) return child;
  if (child > 0) __atomic_fetch_add(&processHeader->forked, 1u, __ATOMIC_RELAXED);
  if (child != 0) return child;
  if (recording() && self) detachLogs(*self);
  control::unpinChild();
  __symbiosis_mode = uint32_t(format::Mode::off);
  __symbiosis_point_stop = ~uint64_t{0};
  return child;
}
