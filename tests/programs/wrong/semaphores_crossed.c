// Two resources with one token each, taken in both orders.
// expect: deadlock; deadlock on paper and printer; lines 13 15 23 25; dsp 4
// class: deadlock
// says: took printer (line 13)|waits for paper (line 15)|took paper (line 23)|waits for printer (line 25)
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t printer, paper;
static int pages;

static void* print(void* unused) {
  sem_wait(&printer);
  usleep(50000);
  sem_wait(&paper);
  ++pages;
  sem_post(&paper);
  sem_post(&printer);
  return unused;
}

static void* refill(void* unused) {
  sem_wait(&paper);
  usleep(50000);
  sem_wait(&printer);
  ++pages;
  sem_post(&printer);
  sem_post(&paper);
  return unused;
}

int main(void) {
  pthread_t one, two;
  sem_init(&printer, 0, 1);
  sem_init(&paper, 0, 1);
  pthread_create(&one, NULL, print, NULL);
  pthread_create(&two, NULL, refill, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return pages == 2 ? 0 : 1;
}
