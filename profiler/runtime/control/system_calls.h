#pragma once
// System calls made without libc: nothing here touches errno or can be interposed. For all of the runtime.
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>

namespace symbiosis::runtime::control {

inline long systemCall(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

inline long systemCall6(long number, const long (&a)[6]) {
  long result;
  register long fourth __asm__("r10") = a[3];
  register long fifth __asm__("r8") = a[4];
  register long sixth __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

// Files of our own; not cancellation points. Negative: -errno.
inline int openFile(const char* name, int flags) {
  return int(systemCall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(name), flags | O_CLOEXEC, 0644));
}
inline void closeFile(int descriptor) { systemCall(SYS_close, descriptor); }

inline void futexWait(uint32_t* word, uint32_t expected) {
  systemCall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, 0);
}
inline void futexWake(uint32_t* word) {
  systemCall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

} // namespace symbiosis::runtime::control
