// Where the logs go. Path and op logs are files that are mapped shared, a window at a time, so that a process that
// is killed at any moment loses nothing that it had executed. Values go through one reused buffer (also mapped
// shared) that is drained to a file: fresh log pages are what values cost most (FINDINGS C.11).
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/failures.h"
#include "profiler/runtime/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" {
__attribute__((tls_model("initial-exec"))) __thread uint64_t* __symbiosis_path = nullptr;
__attribute__((tls_model("initial-exec"))) __thread uint64_t* __symbiosis_path_limit = nullptr;
__attribute__((tls_model("initial-exec"))) __thread uint8_t* __symbiosis_values = nullptr;
__attribute__((tls_model("initial-exec"))) __thread uint32_t __symbiosis_site = 0;
}

namespace symbiosis::runtime {

__thread __attribute__((tls_model("initial-exec"))) ThreadState* self = nullptr;

void reportProblem(const char* what, int error) {
  if (!processHeader || __atomic_exchange_n(&processHeader->recordingFailed, 1u, __ATOMIC_RELAXED)) return;
  size_t at = copyText(processHeader->problem, sizeof processHeader->problem, what);
  const char* words = error ? strerrordesc_np(error) : nullptr;
  if (words && at + 3 < sizeof processHeader->problem) {
    at += copyText(processHeader->problem + at, sizeof processHeader->problem - at, ": ");
    copyText(processHeader->problem + at, sizeof processHeader->problem - at, words);
  }
}

namespace {

// A signal that comes now finds the logs unfinished, though the thread is in a system call.
struct Busy {
  ThreadState* thread = self;
  Busy() { ++thread->busy; }
  ~Busy() { --thread->busy; }
};

// The program's errno must not show that we were here.
struct KeepErrno {
  int saved = errno;
  ~KeepErrno() { errno = saved; }
};

void* anonymous(size_t size, void* at) {
  void* memory = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

uint8_t* placeOfThread(uint32_t serial, unsigned number) {
  constexpr uintptr_t kFirst = 0x110000000000, kPerThread = 0x10000000, kPerMapping = 0x4000000;
  return controlling() ? reinterpret_cast<uint8_t*>(kFirst + serial * kPerThread + number * kPerMapping) : nullptr;
}

// Beyond the limit on the size of files the kernel would kill the program (SIGXFSZ).
static bool exceedsFileLimit(uint64_t end) {
  rlimit limit = {};
  return control::systemCall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, reinterpret_cast<long>(&limit)) == 0 &&
         limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur;
}

int reserve(int descriptor, uint64_t offset, uint64_t size) {
  if (exceedsFileLimit(offset + size)) return EFBIG;
  long result = control::systemCall(SYS_fallocate, descriptor, 0, long(offset), long(size));
  if (result != -EOPNOTSUPP) return int(-result);
  // A file system without it: touch every block.
  const char zero = 0;
  for (uint64_t at = offset; at < offset + size; at += 4096) {
    char there = 0;
    if (control::systemCall(SYS_pread64, descriptor, reinterpret_cast<long>(&there), 1, long(at)) == 1) continue;
    result = control::systemCall(SYS_pwrite64, descriptor, reinterpret_cast<long>(&zero), 1, long(at));
    if (result < 0) return int(-result);
  }
  result =
      control::systemCall(SYS_pwrite64, descriptor, reinterpret_cast<long>(&zero), 1, long(offset + size - 1));
  return result < 0 ? int(-result) : 0;
}

void* mapFile(const char* name, uint64_t offset, size_t size, void* at) {
  const int fd = openLog(name, O_RDWR | O_CREAT);
  if (fd < 0) return reportProblem("cannot create a log", -fd), nullptr;
  void* memory = nullptr;
  if (const int error = reserve(fd, offset, size)) {
    reportProblem("no room for a log", error);
  } else {
    memory = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, off_t(offset));
    if (memory == MAP_FAILED) {
      reportProblem("cannot map a log", errno);
      memory = nullptr;
    }
  }
  control::closeFile(fd);
  return memory;
}

bool openWindow(WindowedLog& log, const char* name, uint64_t fileOffset) {
  const size_t size = log.window + log.slack;
  uint8_t* previous = log.base;
  void* memory =
      processHeader && !processHeader->recordingFailed ? mapFile(name, fileOffset, size, previous) : nullptr;
  // What cannot be kept is written to scratch memory: the program goes on as if nothing had happened.
  bool kept = memory != nullptr;
  if (!memory) memory = anonymous(size, previous);
  if (!memory) return false;
  log.base = static_cast<uint8_t*>(memory);
  log.fileOffset = fileOffset;
  return kept;
}

namespace {

void openWindow(WindowedLog& log, uint32_t serial, uint64_t fileOffset) {
  char name[4200];
  logPath(name, sizeof name, serial, log.suffix);
  openWindow(log, name, fileOffset);
}

bool writeAll(const char* name, const uint8_t* bytes, size_t size) {
  const int fd = openLog(name, O_WRONLY | O_CREAT | O_APPEND);
  if (fd < 0) return reportProblem("cannot create a log", -fd), false;
  if (exceedsFileLimit(uint64_t(control::systemCall(SYS_lseek, fd, 0, SEEK_END)) + size)) {
    reportProblem("cannot write a log", EFBIG);
    control::closeFile(fd);
    return false;
  }
  while (size > 0) {
    const long put = control::systemCall(SYS_write, fd, reinterpret_cast<long>(bytes), long(size));
    if (put == -EINTR) continue;
    if (put <= 0) {
      reportProblem("cannot write a log", int(-put));
      break;
    }
    bytes += put;
    size -= size_t(put);
  }
  control::closeFile(fd);
  return size == 0;
}

void writeThreadHeader(const ThreadState& thread) {
  format::ThreadHeader header = {};
  memcpy(header.magic, format::kThreadMagic, sizeof header.magic);
  header.version = format::kFormatVersion;
  header.serial = thread.serial;
  header.parentSerial = thread.parentSerial;
  header.ordinal = thread.ordinal;
  header.clock = timestamp();
  char name[4200];
  logPath(name, sizeof name, thread.serial, "thread");
  writeAll(name, reinterpret_cast<const uint8_t*>(&header), sizeof header);
}

// The buffer begins at a multiple of twice its size, so that the bit that the inlined check tests is clear in it.
uint8_t* mapValueBuffer(uint32_t serial) {
  const size_t size = format::kValueFile;
  char name[4200];
  logPath(name, sizeof name, serial, "values");
  if (uint8_t* place = placeOfThread(serial, 2)) {
    void* memory = processHeader->recordingFailed ? nullptr : mapFile(name, 0, size, place);
    return static_cast<uint8_t*>(memory ? memory : anonymous(size, place));
  }
  const size_t reserve = 4 * format::kValueBuffer;
  uint8_t* area =
      static_cast<uint8_t*>(mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (area == MAP_FAILED) return nullptr;
  const uintptr_t step = 2 * format::kValueBuffer;
  uint8_t* base = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(area) + step - 1) & ~(step - 1));
  if (base > area) munmap(area, size_t(base - area));
  uint8_t* end = base + ((size + 4095) & ~size_t{4095});
  munmap(end, size_t(area + reserve - end));
  void* memory = processHeader && !processHeader->recordingFailed ? mapFile(name, 0, size, base) : nullptr;
  if (!memory) memory = anonymous(size, base);
  return static_cast<uint8_t*>(memory);
}

format::ValueTrailer& trailerOf(const ThreadState& thread) {
  return *reinterpret_cast<format::ValueTrailer*>(thread.valueBuffer + format::kValueBuffer + format::kValueSlack);
}

} // namespace

bool openLogs(ThreadState& thread) {
  KeepErrno keep;
  Busy busy;
  thread.path = {placeOfThread(thread.serial, 0), 0, format::kPathWindow, format::kPathSlack, "path"};
  thread.ops = {placeOfThread(thread.serial, 1), 0, format::kOpsWindow, 0, "ops"};
  writeThreadHeader(thread);
  openWindow(thread.path, thread.serial, 0);
  openWindow(thread.ops, thread.serial, 0);
  thread.valueBuffer = mapValueBuffer(thread.serial);
  if (!thread.path.base || !thread.ops.base || !thread.valueBuffer) {
    // Not even memory: this thread can only run if the program itself would soon fail; stop recording for good.
    __atomic_store_n(&__symbiosis_mode, uint32_t(format::Mode::off), __ATOMIC_RELAXED);
    return false;
  }
  thread.nextOp = thread.ops.base;
  __symbiosis_path = reinterpret_cast<uint64_t*>(thread.path.base);
  __symbiosis_path_limit = reinterpret_cast<uint64_t*>(thread.path.base + thread.path.window);
  *__symbiosis_path = 1;
  __symbiosis_values = thread.valueBuffer;
  return true;
}

void detachLogs(ThreadState& thread) {
  KeepErrno keep;
  if (thread.interrupted) detachLogs(*thread.interrupted);
  if (!thread.path.base) return;
  anonymous(thread.path.window + thread.path.slack, thread.path.base);
  anonymous(thread.ops.window, thread.ops.base);
  anonymous(format::kValueFile, thread.valueBuffer);
}

void closeLogs(ThreadState& thread) {
  KeepErrno keep;
  if (thread.handler) closeLogs(*thread.handler);
  munmap(thread.path.base, thread.path.window + thread.path.slack);
  munmap(thread.ops.base, thread.ops.window);
  munmap(thread.valueBuffer, format::kValueFile);
  thread.ops.base = nullptr;
  __symbiosis_path = nullptr;
}

void nextOpsWindow(ThreadState& thread) {
  Busy busy;
  openWindow(thread.ops, thread.serial, thread.ops.fileOffset + thread.ops.window);
  thread.nextOp = thread.ops.base;
}

} // namespace symbiosis::runtime

extern "C" uint64_t* __symbiosis_path_more(uint64_t* position) {
  KeepErrno keep;
  Busy busy;
  WindowedLog& log = self->path;
  const uint64_t past = uint64_t(reinterpret_cast<uint8_t*>(position) - (log.base + log.window));
  // The slack page of this window and the first page of the next are the same page of the file; if it is not kept
  // in a file, the words there are carried over by hand.
  uint64_t carried[format::kPathSlack / 8];
  memcpy(carried, log.base + log.window, past + 8);
  openWindow(log, self->serial, log.fileOffset + log.window);
  memcpy(log.base, carried, past + 8);
  __symbiosis_path_limit = reinterpret_cast<uint64_t*>(log.base + log.window);
  return __symbiosis_path = reinterpret_cast<uint64_t*>(log.base + past);
}

extern "C" uint8_t* __symbiosis_drain(uint8_t* position) {
  KeepErrno keep;
  Busy busy;
  const size_t size = size_t(position - self->valueBuffer);
  if (!processHeader || processHeader->recordingFailed || self->valuesDropped) return self->valueBuffer;
  char name[4200];
  static uint64_t drained = 0; // by all threads
  self->valuesDropped = valueLimit && __atomic_add_fetch(&drained, size, __ATOMIC_RELAXED) > valueLimit;
  logPath(name, sizeof name, self->serial, self->valuesDropped ? "dropped" : "drained");
  if (writeAll(name, self->valueBuffer, self->valuesDropped ? 0 : size) && !self->valuesDropped)
    trailerOf(*self).drained += size;
  return self->valueBuffer;
}

extern "C" uint8_t* __symbiosis_copy(uint8_t* position, void* to, const void* from, uint64_t size) {
  // The buffer's slack is smaller than a large copy: go through it in pieces. An overlapping memmove of more than
  // one piece must run in the right direction.
  const uint64_t piece = format::kValueSlack / 2;
  uint8_t* target = static_cast<uint8_t*>(to);
  const uint8_t* source = static_cast<const uint8_t*>(from);
  const bool backwards = target > source && target < source + size && size > piece;
  if (backwards) {
    // Log first, forwards, then move; another thread's write in between could be logged wrongly, which the
    // decoder notices as a contradiction.
    for (uint64_t done = 0; done < size; done += piece) {
      uint64_t count = size - done < piece ? size - done : piece;
      memcpy(position, source + done, count);
      position += count;
      if (reinterpret_cast<uintptr_t>(position) & format::kValueBuffer) position = __symbiosis_drain(position);
    }
    memmove(target, source, size);
    return position;
  }
  for (uint64_t done = 0; done < size; done += piece) {
    uint64_t count = size - done < piece ? size - done : piece;
    memcpy(position, source + done, count);
    memcpy(target + done, position, count);
    position += count;
    if (reinterpret_cast<uintptr_t>(position) & format::kValueBuffer) position = __symbiosis_drain(position);
  }
  return position;
}
