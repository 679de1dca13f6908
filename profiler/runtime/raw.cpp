#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/runtime.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace symbiosis::runtime {

size_t copyText(char* to, size_t room, const char* from) {
  size_t length = 0;
  if (from)
    while (length + 1 < room && from[length]) {
      to[length] = from[length];
      ++length;
    }
  to[length] = 0;
  return length;
}

void logPath(char* out, size_t size, uint32_t serial, const char* suffix) {
  size_t at = copyText(out, size, logDirectory);
  char digits[12];
  size_t count = 0;
  do {
    digits[count++] = char('0' + serial % 10);
    serial /= 10;
  } while (serial);
  if (at + 1 < size) out[at++] = '/';
  while (count && at + 1 < size) out[at++] = digits[--count];
  if (at + 1 < size) out[at++] = '.';
  copyText(out + at, size - at, suffix);
}

namespace {

[[noreturn]] void missing(const char* name) {
  static const char message[] = "symbiosis: a function that the runtime wraps is missing from this system: ";
  const char* const texts[] = {message, name, "\n"};
  for (const char* text : texts)
    control::systemCall(SYS_write, 2, reinterpret_cast<long>(text), long(strlen(text)));
  abort();
}

} // namespace

void* nextDefinition(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  return found ? found : (missing(name), nullptr);
}

void* versionedDefinition(const char* name, const char* version) {
  void* found = dlvsym(RTLD_NEXT, name, version);
  return found ? found : nextDefinition(name);
}

} // namespace symbiosis::runtime
