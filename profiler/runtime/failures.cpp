// Why the program failed, in its own words, and the allocations that it made.
#include "profiler/runtime/failures.h"
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
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

extern "C" void __symbiosis_allocated(void* memory, uint64_t size) {
  if (controlling()) {
    countedPoint(EventKind::alloc, memory);
    control::noteBlock(memory);
  }
  if (!recording()) return;
  finishOp(beginOp(EventKind::alloc, memory, {.argument = size}), 0);
}

static void noteFree(void* memory) {
  if (controlling()) {
    countedPoint(EventKind::free, memory);
    control::checkFree(memory);
  }
  if (recording()) finishOp(beginOp(EventKind::free, memory), 0);
}

extern "C" void* __symbiosis_freed(void* memory, control::GiveBack* giveBack, uint64_t second, uint64_t third) {
  noteFree(memory);
  return controlling() ? control::holdBack(memory, giveBack, second, third) : memory;
}

// Where freed blocks are held back, the new block is always another one, and is there before realloc is called for it.
extern "C" void* __symbiosis_reallocated(void* memory, uint64_t size) {
  noteFree(memory);
  if (!memory || !size || !controlling() || !control::holdsBack(memory)) return memory;
  void* moved = malloc(size);
  if (!moved) return memory;
  const size_t kept = malloc_usable_size(memory);
  memcpy(moved, memory, kept < size ? kept : size);
  control::holdBack(memory, [](void* block, uint64_t, uint64_t) { free(block); }, 0, 0);
  return moved;
}
