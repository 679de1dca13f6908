// A thread is joined only if it is known to have finished; otherwise its destructor ends the program.
// expect: signal 6; order violation on done; lines 8 9 11; dsp 4
#include <thread>

static volatile bool done = false;

int main() {
  std::thread worker([] { done = true; });
  if (done) worker.join();
  return 0;
}
