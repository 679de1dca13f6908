// A matrix product: rows are handed out by an index that nobody guards; nearly every update of it is lost, so no
// single one decides.
// expect: exit 1; other path
// called: lost update on nextRow
#include <pthread.h>
#define N 5
static int a[N][N], b[N][N], c[N][N];
static int nextRow;
static int takeRow(void) {
  int row = nextRow;
  if (row >= N) return -1;
  nextRow = row + 1;
  return row;
}
static void* multiply(void* nothing) {
  for (int row; (row = takeRow()) >= 0;)
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < N; ++k) c[row][j] += a[row][k] * b[k][j];
  return nothing;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = i + 1, b[i][j] = j + 1;
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, multiply, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      if (c[i][j] != N * (i + 1) * (j + 1)) return 1;
  return 0;
}
