// A reference to an element of a vector, which another thread lets grow.
// expect: signal 11; order violation on first; lines 11 15 18; dsp 8
#include <thread>
#include <vector>

static std::vector<int>* numbers;
static int seen;

static void reader() {
  int& first = (*numbers)[0];
  seen = first + 1;
}

int main() {
  std::vector<int> all(4, 1);
  numbers = &all;
  std::thread thread(reader);
  all.push_back(2);
  thread.join();
  return 0;
}
