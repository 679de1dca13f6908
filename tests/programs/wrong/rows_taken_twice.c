// An image filter: threads take rows by an index that is read and moved on in two steps, so that rows are filtered twice.
// expect: assertion; other path
// called: lost update on nextRow | check-then-act on nextRow
// not at: path addresses
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define W 1000
#define H 90
#define THREADS 3
static unsigned char in[H][W], out[H][W];
static atomic_int nextRow;
static int rows[THREADS];
static void* worker(void* number) {
  long me = (long)number;
  for (;;) {
    int row = nextRow;
    if (row >= H) return NULL;
    nextRow = row + 1;
    for (int x = 1; x < W - 1; ++x)
      out[row][x] = (unsigned char)((in[row][x - 1] + 2 * in[row][x] + in[row][x + 1]) / 4);
    ++rows[me];
  }
}
int main(void) {
  pthread_t threads[THREADS];
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x) in[y][x] = (unsigned char)(x * y);
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  int all = 0;
  for (int i = 0; i < THREADS; ++i) all += rows[i];
  assert(all == H);
  return 0;
}
