#include "symexec/outside_functions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include <linux/futex.h>
#include <sys/syscall.h>

using namespace llvm;

namespace symbiosis {

bool formats(const Function* callee) {
  static constexpr StringRef names[] = {"sprintf",       "snprintf",       "vsprintf",       "vsnprintf",
                                        "__sprintf_chk", "__snprintf_chk", "__vsprintf_chk", "__vsnprintf_chk"};
  return callee && is_contained(names, callee->getName());
}

static std::optional<EventKind> lastRecordOfName(StringRef name) {
  struct Wrapped {
    StringRef name;
    EventKind last;
  };
  static constexpr Wrapped wrapped[] = {
      {"pthread_create", EventKind::fork},
      {"pthread_join", EventKind::join},
      {"pthread_mutex_lock", EventKind::lock},
      {"pthread_mutex_trylock", EventKind::trylock},
      {"pthread_mutex_timedlock", EventKind::lock},
      {"pthread_mutex_clocklock", EventKind::lock},
      {"pthread_mutex_unlock", EventKind::unlock},
      {"pthread_spin_lock", EventKind::lock},
      {"pthread_spin_trylock", EventKind::trylock},
      {"pthread_spin_unlock", EventKind::unlock},
      {"pthread_cond_wait", EventKind::lock},
      {"pthread_cond_timedwait", EventKind::lock},
      {"pthread_cond_clockwait", EventKind::lock},
      {"pthread_cond_signal", EventKind::signal},
      {"pthread_cond_broadcast", EventKind::broadcast},
      {"pthread_rwlock_rdlock", EventKind::rdlock},
      {"pthread_rwlock_wrlock", EventKind::wrlock},
      {"pthread_rwlock_tryrdlock", EventKind::tryrdlock},
      {"pthread_rwlock_trywrlock", EventKind::trywrlock},
      {"pthread_rwlock_timedrdlock", EventKind::rdlock},
      {"pthread_rwlock_timedwrlock", EventKind::wrlock},
      {"pthread_rwlock_clockrdlock", EventKind::rdlock},
      {"pthread_rwlock_clockwrlock", EventKind::wrlock},
      {"pthread_rwlock_unlock", EventKind::rwunlock},
      {"sem_init", EventKind::semInit},
      {"sem_post", EventKind::semPost},
      {"sem_wait", EventKind::semWait},
      {"sem_timedwait", EventKind::semWait},
      {"sem_clockwait", EventKind::semWait},
      {"sem_trywait", EventKind::semTrywait},
      {"pthread_barrier_wait", EventKind::barrierLeave},
      {"pthread_mutex_destroy", EventKind::destroy},
      {"pthread_cond_destroy", EventKind::destroy},
      {"pthread_rwlock_destroy", EventKind::destroy},
      {"pthread_barrier_destroy", EventKind::destroy},
      {"sem_destroy", EventKind::destroy},
      {"pthread_once", EventKind::onceEnd},
      {"__cxa_guard_acquire", EventKind::onceBegin},
      {"__cxa_guard_release", EventKind::onceEnd},
      {"__cxa_guard_abort", EventKind::onceEnd},
      {"read", EventKind::write},
      {"eventfd_read", EventKind::write},
      {"pipe", EventKind::write},
      {"pipe2", EventKind::write},
      {"socketpair", EventKind::write},
      {"accept", EventKind::write},
      {"accept4", EventKind::write},
      {"pread", EventKind::write},
      {"pread64", EventKind::write},
      {"recv", EventKind::write},
      {"recvfrom", EventKind::write},
      {"sigwait", EventKind::write},
      {"sigwaitinfo", EventKind::write},
      {"sigtimedwait", EventKind::write},
      {"fread", EventKind::write},
      {"fgets", EventKind::write},
      {"getline", EventKind::write},
      {"getdelim", EventKind::write},
      {"getrandom", EventKind::write},
      {"getentropy", EventKind::write},
      {"sem_getvalue", EventKind::write},
      {"sched_getaffinity", EventKind::write},
      {"pthread_getaffinity_np", EventKind::write},
      {"pthread_key_create", EventKind::write},
      {"tss_create", EventKind::write},
      {"thrd_create", EventKind::fork},
      {"thrd_join", EventKind::join},
      {"mtx_lock", EventKind::lock},
      {"mtx_timedlock", EventKind::lock},
      {"mtx_trylock", EventKind::trylock},
      {"mtx_unlock", EventKind::unlock},
      {"cnd_wait", EventKind::lock},
      {"cnd_timedwait", EventKind::lock},
      {"cnd_signal", EventKind::signal},
      {"cnd_broadcast", EventKind::broadcast},
      {"call_once", EventKind::onceEnd},
      {"__assert_fail", EventKind::failure},
  };
  for (const Wrapped& entry : wrapped)
    if (name == entry.name) return entry.last;
  return std::nullopt;
}

std::optional<EventKind> lastRecordOf(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (formats(callee)) return EventKind::write;
  return callee ? lastRecordOfName(callee->getName()) : std::nullopt;
}

bool endsTheProcess(StringRef name) {
  return name == "exit" || name == "_exit" || name == "_Exit" || name == "quick_exit";
}

bool keepsToItself(const Function* callee) {
  static constexpr StringRef families[] = {"pthread_",
                                           "sem_",
                                           "mtx_",
                                           "cnd_",
                                           "thrd_",
                                           "tss_",
                                           "__cxa_",
                                           "_ZNSt18condition_variable",
                                           "_ZNSt6thread",
                                           "_ZNSt5mutex",
                                           "_Zdl",
                                           "_Zda",
                                           "_ZNSt8ios_base",
                                           "_ZNSt28__atomic_futex_unsigned_base",
                                           "_ZNSt13__future_base"};
  static constexpr StringRef names[] = {"free",
                                        "realloc", // what it copies is an event of its own
                                        "printf",
                                        "fprintf",
                                        "vprintf",
                                        "vfprintf",
                                        "dprintf",
                                        "puts",
                                        "fputs",
                                        "putc",
                                        "fputc",
                                        "putchar",
                                        "fwrite",
                                        "fflush",
                                        "perror",
                                        "syslog",
                                        "write",
                                        "send",
                                        "sendto",
                                        "close",
                                        "shutdown",
                                        "connect",
                                        "accept",
                                        "accept4",
                                        "eventfd_write",
                                        "usleep",
                                        "sleep",
                                        "nanosleep",
                                        "atexit",
                                        "__printf_chk",
                                        "__fprintf_chk",
                                        "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"};
  if (!callee) return false;
  const StringRef name = callee->getName();
  return is_contained(names, name) || any_of(families, [&](StringRef family) { return name.starts_with(family); });
}

bool isFutexWaitOrWake(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->getName() != "syscall" || call.arg_size() < 3) return false;
  const auto* number = dyn_cast<ConstantInt>(call.getArgOperand(0));
  const auto* operation = dyn_cast<ConstantInt>(call.getArgOperand(2));
  if (!number || number->getZExtValue() != SYS_futex || !operation) return false;
  const uint64_t command = operation->getZExtValue() & uint64_t(FUTEX_CMD_MASK);
  return command == FUTEX_WAIT || command == FUTEX_WAKE || command == FUTEX_WAIT_BITSET ||
         command == FUTEX_WAKE_BITSET;
}

bool writesNothing(const CallBase& call, const Function* callee) {
  return lastRecordOf(call) || call.onlyReadsMemory() || keepsToItself(callee) || isFutexWaitOrWake(call);
}

bool isInsertion(const Function* callee) {
  static constexpr StringRef known[] = {"_ZNSo", "_ZStls", "_ZSt16__ostream_insert", "_ZSt4endl", "_ZSt5flush"};
  return callee && any_of(known, [&](StringRef prefix) { return callee->getName().starts_with(prefix); });
}

bool isStandardStream(const GlobalVariable* global) {
  static constexpr StringRef known[] = {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"};
  return global && is_contained(known, global->getName());
}

} // namespace symbiosis
