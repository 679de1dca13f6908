// Two copies of a name must agree; one is compared with the other while they are being changed.
// expect: assertion; order violation on name[0]; lines 10 18; dsp 3
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char name[8] = "anna", copy[8] = "anna";

static void* rename_both(void* unused) {
  for (int i = 0; i < 4; ++i) name[i] = "bert"[i];
  for (int i = 0; i < 4; ++i) copy[i] = "bert"[i];
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, rename_both, NULL);
  const int order = memcmp(name, copy, sizeof name);
  pthread_join(thread, NULL);
  assert(order == 0);
  return 0;
}
