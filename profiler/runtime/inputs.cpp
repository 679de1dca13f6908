// What comes in from outside: a call that fills a buffer is a write of the calling thread. It is announced before
// the call; after it a record says where, and the bytes stand in the value log. Calls on descriptors are in
// control/calls.cpp.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace symbiosis::runtime {

void recordFilled(const void* to, size_t size, bool channel) {
  if (!recording()) return;
  const int saved = errno;
  format::OpRecord* record = beginOp(EventKind::write, to);
  record->argument = size;
  record->sequence = channel;
  const uint64_t piece = format::kValueSlack / 2;
  for (size_t done = 0; done < size; done += piece) {
    const size_t count = size - done < piece ? size - done : piece;
    memcpy(__symbiosis_values, static_cast<const char*>(to) + done, count);
    __symbiosis_values += count;
    if (reinterpret_cast<uintptr_t>(__symbiosis_values) & format::kValueBuffer)
      __symbiosis_values = __symbiosis_drain(__symbiosis_values);
  }
  finishOp(record, 0);
  errno = saved;
}

static void announceFilling(const void* to) {
  if (control::inControl()) control::announce(control::counted(EventKind::write, to));
}

} // namespace symbiosis::runtime

#define FIND_REAL(name)                                                                                           \
  static decltype(&name) real = nullptr;                                                                          \
  findReal(real, #name, nullptr)

extern "C" {

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

ssize_t getline(char** line, size_t* room, FILE* stream) { return getdelim(line, room, '\n', stream); }

} // extern "C"
