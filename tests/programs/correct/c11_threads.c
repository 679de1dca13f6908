// C11's threads, mutexes, condition variables, once and thread-specific storage.
// expect: pass
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex, timed;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int made, turn, freed, timeouts;

static void make(void) { ++made; }
static void release(void* value) {
  mtx_lock(&mutex);
  ++freed;
  mtx_unlock(&mutex);
  free(value);
}

static int worker(void* number) {
  call_once(&once, make);
  assert(made == 1);
  tss_set(key, malloc(4));
  const int mine = *(int*)number;
  mtx_lock(&mutex);
  while (turn != mine) cnd_wait(&changed, &mutex);
  ++turn;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  until.tv_sec += 20;
  if (mtx_timedlock(&timed, &until) == thrd_success) {
    assert(mtx_trylock(&timed) == thrd_success); // recursive
    mtx_unlock(&timed);
    mtx_unlock(&timed);
  }
  if (mtx_trylock(&timed) == thrd_success) mtx_unlock(&timed);
  thrd_yield();
  if (mine == 1) thrd_exit(40 + mine);
  return 40 + mine;
}

static int detached(void* unused) {
  mtx_lock(&mutex);
  turn += 10;
  cnd_signal(&changed);
  mtx_unlock(&mutex);
  (void)unused;
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  mtx_init(&timed, mtx_timed | mtx_recursive);
  cnd_init(&changed);
  tss_create(&key, release);
  int numbers[2] = {0, 1}, result;
  thrd_t threads[2], alone;
  for (int i = 0; i < 2; ++i) assert(thrd_create(&threads[i], worker, &numbers[i]) == thrd_success);
  for (int i = 0; i < 2; ++i) {
    thrd_join(threads[i], &result);
    assert(result == 40 + i);
  }
  assert(turn == 2 && freed == 2);
  thrd_create(&alone, detached, 0);
  thrd_detach(alone);
  mtx_lock(&mutex);
  while (turn != 12) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 1;
    if (cnd_timedwait(&changed, &mutex, &until) == thrd_timedout) ++timeouts;
  }
  mtx_unlock(&mutex);
  thrd_sleep(&(struct timespec){0, 1000}, 0);
  return 0;
}
