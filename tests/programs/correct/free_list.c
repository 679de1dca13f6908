// Two threads take nodes from a list of free ones and put them back, under a lock; at the end all are freed.
// expect: pass
#include <pthread.h>
#include <stdlib.h>

struct node {
  struct node* next;
  int value;
};
static struct node* list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct node* take(void) {
  pthread_mutex_lock(&lock);
  struct node* node = list;
  if (node) list = node->next;
  pthread_mutex_unlock(&lock);
  return node ? node : malloc(sizeof *node);
}

static void give(struct node* node) {
  pthread_mutex_lock(&lock);
  node->next = list;
  list = node;
  pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
  for (int i = 0; i < 4; ++i) {
    struct node *one = take(), *two = take();
    one->value = i;
    two->value = -i;
    give(one);
    give(two);
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  while (list) {
    struct node* node = list;
    list = node->next;
    free(node);
  }
  return 0;
}
