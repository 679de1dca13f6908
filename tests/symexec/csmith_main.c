// Runs a program that csmith generated and shows its checksum to a second thread: that makes the checksum shared,
// so that it is an event of the symbolic trace.
#define main generated_main
#include <generated.c>
#undef main
#include <pthread.h>

static volatile unsigned result; // or a program that the compiler computes whole has no read of it

static void* show(void* unused) {
  printf("result %u\n", result);
  return unused;
}

int main(void) {
  char* arguments[] = {"generated", 0};
  generated_main(1, arguments);
  result = crc32_context ^ 0xFFFFFFFFu;
  pthread_t thread;
  pthread_create(&thread, 0, show, 0);
  pthread_join(thread, 0);
  return 0;
}
