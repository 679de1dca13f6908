// The program's own read() and its own variable `poll`: names that libc has, too. Two readers count what they take.
// expect: assertion; lost update on taken; lines 11 12; dsp 4
#include <assert.h>
#include <pthread.h>

static const char text[4] = "abc";
static int taken;
int poll; // how often somebody looked

char read(int place) {
  const int before = taken;
  taken = before + 1;
  ++poll;
  return text[place];
}

static void* reader(void* place) { return read(*(int*)place) ? place : NULL; }

int main(void) {
  int places[2] = {0, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, reader, &places[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(taken == 2);
  return 0;
}
