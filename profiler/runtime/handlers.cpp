// Handlers of signals that the program installs. One that runs while its thread is in a system call that the
// program made is part of the thread's path, like any callback: so it is with raise() and with interrupted waits.
// One that comes in the middle of instrumented code, or of the runtime, would write between two halves of what is
// being written there. It gets logs of its own, as if it were another thread (ThreadHeader::ordinal is
// kHandlerOrdinal); a marker in its path says where the path of its thread stood.
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/failures.h"
#include "profiler/runtime/operations.h"
#include "profiler/runtime/real.h"
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" {
extern const char __start_symbiosis_bodies[] __attribute__((weak, visibility("hidden")));
extern const char __stop_symbiosis_bodies[] __attribute__((weak, visibility("hidden")));
}

namespace {

struct sigaction handlers[NSIG] = {}; // of the program

// A call of the program that came to the kernel. Everything is logged then that was to be logged before it.
bool isInSystemCall(const void* context) {
  const auto pc =
      reinterpret_cast<const uint8_t*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  const bool inBody = isInstrumentedCode(pc);
  return !inBody && pc[-2] == 0x0F && pc[-1] == 0x05;
}

LogPosition positionNow() {
  return {__symbiosis_path, __symbiosis_path_limit, __symbiosis_values, __symbiosis_site};
}
void goTo(const LogPosition& position) {
  __symbiosis_path = position.path;
  __symbiosis_path_limit = position.limit;
  __symbiosis_values = position.values;
  __symbiosis_site = position.site;
}

// Where the interrupted path stands; its own begins with it.
void writeMarker(uint64_t interruptedAt) {
  uint64_t* next = __symbiosis_path + 2;
  __symbiosis_path[1] = format::kInterruptionMarker | interruptedAt;
  *next = 1;
  __symbiosis_path = next;
  if (next >= __symbiosis_path_limit) __symbiosis_path_more(next);
}

// In between, the thread's state and the place where it logs do not belong together.
struct NoSignals {
  const uint64_t blocked = blockSignals();
  ~NoSignals() { unblockSignals(blocked); }
};

// False: it must run without logs of its own.
bool enterHandler() {
  const NoSignals guard;
  ThreadState& interrupted = *self;
  const LogPosition before = positionNow();
  const uint64_t interruptedAt = pathPosition(interrupted);
  if (!interrupted.handler) {
    ThreadState* made = newHandler(interrupted);
    if (!made) return false;
    self = made;
    if (!openLogs(*made)) return self = &interrupted, goTo(before), false;
    made->position = positionNow();
    interrupted.handler = made;
    writeMarker(interruptedAt);
    finishOp(beginOp(EventKind::start, nullptr), 0);
  } else {
    self = interrupted.handler;
    goTo(self->position);
    __symbiosis_site = 0;
    writeMarker(interruptedAt);
  }
  self->interruptedAt = before;
  return true;
}

void call(const struct sigaction& handler, int signal, siginfo_t* info, void* context) {
  if (handler.sa_flags & SA_SIGINFO)
    handler.sa_sigaction(signal, info, context);
  else
    handler.sa_handler(signal);
}

void arrived(int signal, siginfo_t* info, void* context) {
  const struct sigaction handler = handlers[signal];
  const bool separate =
      recording() && !controlling() && self && __symbiosis_path && (self->busy || !isInSystemCall(context));
  if (!separate || !enterHandler()) return call(handler, signal, info, context);
  call(handler, signal, info, context);
  if (self->interrupted) leaveHandler();
}

bool isFunction(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

} // namespace

namespace symbiosis::runtime {

uint64_t blockSignals() {
  uint64_t all = ~uint64_t{0}, before = 0;
  control::systemCall(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&all), reinterpret_cast<long>(&before),
                      sizeof all);
  return before;
}
void unblockSignals(uint64_t blocked) {
  control::systemCall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&blocked), 0, sizeof blocked);
}

bool isInstrumentedCode(const void* pc) { return pc >= __start_symbiosis_bodies && pc < __stop_symbiosis_bodies; }

void leaveHandler() {
  const NoSignals guard;
  self->position = positionNow();
  goTo(self->interruptedAt);
  self = self->interrupted;
}

int setHandler(SetAction real, int signal, const struct sigaction* action, struct sigaction* old) {
  if (signal <= 0 || signal >= NSIG) return real(signal, action, old);
  const struct sigaction before = handlers[signal];
  struct sigaction ours;
  if (action && isFunction(*action) && recording() && !controlling()) {
    ours = *action;
    ours.sa_sigaction = arrived;
    ours.sa_flags |= SA_SIGINFO;
    handlers[signal] = *action;
    action = &ours;
  }
  const int result = real(signal, action, old);
  if (result != 0) handlers[signal] = before;
  if (result == 0 && old && old->sa_sigaction == arrived) {
    old->sa_sigaction = before.sa_sigaction;
    if (!(before.sa_flags & SA_SIGINFO)) old->sa_flags &= ~SA_SIGINFO;
  }
  return result;
}

} // namespace symbiosis::runtime

// A jump out of a handler never comes back to what the handler had interrupted, in the middle of what nobody
// knows.
static void leaveByJump() {
  if (!recording() || !self || !self->interrupted) return;
  reportProblem("a signal handler was left by a jump, where nobody can follow", 0);
  leaveHandler();
}

extern "C" {

// One type for all: libc's declarations differ in attributes that clang mangles alike.
using Jump = void (*)(struct __jmp_buf_tag*, int);
#define JUMP(name)                                                                                                \
  void name(struct __jmp_buf_tag* where, int value) noexcept {                                                    \
    static Jump real = nullptr;                                                                                   \
    findReal(real, #name, nullptr);                                                                               \
    leaveByJump();                                                                                                \
    real(where, value);                                                                                           \
    __builtin_unreachable();                                                                                      \
  }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
// As <setjmp.h> calls it in a fortified program.
[[noreturn]] void __longjmp_chk(struct __jmp_buf_tag* where, int value) noexcept;
JUMP(__longjmp_chk)
#undef JUMP

} // extern "C"
