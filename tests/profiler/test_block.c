/* The independent block log: one file per thread, one number per block. Compiled without symbiosis. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static __thread int fd;
static int threads;

void test_block(unsigned number) {
  if (!fd) {
    char name[64];
    snprintf(name, sizeof name, "blocks.%d", __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED));
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (write(fd, &number, sizeof number) != sizeof number) _exit(99);
}
