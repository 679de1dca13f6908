#pragma once
// What all wrappers share: finding the real function, and the two orders of logging. Acquisitions are done after
// they happened, releases before: whatever the moment at which the process is killed, a release that another
// thread may have seen is in the log. An acquisition is announced before, so that the log of a process that hangs
// says where each thread waits.
#include "profiler/runtime/runtime.h"
#include <errno.h>

namespace symbiosis::runtime {

// `version`: some functions exist in several versions, and the dynamic linker would find the oldest.
template <typename Function> void findReal(Function& real, const char* name, const char* version) {
  if (!real)
    real = reinterpret_cast<Function>(version ? versionedDefinition(name, version) : nextDefinition(name));
}

// Got what it asked for, though the last owner of a robust mutex died with it.
inline bool took(int result) { return result == 0 || result == EOWNERDEAD; }
// Semaphores return -1 and set errno.
inline bool ranOutOfTime(int result) { return result == ETIMEDOUT || (result == -1 && errno == ETIMEDOUT); }

// Who runs out of time has found it taken, as one does who only tries.
template <typename Call>
int recordedAcquisition(EventKind kind, const void* object, Call call, Stamp stamp = Stamp::exact) {
  format::OpRecord* record = beginOp(kind, object, Stamp::coarse);
  const int result = call();
  if (ranOutOfTime(result)) record->kind = uint8_t(attemptOf(kind));
  if (took(result)) record->sequence = nextAcquisition(object);
  catchUp(object);
  finishWait(record, took(result) ? 0 : result, stamp);
  return result;
}

template <typename Call>
int recordedRelease(EventKind kind, const void* object, Call call, Stamp stamp = Stamp::exact) {
  format::OpRecord* record = beginOp(kind, object, stamp);
  noteRelease(object, record->timestamp);
  const int result = call();
  finishOp(record, result);
  return result;
}

} // namespace symbiosis::runtime
