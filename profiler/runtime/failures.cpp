// Why the program failed, in its own words, and the allocations that it made.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/futex.h"
#include "profiler/runtime/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

// The first failing thread is the one that is remembered.
static void writeFailure(const char* expression, const char* file, unsigned line, const char* function) {
  format::FailureRecord record = {};
  memcpy(record.magic, format::kFailureMagic, sizeof record.magic);
  record.version = format::kFormatVersion;
  record.serial = self->serial;
  record.line = line;
  copyText(record.expression, sizeof record.expression, expression);
  copyText(record.file, sizeof record.file, file);
  copyText(record.function, sizeof record.function, function);
  char name[4200];
  size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, "/failure");
  const int fd = control::openFile(name, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return;
  const long put = control::systemCall(SYS_write, fd, reinterpret_cast<long>(&record), sizeof record);
  if (put < 0) reportProblem("cannot write the failure", int(-put));
  control::closeFile(fd);
}

// Nothing but a place for debuggers to stop at: two calls below the function whose assertion failed.
extern "C" __attribute__((noinline)) void __symbiosis_failed(void) { __asm__ volatile(""); }

extern "C" void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  using Real = void (*)(const char*, const char*, unsigned, const char*);
  Real real = reinterpret_cast<Real>(nextDefinition("__assert_fail"));
  if (control::inControl()) control::announce(control::counted(EventKind::failure, nullptr));
  if (recording()) finishOp(beginOp(EventKind::failure, nullptr), 0);
  if (recording() || controlling()) writeFailure(expression, file, line, function);
  __symbiosis_failed();
  real(expression, file, line, function);
  __builtin_unreachable();
}

extern "C" void __symbiosis_allocated(void* memory, uint64_t size) {
  if (controlling()) countedPoint(EventKind::alloc, memory);
  if (!recording()) return;
  format::OpRecord* record = beginOp(EventKind::alloc, memory);
  record->argument = size;
  finishOp(record, 0);
}

extern "C" void __symbiosis_freed(void* memory) {
  if (controlling()) countedPoint(EventKind::free, memory);
  if (recording()) finishOp(beginOp(EventKind::free, memory), 0);
}
