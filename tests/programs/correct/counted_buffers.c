// The last of three users frees the buffer, as the count says, which is atomic.
// expect: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct buffer {
  atomic_int references;
  int bytes[20];
};

static void* use(void* argument) {
  struct buffer* buffer = argument;
  int sum = 0;
  for (int i = 0; i < 20; ++i) sum += buffer->bytes[i];
  if (atomic_fetch_sub(&buffer->references, 1) == 1) free(buffer);
  return sum == 0 ? NULL : argument;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    struct buffer* buffer = calloc(1, sizeof *buffer);
    buffer->references = 3;
    pthread_t one, two;
    pthread_create(&one, NULL, use, buffer);
    pthread_create(&two, NULL, use, buffer);
    use(buffer);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
  }
  return 0;
}
