#pragma once
// What all wrappers share: finding the real function, and the two orders of logging. Acquisitions are done after
// they happened, releases before: whatever the moment at which the process is killed, a release that another
// thread may have seen is in the log. An acquisition is announced before, so that the log of a process that hangs
// says where each thread waits.
#include "profiler/runtime/operations.h"
#include "trace/sync_model.h"
#include <errno.h>

namespace symbiosis::runtime {

// `version`: some functions exist in several versions, and the dynamic linker would find the oldest.
template <typename Function> void findReal(Function& real, const char* name, const char* version) {
  if (!real)
    real = reinterpret_cast<Function>(version ? versionedDefinition(name, version) : nextDefinition(name));
}

// In a wrapper: `real` is the function of that name which the program would have called.
#define FIND_REAL(name)                                                                                           \
  static decltype(&name) real = nullptr;                                                                          \
  findReal(real, #name, nullptr)

// Got what it asked for, though the last owner of a robust mutex died with it.
inline bool took(int result) { return result == 0 || result == EOWNERDEAD; }
// Semaphores return -1 and set errno.
inline bool ranOutOfTime(int result) { return result == ETIMEDOUT || (result == -1 && errno == ETIMEDOUT); }

// Who runs out of time has found it taken, as one does who only tries.
template <typename Call>
int recordedAcquisition(EventKind kind, const void* object, bool isTimed, Call call, Stamp stamp = Stamp::exact) {
  format::OpSlot* record =
      beginOp(kind, object, {.stamp = Stamp::coarse, .flags = uint8_t(isTimed ? format::kOpTimed : 0)});
  const int result = call();
  if (ranOutOfTime(result)) changeKind(record, sync::ruleOf(kind).attempt);
  catchUp(object);
  finishWait(record, took(result) ? 0 : result, stamp);
  return result;
}

// The same for what comes in millions: who finds it free has one record to write, and nothing to announce.
// `attempt` returns EBUSY if it would have to wait.
template <typename Attempt, typename Call> int recordedLock(const void* object, Attempt attempt, Call call) {
  const int result = self && __symbiosis_path ? attempt() : EBUSY;
  if (result == EBUSY) return recordedAcquisition(EventKind::lock, object, false, call, Stamp::coarse);
  catchUp(object);
  format::OpSlot* record = recordDone(*self, EventKind::lock, object, Stamp::coarse);
  if (!took(result)) finishOp(record, result);
  return result;
}

// A release counts from the first, because another thread may see it.
template <typename Call>
int recordedRelease(EventKind kind, const void* object, Call call, Stamp stamp = Stamp::exact) {
  if (!self) __symbiosis_adopt_thread();
  format::OpSlot* record = recordDone(*self, kind, object, stamp);
  noteRelease(object, self->clock);
  self->release = record;
  const int result = call();
  self->release = nullptr;
  if (result) finishOp(record, result);
  return result;
}

} // namespace symbiosis::runtime
