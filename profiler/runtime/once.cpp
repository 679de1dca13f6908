// One-time initialisation: pthread_once, which std::call_once and C11's call_once come to, and function-local
// statics.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" int pthread_once(pthread_once_t* once, void (*initialise)(void)) {
  using Once = int (*)(pthread_once_t*, void (*)(void));
  static Once real = nullptr;
  findReal(real, "pthread_once", nullptr);
  if (!recording() && !control::inControl()) return real(once, initialise);
  format::OpSlot* pass = recording() ? beginOp(EventKind::oncePass, once) : nullptr;
  if (control::inControl()) control::announce(control::counted(EventKind::onceBegin, once));
  // The initialiser takes no argument: it is handed over in this thread's own variable.
  static __thread void (*wanted)(void);
  static __thread pthread_once_t* object;
  static __thread format::OpSlot* record; // announces a pass; becomes a beginning if nobody has begun
  static __thread bool ran;
  auto* previousWanted = wanted;
  pthread_once_t* previousObject = object;
  wanted = initialise;
  object = once;
  ran = false;
  record = pass;
  const int result = real(once, [] {
    if (record) {
      changeKind(record, EventKind::onceBegin);
      finishWait(record, 0);
    }
    if (control::inControl()) control::claimOnce(object);
    auto* mine = object; // the initialiser may itself call pthread_once
    wanted();
    if (control::inControl()) control::endOnce(control::counted(EventKind::onceEnd, mine));
    if (recording()) finishOp(beginOp(EventKind::onceEnd, mine), 0);
    ran = true;
  });
  if (!ran && pass) finishWait(pass, result);
  wanted = previousWanted;
  object = previousObject;
  return result;
}

// Function-local statics. Instrumented code looks at the guard itself and calls these only if it is not set, so
// setting it is a write that others read.
namespace {

control::Operation guardOperation(EventKind kind, const void* guard) {
  control::Operation operation = control::counted(kind, guard);
  operation.isGuard = true;
  return operation;
}

// Setting the guard comes first: who finds the initialiser ended must find the guard set.
void finishInitialiser(uint64_t* guard, void (*real)(uint64_t*), bool made) {
  const bool controlled = control::inControl();
  if (made) {
    constexpr uint8_t kSet = 1;
    if (controlled) control::announce(control::counted(EventKind::write, guard));
    recordWritten(guard, &kSet, sizeof kSet);
    if (controlled) real(guard);
  }
  if (controlled) control::endOnce(guardOperation(EventKind::onceEnd, guard));
  // An initialiser that has thrown did not happen.
  if (recording()) finishOp(beginOp(EventKind::onceEnd, guard), made ? 0 : 1);
  if (!controlled || !made) real(guard);
}

} // namespace

extern "C" int __cxa_guard_acquire(uint64_t* guard) {
  static int (*real)(uint64_t*) = nullptr;
  findReal(real, "__cxa_guard_acquire", nullptr);
  format::OpSlot* record = recording() ? beginOp(EventKind::oncePass, guard) : nullptr;
  if (control::inControl()) control::announce(guardOperation(EventKind::onceBegin, guard));
  const int mustRun = real(guard);
  if (mustRun && control::inControl()) control::claimOnce(guard);
  if (record && mustRun) changeKind(record, EventKind::onceBegin);
  if (record) finishWait(record, 0);
  return mustRun;
}

extern "C" void __cxa_guard_release(uint64_t* guard) noexcept {
  static void (*real)(uint64_t*) = nullptr;
  findReal(real, "__cxa_guard_release", nullptr);
  finishInitialiser(guard, real, true);
}

extern "C" void __cxa_guard_abort(uint64_t* guard) noexcept {
  static void (*real)(uint64_t*) = nullptr;
  findReal(real, "__cxa_guard_abort", nullptr);
  finishInitialiser(guard, real, false);
}
