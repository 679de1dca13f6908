// Workers take chunks of a sum by a counter that nobody guards: a chunk is taken twice, and one worker makes a round more.
// expect: assertion; other path; decision 18
// called: lost update on next
#include <assert.h>
#include <pthread.h>

enum { kChunks = 4 };

static int next;
static int sum;
static int weight[kChunks] = {1, 10, 100, 1000};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
  (void)unused;
  for (;;) {
    // what it takes, and what is left for the others
    int mine = next;
    next = mine + 1;
    if (mine >= kChunks) return 0;
    pthread_mutex_lock(&lock);
    sum += weight[mine];
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  pthread_t workers[2];
  for (int i = 0; i < 2; i++) pthread_create(&workers[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(workers[i], 0);
  assert(sum == 1111);
  return 0;
}
