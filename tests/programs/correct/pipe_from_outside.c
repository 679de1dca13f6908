// Two threads wait for what a child process sends; its second message comes late.
// expect: pass
// reads the outside: the number of the child process
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static volatile int received[2];

static void* receiver(void* argument) {
  char message;
  assert(read(ends[0], &message, 1) == 1);
  received[(long)argument] = 1;
  return NULL;
}

int main(void) {
  assert(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 3);
    execl("/bin/sh", "sh", "-c", "printf 1 >&3; sleep 0.02; printf 2 >&3", (char*)NULL);
    _exit(1);
  }
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, receiver, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(received[0] && received[1]);
  waitpid(child, NULL, 0);
  return 0;
}
