// Two threads answer through one pipe; the reader takes the first answer for that of the first thread.
// expect: assertion; other path; decision 11
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int answers[2], questions[2];

static void* responder(void* argument) {
  char me = (char)(long)argument, question;
  if (read(questions[0], &question, 1) == 1) write(answers[1], &me, 1);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  assert(pipe(answers) == 0 && pipe(questions) == 0);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, responder, (void*)i);
  assert(write(questions[1], "??", 2) == 2);
  char first = 9, second = 9;
  assert(read(answers[0], &first, 1) == 1 && read(answers[0], &second, 1) == 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(first == 0 && second == 1);
  return 0;
}
