// sprintf and its kin write text into the program's memory: like other calls that fill a buffer, a write of the
// calling thread (inputs.cpp).
#define __NO_INLINE__ 1 // libc's headers would define some of them
#include "profiler/runtime/real.h"
#include "profiler/runtime/runtime.h"
#include <stdarg.h>
#include <stdio.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" int __vsprintf_chk(char*, int, size_t, const char*, va_list) noexcept;
extern "C" int __vsnprintf_chk(char*, size_t, int, size_t, const char*, va_list) noexcept;

namespace {

constexpr size_t kNoLimit = ~size_t{0};

int filled(char* to, size_t room, int length) {
  const size_t needed = length < 0 ? 0 : size_t(length) + 1;
  recordFilled(to, needed < room ? needed : room);
  return length;
}

} // namespace

extern "C" {

int vsprintf(char* to, const char* format, va_list list) noexcept {
  FIND_REAL(vsprintf);
  announceFilling(to);
  return filled(to, kNoLimit, real(to, format, list));
}

int vsnprintf(char* to, size_t room, const char* format, va_list list) noexcept {
  FIND_REAL(vsnprintf);
  announceFilling(to);
  return filled(to, room, real(to, room, format, list));
}

int __vsprintf_chk(char* to, int flag, size_t size, const char* format, va_list list) noexcept {
  FIND_REAL(__vsprintf_chk);
  announceFilling(to);
  return filled(to, kNoLimit, real(to, flag, size, format, list));
}

int __vsnprintf_chk(char* to, size_t room, int flag, size_t size, const char* format, va_list list) noexcept {
  FIND_REAL(__vsnprintf_chk);
  announceFilling(to);
  return filled(to, room, real(to, room, flag, size, format, list));
}

int sprintf(char* to, const char* format, ...) noexcept {
  va_list list;
  va_start(list, format);
  const int length = vsprintf(to, format, list);
  va_end(list);
  return length;
}

int snprintf(char* to, size_t room, const char* format, ...) noexcept {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(to, room, format, list);
  va_end(list);
  return length;
}

int __sprintf_chk(char* to, int flag, size_t size, const char* format, ...) noexcept {
  va_list list;
  va_start(list, format);
  const int length = __vsprintf_chk(to, flag, size, format, list);
  va_end(list);
  return length;
}

int __snprintf_chk(char* to, size_t room, int flag, size_t size, const char* format, ...) noexcept {
  va_list list;
  va_start(list, format);
  const int length = __vsnprintf_chk(to, room, flag, size, format, list);
  va_end(list);
  return length;
}

} // extern "C"
