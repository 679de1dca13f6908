// Two threads put nodes at the head of a list without a lock.
// expect: assertion; lost update on head; lines 17 18; dsp 6
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  int value;
  struct node* next;
};

static struct node* head;

static void* push(void* argument) {
  struct node* made = malloc(sizeof *made);
  made->value = (int)(long)argument;
  made->next = head;
  head = made;
  return NULL;
}

// The fix; what stands above is as it was, so that a patch of its breakpoints applies.
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static void* alone(void* argument) {
  pthread_mutex_lock(&one);
  push(argument);
  pthread_mutex_unlock(&one);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, alone, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  int count = 0;
  for (struct node* at = head; at; at = at->next) ++count;
  assert(count == 2);
  return 0;
}
