// Why the program failed, in its own words.
#include "profiler/runtime/failures.h"
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/operations.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace symbiosis::runtime {
namespace {

ThreadState* failing = nullptr; // the first that failed; null: none

} // namespace

bool claimFailure() {
  ThreadState* nobody = nullptr;
  return __atomic_compare_exchange_n(&failing, &nobody, self, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool hasFailed(const ThreadState* thread) { return __atomic_load_n(&failing, __ATOMIC_ACQUIRE) == thread; }

bool anyHasFailed() { return !hasFailed(nullptr); }

static void sleepMilliseconds(long count) {
  const timespec time = {count / 1000, count % 1000 * 1000000};
  control::systemCall(SYS_nanosleep, reinterpret_cast<long>(&time), 0);
}

void waitForTheEnd() { sleepMilliseconds(2000); }

void linger() {
  if (!recording()) return;
  if (control::inControl())
    control::linger();
  else
    sleepMilliseconds(100);
}

format::FailureRecord failureRecord(format::FailureCause cause) {
  format::FailureRecord record = {};
  memcpy(record.magic, format::kFailureMagic, sizeof record.magic);
  record.version = format::kFormatVersion;
  record.serial = self->serial;
  record.cause = cause;
  record.index = controlling() ? __symbiosis_point_index : format::kNoIndex;
  return record;
}

void writeFailure(const format::FailureRecord& record) {
  char name[4200];
  size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, "/failure");
  const int fd = openLog(name, O_WRONLY | O_CREAT | O_TRUNC);
  if (fd < 0) return;
  const long put = control::systemCall(SYS_write, fd, reinterpret_cast<long>(&record), sizeof record);
  if (put < 0) reportProblem("cannot write the failure", int(-put));
  control::closeFile(fd);
}

void failBy(format::HeapMisuse what, const void* address, bool inBody) {
  if (!claimFailure()) return;
  if (recording() && self->release) forgetOp(self->release); // it will never be made
  if (recording()) finishOp(beginOp(EventKind::failure, nullptr), 0);
  format::FailureRecord record = failureRecord(format::FailureCause::signal);
  // As if there were no memory.
  const bool isUse = what == format::HeapMisuse::useAfterFree || what == format::HeapMisuse::useAfterDestroy;
  record.signal = isUse ? SIGSEGV : SIGABRT;
  record.code = isUse ? int(SEGV_MAPERR) : int(SI_TKILL);
  record.address = reinterpret_cast<uint64_t>(address);
  record.inBody = inBody;
  record.misuse = what;
  writeFailure(record);
  linger();
  endBySignal(record.signal);
}

} // namespace symbiosis::runtime

// Nothing but a place for debuggers to stop at: two calls below the function whose assertion failed.
extern "C" __attribute__((noinline)) void __symbiosis_failed(void) { __asm__ volatile(""); }

extern "C" void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  using Real = void (*)(const char*, const char*, unsigned, const char*);
  Real real = reinterpret_cast<Real>(nextDefinition("__assert_fail"));
  if (control::inControl()) control::announce(control::counted(EventKind::failure, nullptr));
  if ((recording() || controlling()) && self) {
    if (!claimFailure()) waitForTheEnd();
    if (recording()) finishOp(beginOp(EventKind::failure, nullptr), 0);
    format::FailureRecord record = failureRecord(format::FailureCause::assertion);
    record.line = line;
    copyText(record.expression, sizeof record.expression, expression);
    copyText(record.file, sizeof record.file, file);
    copyText(record.function, sizeof record.function, function);
    writeFailure(record);
    linger();
  }
  __symbiosis_failed();
  real(expression, file, line, function);
  __builtin_unreachable();
}
