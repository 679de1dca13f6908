// The vector is checked by its own at(): the index comes from another thread.
// expect: signal 6; order violation on chosen; lines 11 14; dsp 4
#include <thread>
#include <vector>

static volatile unsigned long chosen = 1;

int main() {
  std::vector<int> values(4, 7);
  std::thread chooser([] {
    chosen = 9;
    chosen = 2;
  });
  const int value = values.at(chosen);
  chooser.join();
  return value == 7 ? 0 : 1;
}
