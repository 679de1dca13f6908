// Signals that end the process because of what a thread did: faults, traps, abort. The handler notes thread,
// signal and address, and then lets happen what would have happened: the default action, with the same siginfo, in
// the frame that faulted. A handler that the program installs replaces ours, and the program never sees ours.
//
// The handler may come at any moment: before a thread has logs or after it has closed them (libc looks at the heap
// when a thread ends), with a broken heap, on a full stack. It therefore uses nothing of libc's that could be
// broken, looks before it writes to a log, and if it faults itself, the first signal is still what ends the
// process.
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/failures.h"
#include "profiler/runtime/real.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" {
// The C++ runtime, if the program has one: only its published ABI is used, and only when the program has failed.
struct CxxTypeInfo {
  void* const* table;
  const char* name;
};
const CxxTypeInfo* __cxa_current_exception_type(void) __attribute__((weak));
void* __cxa_get_globals(void) __attribute__((weak));
extern const CxxTypeInfo _ZTISt9exception __attribute__((weak));               // typeid(std::exception)
void _ZN9__gnu_cxx27__verbose_terminate_handlerEv(void) __attribute__((weak)); // there: it is libstdc++
}

namespace {

constexpr int kWatched[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr size_t kStackSize = 64 * 1024;
bool isOurs[NSIG] = {}; // the handler of the signal

SetAction realSigaction = nullptr;

// What libc gives up for, as it prints it: "double free or corruption (fasttop)". Kept for debuggers by its own
// name.
struct AbortMessage {
  unsigned size;
  char text[];
};
AbortMessage* const* abortMessage = nullptr; // null: this libc does not keep it

void describeAbort(format::FailureRecord& record) {
  if (!abortMessage || !*abortMessage) return;
  const size_t length = copyText(record.what, sizeof record.what, (*abortMessage)->text);
  if (length && record.what[length - 1] == '\n') record.what[length - 1] = 0;
}

bool isInBody(const void* context) {
  return isInstrumentedCode(
      reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]));
}

// The object of the exception that is being handled, as libstdc++ keeps it.
void* currentException() {
  constexpr size_t kHeader = 112, kUnwindHeader = 80; // sizeof(__cxa_exception), offset of its last member
  if (!__cxa_get_globals || !_ZN9__gnu_cxx27__verbose_terminate_handlerEv) return nullptr;
  char* header = *static_cast<char**>(__cxa_get_globals());
  if (!header) return nullptr;
  const bool isDependent = header[kUnwindHeader] == 1; // made by rethrow_exception: names the first one
  return isDependent ? *reinterpret_cast<void**>(header) : header + kHeader;
}

void describeException(format::FailureRecord& record) {
  const CxxTypeInfo* type = __cxa_current_exception_type ? __cxa_current_exception_type() : nullptr;
  if (!type) return;
  copyText(record.exceptionType, sizeof record.exceptionType, type->name + (*type->name == '*'));
  void* object = currentException();
  *record.what = 0; // libc's own words are about the exception
  if (!object || !&_ZTISt9exception) return;
  // `catch (const std::exception&)`: slot 4 of a type_info's table decides it and adjusts the pointer.
  using Catches = bool (*)(const CxxTypeInfo*, const CxxTypeInfo*, void**, unsigned);
  const auto catches = reinterpret_cast<Catches>(_ZTISt9exception.table[4]);
  if (!catches(&_ZTISt9exception, type, &object, 1)) return;
  using What = const char* (*)(const void*);
  const auto what = reinterpret_cast<What>((*static_cast<void* const* const*>(object))[2]);
  copyText(record.what, sizeof record.what, what(object));
}

void note(int signal, const siginfo_t& info, const void* context) {
  format::FailureRecord record = failureRecord(format::FailureCause::signal);
  if (hasLogs(*self)) {
    if (recording()) finishOp(beginOp(EventKind::failure, nullptr), 0);
  } else {
    record.outsideLogs = recording();
  }
  record.signal = signal;
  record.code = info.si_code;
  const bool isFault = info.si_code > 0;
  if (isFault) record.address = reinterpret_cast<uint64_t>(info.si_addr);
  record.inBody = isFault && isInBody(context);
  if (signal == SIGABRT) describeAbort(record);
  writeFailure(record);
  if (signal != SIGABRT) return;
  // Now that the failure is safe: with the exception, if that can be found out.
  describeException(record);
  if (*record.exceptionType) writeFailure(record);
}

// A signal that another process sent is nothing that this thread did.
bool isOwn(const siginfo_t& info) { return info.si_code > 0 || info.si_pid == control::systemCall(SYS_getpid); }

// What the failing thread is ending the process with.
int fatalSignal = 0; // 0: not yet
siginfo_t fatalInfo = {};

void useDefault(int signal) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  realSigaction(signal, &standard, nullptr);
}

void sendAgain(int signal, siginfo_t* info) {
  control::systemCall(SYS_rt_tgsigqueueinfo, control::systemCall(SYS_getpid), control::systemCall(SYS_gettid),
                      signal, reinterpret_cast<long>(info));
}

// The handler itself has faulted, over an exception in a broken heap for example: what it had noted stays.
[[noreturn]] void endAsNoted() {
  useDefault(fatalSignal);
  unblockSignals(0);
  sendAgain(fatalSignal, &fatalInfo);
  control::systemCall(SYS_exit_group, 128 + fatalSignal); // not reached
  __builtin_unreachable();
}

void crashed(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  if (__symbiosis_mode != uint32_t(format::Mode::off) && self && isOwn(*info)) {
    if (claimFailure()) {
      fatalInfo = *info;
      fatalSignal = signal;
      note(signal, *info, context);
      linger();
    } else if (!hasFailed(self)) {
      waitForTheEnd();
    } else if (fatalSignal && fatalSignal != signal) {
      endAsNoted();
    }
  }
  useDefault(signal);
  // It is blocked here; on return it comes before the faulting instruction could be tried again.
  sendAgain(signal, info);
  errno = saved;
}

void install(int signal) {
  struct sigaction action = {};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  isOurs[signal] = realSigaction(signal, &action, nullptr) == 0;
}

bool isWatched(int signal) {
  for (int watched : kWatched)
    if (watched == signal) return true;
  return false;
}

} // namespace

namespace symbiosis::runtime {

void catchCrashes() {
  findReal(realSigaction, "sigaction", nullptr);
  abortMessage = static_cast<AbortMessage* const*>(dlsym(RTLD_DEFAULT, "__abort_msg"));
  for (int signal : kWatched) {
    struct sigaction current = {};
    // What was inherited as ignored stays ignored.
    if (realSigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) install(signal);
  }
}

void endBySignal(int signal) {
  fatalSignal = signal;
  fatalInfo.si_signo = signal;
  fatalInfo.si_code = SI_TKILL;
  __symbiosis_failed();
  endAsNoted();
}

void openSignalStack(ThreadState& thread) {
  stack_t current = {};
  if (sigaltstack(nullptr, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return;
  uint8_t* place = placeOfThread(thread.serial, 3);
  void* memory = mmap(place, kStackSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place ? MAP_FIXED : 0), -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kStackSize;
  if (sigaltstack(&stack, nullptr) == 0)
    thread.signalStack = static_cast<uint8_t*>(memory);
  else
    munmap(memory, kStackSize);
}

void closeSignalStack(ThreadState& thread) {
  if (!thread.signalStack) return;
  stack_t current = {};
  if (sigaltstack(nullptr, &current) == 0 && current.ss_sp == thread.signalStack) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, nullptr) != 0) return; // running on it: leave it there
  }
  munmap(thread.signalStack, kStackSize);
  thread.signalStack = nullptr;
}

} // namespace symbiosis::runtime

// What the program asks for and gets to see is as if our handlers were the default action.

extern "C" int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  findReal(realSigaction, "sigaction", nullptr);
  if (!isWatched(signal)) return setHandler(realSigaction, signal, action, old);
  if (!isOurs[signal]) {
    const int result = realSigaction(signal, action, old);
    const bool isDefault = action && action->sa_handler == SIG_DFL;
    if (result == 0 && isDefault && __symbiosis_mode != uint32_t(format::Mode::off)) install(signal);
    return result;
  }
  if (!action || action->sa_handler == SIG_DFL) {
    if (old) *old = {};
    return 0;
  }
  isOurs[signal] = false;
  const int result = realSigaction(signal, action, nullptr);
  if (result != 0) install(signal);
  if (result == 0 && old) *old = {};
  return result;
}

static sighandler_t install(int number, sighandler_t handler, int flags) {
  if (handler == SIG_ERR) return errno = EINVAL, SIG_ERR;
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

extern "C" sighandler_t signal(int number, sighandler_t handler) noexcept {
  return install(number, handler, SA_RESTART);
}

// What a program that asks for nothing but ISO C calls instead.
extern "C" sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return install(number, handler, SA_RESETHAND | SA_NODEFER);
}
