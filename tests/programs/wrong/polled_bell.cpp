// A worker looks again and again into a pipe that does not block; who rings puts the job there too late.
// expect: assertion; order violation on job; lines 13 19; dsp 4
#include <cassert>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

static int bell[2];
static int job;

static void ring() {
  if (write(bell[1], "!", 1) != 1) return;
  job = 7;
}

static void work() {
  char mark;
  while (read(bell[0], &mark, 1) != 1) std::this_thread::yield();
  assert(job == 7);
}

int main() {
  if (pipe2(bell, O_NONBLOCK) != 0) return 1;
  std::thread worker(work), ringer(ring);
  worker.join();
  ringer.join();
}
