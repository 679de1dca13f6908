// The size of an allocation comes from another thread, which has it wrong for a moment: operator new throws.
// expect: signal 6; order violation on wanted; lines 9 12; dsp 4
#include <thread>

static volatile long wanted = 10;

int main() {
  std::thread chooser([] {
    wanted = 1L << 50;
    wanted = 20;
  });
  char* volatile block = new char[size_t(wanted)];
  chooser.join();
  delete[] block;
  return 0;
}
