// One thread ends the program as soon as its work is done; another finds that the other's result came too late.
// expect: assertion; order violation on result; lines 11 17; dsp 4
#include <cassert>
#include <cstdlib>
#include <thread>

static int result;

static void finish() {
  std::this_thread::yield();
  result = 1;
  std::exit(0);
}

static void check() {
  std::this_thread::yield();
  assert(result == 1);
}

int main() {
  std::thread first(finish), second(check);
  second.join();
  first.join();
}
