// A function-local static is made once, but what its maker prepares for the others is not behind it.
// expect: assertion; order violation on limit; lines 14 15; dsp 4
#include <cassert>
#include <thread>

static int limit;

struct Settings {
  int entries = 3;
};

static void use(int number) {
  static Settings settings;
  if (number == 1) limit = settings.entries;
  if (number == 2) assert(limit == 3);
}

int main() {
  std::thread one(use, 1), two(use, 2);
  one.join();
  two.join();
}
