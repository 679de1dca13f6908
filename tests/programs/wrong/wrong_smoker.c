// Semaphores for ingredients: a smoker who cannot make a cigarette of what is on the table takes a part of it, and the
// agent waits at the table, where it has waited before, for somebody to post.
// expect: deadlock; deadlock on match; lines 11 17 18; dsp 4
#include <pthread.h>
#include <semaphore.h>

static sem_t tobacco, paper, match, table;

static void *needs_paper(void *unused) {
  sem_wait(&paper);
  sem_wait(&match);
  sem_post(&table);
  return unused;
}

static void *needs_tobacco(void *unused) {
  sem_wait(&match);
  sem_wait(&tobacco);
  sem_post(&table);
  return unused;
}

static void *agent(void *unused) {
  sem_wait(&table);
  sem_post(&paper);
  sem_post(&match);
  sem_wait(&table);
  sem_post(&match);
  sem_post(&tobacco);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  sem_init(&tobacco, 0, 0);
  sem_init(&paper, 0, 0);
  sem_init(&match, 0, 0);
  sem_init(&table, 0, 1);
  pthread_create(&threads[0], NULL, agent, NULL);
  pthread_create(&threads[1], NULL, needs_paper, NULL);
  pthread_create(&threads[2], NULL, needs_tobacco, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
