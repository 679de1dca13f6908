#pragma once
// What all wrappers share: finding the real function, and the two orders of logging. Acquisitions are done after
// they happened, releases before: whatever the moment at which the process is killed, a release that another
// thread may have seen is in the log. An acquisition is announced before, so that the log of a process that hangs
// says where each thread waits.
#include "profiler/runtime/runtime.h"

namespace symbiosis::runtime {

// `version`: some functions exist in several versions, and the dynamic linker would find the oldest.
template <typename Function> void findReal(Function& real, const char* name, const char* version) {
  if (!real)
    real = reinterpret_cast<Function>(version ? versionedDefinition(name, version) : nextDefinition(name));
}

template <typename Call>
int recordedAcquisition(EventKind kind, const void* object, Call call, Stamp stamp = Stamp::exact) {
  format::OpRecord* record = beginOp(kind, object, Stamp::coarse);
  const int result = call();
  if (result == 0) record->sequence = nextAcquisition(object);
  catchUp(object);
  finishWait(record, result, stamp);
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
