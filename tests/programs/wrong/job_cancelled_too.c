// A paid job is either run by the worker or cancelled by the customer, who gets the money back.
// expect: assertion; other path; decision 30 or 36
// The state is tested without the lock under which it is then changed: the job is run and paid back as well.
#include <assert.h>
#include <pthread.h>

enum state { QUEUED, RUNNING, CANCELLED };

struct job {
  pthread_mutex_t lock;
  enum state state;
  int runs;
  int refunds;
};

static struct job job = {PTHREAD_MUTEX_INITIALIZER, QUEUED, 0, 0};

static void change_state(enum state next) {
  pthread_mutex_lock(&job.lock);
  job.state = next;
  if (next == RUNNING) {
    job.runs++;
  } else {
    job.refunds++;
  }
  pthread_mutex_unlock(&job.lock);
}

static void* worker(void* unused) {
  if (job.state == CANCELLED) return unused;
  change_state(RUNNING);
  return unused;
}

static void* customer(void* unused) {
  if (job.state == RUNNING) return unused;
  change_state(CANCELLED);
  return unused;
}

int main(void) {
  pthread_t runs, cancels;
  pthread_create(&runs, 0, worker, 0);
  pthread_create(&cancels, 0, customer, 0);
  pthread_join(runs, 0);
  pthread_join(cancels, 0);
  assert(job.runs + job.refunds == 1);
}
