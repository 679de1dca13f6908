// A function that promises not to throw does so when the queue is closed under it.
// expect: signal 6; order violation on closed; lines 9 16; dsp 4
#include <stdexcept>
#include <thread>

static volatile bool closed = false;

static void push() {
  if (closed) throw std::logic_error("closed");
}

static void deliver() noexcept { push(); }

int main() {
  std::thread closer([] {
    closed = true;
    closed = false;
  });
  deliver();
  closer.join();
  return 0;
}
