// References are taken without a lock, and one of them is lost: the page is freed while it is still used.
// expect: signal 11; other path; decision 15 or 17 or 23
#include <pthread.h>
#include <stdlib.h>

struct page {
  int references;
  int bytes[16];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void drop(struct page* page) {
  pthread_mutex_lock(&lock);
  const int left = --page->references;
  pthread_mutex_unlock(&lock);
  if (left == 0)
    free(page);
}

static void* use(void* argument) {
  struct page* page = argument;
  page->references++;
  drop(page);
  return NULL;
}

int main(void) {
  struct page* page = calloc(1, sizeof *page);
  page->references = 1;
  pthread_t one, two;
  pthread_create(&one, NULL, use, page);
  pthread_create(&two, NULL, use, page);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  sum += page->bytes[0];
  drop(page);
  return 0;
}
