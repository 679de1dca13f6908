/* The independent block log: one file per thread, one number per block, zeros behind them. Compiled without
   symbiosis. The files are mapped, so that a signal never comes while the log is in a system call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMost = 1 << 25 };
static __thread unsigned *next, *end;
static int threads;

static void begin(void) {
  char name[64];
  snprintf(name, sizeof name, "blocks.%d", __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED));
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (ftruncate(fd, kMost * sizeof(unsigned)) != 0) _exit(99);
  unsigned* file = mmap(NULL, kMost * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (file == MAP_FAILED) _exit(99);
  close(fd);
  end = file + kMost;
  __atomic_store_n(&next, file, __ATOMIC_RELAXED);
}

void test_block(unsigned number) {
  if (!next) begin();
  /* Taken in one instruction: a handler may come before or after it. */
  unsigned* mine = next;
  __asm__ volatile("movl $4, %%eax; xaddq %%rax, %1; movq %%rax, %0"
                   : "=r"(mine), "+m"(next)
                   :
                   : "rax", "cc", "memory");
  if (mine >= end) _exit(99);
  *mine = number;
}
