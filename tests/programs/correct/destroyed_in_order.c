// Locks, barriers, semaphores and condition variables that are destroyed as early as they may be, and used again when they
// have been initialised again, by a function or by an assignment.
// expect: pass
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

struct meeting {
  pthread_barrier_t barrier;
  pthread_mutex_t lock;
  pthread_cond_t left;
  sem_t tokens;
  int inside;
};

static void* member(void* argument) {
  struct meeting* meeting = argument;
  sem_wait(&meeting->tokens);
  pthread_barrier_wait(&meeting->barrier);
  pthread_mutex_lock(&meeting->lock);
  if (--meeting->inside == 0) pthread_cond_broadcast(&meeting->left);
  pthread_mutex_unlock(&meeting->lock);
  return NULL;
}

static void meet(struct meeting* meeting) {
  pthread_t one, two;
  pthread_barrier_init(&meeting->barrier, NULL, 2);
  meeting->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  meeting->left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  sem_init(&meeting->tokens, 0, 2);
  meeting->inside = 2;
  pthread_create(&one, NULL, member, meeting);
  pthread_create(&two, NULL, member, meeting);
  pthread_mutex_lock(&meeting->lock);
  while (meeting->inside) pthread_cond_wait(&meeting->left, &meeting->lock);
  pthread_mutex_unlock(&meeting->lock);
  pthread_cond_destroy(&meeting->left);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  pthread_mutex_destroy(&meeting->lock);
  pthread_barrier_destroy(&meeting->barrier);
  sem_destroy(&meeting->tokens);
}

int main(void) {
  struct meeting* meeting = calloc(1, sizeof *meeting);
  for (int round = 0; round < 3; ++round) meet(meeting);
  free(meeting);
  return 0;
}
