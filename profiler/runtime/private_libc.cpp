// What the runtime calls by its name in libc in the middle of things. The program may have functions of these
// names, instrumented ones, so these are the runtime's own: give_way.sh turns its calls of NAME into
// __symbiosis_own_NAME.
#include "profiler/runtime/control/system_calls.h"
#include <errno.h>
#include <stddef.h>

#define PRIVATE extern "C" __attribute__((visibility("hidden")))

namespace {

using symbiosis::runtime::control::systemCall;

long orError(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}

} // namespace

PRIVATE void* __symbiosis_own_memcpy(void* to, const void* from, size_t size) {
  void* target = to;
  __asm__ volatile("rep movsb" : "+D"(target), "+S"(from), "+c"(size) : : "memory");
  return to;
}
PRIVATE void* __symbiosis_own_memmove(void* to, const void* from, size_t size) {
  if (static_cast<char*>(to) <= from || static_cast<char*>(to) >= static_cast<const char*>(from) + size)
    return __symbiosis_own_memcpy(to, from, size);
  for (size_t i = size; i > 0; --i) {
    static_cast<char*>(to)[i - 1] = static_cast<const char*>(from)[i - 1];
    __asm__ volatile("" : : : "memory"); // stays a loop
  }
  return to;
}
PRIVATE void* __symbiosis_own_memset(void* to, int byte, size_t size) {
  void* target = to;
  __asm__ volatile("rep stosb" : "+D"(target), "+c"(size) : "a"(byte) : "memory");
  return to;
}
PRIVATE int __symbiosis_own_memcmp(const void* one, const void* other, size_t size) {
  const auto *a = static_cast<const unsigned char*>(one), *b = static_cast<const unsigned char*>(other);
  for (size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return a[i] - b[i];
  return 0;
}
PRIVATE size_t __symbiosis_own_strlen(const char* text) {
  size_t length = 0;
  while (text[length]) {
    ++length;
    __asm__ volatile("" : : : "memory"); // stays a loop
  }
  return length;
}
PRIVATE int __symbiosis_own_strncmp(const char* one, const char* other, size_t size) {
  size_t i = 0;
  while (i < size && one[i] && one[i] == other[i]) ++i;
  return i == size ? 0 : static_cast<unsigned char>(one[i]) - static_cast<unsigned char>(other[i]);
}
PRIVATE void* __symbiosis_own_mmap(void* at, size_t size, int access, int flags, int file, long offset) {
  const long arguments[6] = {reinterpret_cast<long>(at), long(size), access, flags, file, offset};
  return reinterpret_cast<void*>(orError(symbiosis::runtime::control::systemCall6(SYS_mmap, arguments)));
}
PRIVATE int __symbiosis_own_munmap(void* at, size_t size) {
  return int(orError(systemCall(SYS_munmap, reinterpret_cast<long>(at), long(size))));
}
PRIVATE int __symbiosis_own_mkdir(const char* name, unsigned mode) {
  return int(orError(systemCall(SYS_mkdir, reinterpret_cast<long>(name), mode)));
}
PRIVATE int __symbiosis_own_fstat(int file, void* about) {
  return int(orError(systemCall(SYS_fstat, file, reinterpret_cast<long>(about))));
}
PRIVATE int __symbiosis_own_sigaltstack(const void* next, void* old) {
  return int(orError(systemCall(SYS_sigaltstack, reinterpret_cast<long>(next), reinterpret_cast<long>(old))));
}
