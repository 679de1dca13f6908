// What comes in from outside: a call that fills a buffer is a write of the calling thread. It is announced before
// the call; after it a record says where, and the bytes stand in the value log. Calls on descriptors are in
// control/calls.cpp.
#define __NO_INLINE__ 1 // libc's headers would define getline themselves
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace symbiosis::runtime {

static void logBytes(const void* bytes, size_t size) {
  const uint64_t piece = format::kValueSlack / 2;
  for (size_t done = 0; done < size; done += piece) {
    const size_t count = size - done < piece ? size - done : piece;
    memcpy(__symbiosis_values, static_cast<const char*>(bytes) + done, count);
    __symbiosis_values += count;
    if (reinterpret_cast<uintptr_t>(__symbiosis_values) & format::kValueBuffer)
      __symbiosis_values = __symbiosis_drain(__symbiosis_values);
  }
}

void recordFilled(const void* to, size_t size, const format::ChannelUse* use) { recordWritten(to, to, size, use); }

void recordWritten(const void* to, const void* bytes, size_t size, const format::ChannelUse* use) {
  if (!recording()) return;
  const int saved = errno;
  const uint8_t flags = use ? format::kOpMarked : 0;
  format::OpSlot* record = beginOp(EventKind::write, to, {.argument = size, .flags = flags});
  if (use) logBytes(use, sizeof *use);
  logBytes(bytes, size);
  finishOp(record, 0);
  errno = saved;
}

void recordSent(const format::ChannelUse& use) {
  if (!recording()) return;
  const int saved = errno;
  format::OpSlot* record = beginOp(EventKind::send, nullptr, {});
  logBytes(&use, sizeof use);
  finishOp(record, 0);
  errno = saved;
}

namespace {

// By number in the schedule's table of threads: how many inputs, then these, how many results of waits, then
// these.
const uint64_t* fed = nullptr;
uint64_t fedWords = 0;

} // namespace

bool nextFed(Fed kind, uint64_t& value) {
  const uint64_t lists = uint64_t{self->control.slot} * 2 + (kind == Fed::wait);
  uint64_t at = 0;
  for (uint64_t list = 0; list < lists && at < fedWords; ++list) at += 1 + fed[at];
  const uint64_t number = kind == Fed::wait ? self->control.waits++ : self->control.inputs++;
  if (at >= fedWords || number >= fed[at] || at + 1 + number >= fedWords) return false;
  value = fed[at + 1 + number];
  return true;
}

uint64_t takeInput(uint64_t own) {
  uint64_t value = own;
  if (control::inControl()) nextFed(Fed::input, value);
  if (control::inControl()) countedPoint(EventKind::input, nullptr);
  if (!recording()) return value;
  const int saved = errno;
  finishOp(beginOp(EventKind::input, nullptr, {.argument = value}), 0);
  errno = saved;
  return value;
}

void control::openInputs(const char* session) {
  char name[4200];
  const size_t at = copyText(name, sizeof name, session);
  copyText(name + at, sizeof name - at, "/inputs");
  const int file = openFile(name, O_RDONLY);
  if (file < 0) return;
  const long size = systemCall(SYS_lseek, file, 0, SEEK_END);
  // Where the program's own mappings never are, as all that is mapped under control.
  void* const place = reinterpret_cast<void*>(0x100040000000);
  void* memory = size > 0 ? mmap(place, size_t(size), PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) : MAP_FAILED;
  closeFile(file);
  if (memory == MAP_FAILED) return;
  fed = static_cast<const uint64_t*>(memory);
  fedWords = uint64_t(size) / sizeof(uint64_t);
}

void announceFilling(const void* to) {
  if (control::inControl()) control::announce(control::counted(EventKind::write, to));
}

} // namespace symbiosis::runtime

extern "C" {

int rand(void) noexcept {
  FIND_REAL(rand);
  const int own = real();
  return recording() || controlling() ? int(takeInput(uint64_t(own))) : own;
}

long random(void) noexcept {
  FIND_REAL(random);
  const long own = real();
  return recording() || controlling() ? long(takeInput(uint64_t(own))) : own;
}

ssize_t pread(int descriptor, void* to, size_t size, off_t offset) {
  FIND_REAL(pread);
  announceFilling(to);
  const ssize_t got = real(descriptor, to, size, offset);
  recordFilled(to, got > 0 ? size_t(got) : 0);
  return got;
}

ssize_t pread64(int descriptor, void* to, size_t size, off64_t offset) {
  return pread(descriptor, to, size, offset);
}

size_t fread(void* to, size_t size, size_t count, FILE* stream) {
  FIND_REAL(fread);
  if ((recording() || controlling()) && isRandomDevice(fileno(stream))) {
    const size_t got = real(to, size, count, stream);
    fillRandomly(to, got * size);
    return got;
  }
  announceFilling(to);
  const size_t got = real(to, size, count, stream);
  recordFilled(to, got * size);
  return got;
}

char* fgets(char* to, int size, FILE* stream) {
  FIND_REAL(fgets);
  announceFilling(to);
  char* got = real(to, size, stream);
  recordFilled(to, got ? strlen(got) + 1 : 0);
  return got;
}

ssize_t getdelim(char** line, size_t* room, int delimiter, FILE* stream) {
  FIND_REAL(getdelim);
  announceFilling(*line);
  const ssize_t got = real(line, room, delimiter, stream);
  recordFilled(*line, got >= 0 ? size_t(got) + 1 : 0);
  return got;
}

// What a function tells by a pointer.
int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  FIND_REAL(sem_getvalue);
  announceFilling(value);
  const int result = real(semaphore, value);
  recordFilled(value, result == 0 ? sizeof *value : 0);
  return result;
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  FIND_REAL(pthread_key_create);
  announceFilling(key);
  const int result = real(key, destructor);
  recordFilled(key, result == 0 ? sizeof *key : 0);
  return result;
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  FIND_REAL(tss_create);
  announceFilling(key);
  const int result = real(key, destructor);
  recordFilled(key, result == thrd_success ? sizeof *key : 0);
  return result;
}

ssize_t getline(char** line, size_t* room, FILE* stream) { return getdelim(line, room, '\n', stream); }

} // extern "C"
