#pragma once
// The kernel, without libc: nothing here touches errno or can be interposed.
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

inline void futexWait(uint32_t* word, uint32_t expected) {
  systemCall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, 0);
}
inline void futexWake(uint32_t* word) {
  systemCall(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

} // namespace symbiosis::runtime::control
