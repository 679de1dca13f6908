// Two threads print what they count, to a stream and into a text that nobody looks at.
// expect: assertion; lost update on total; lines 13 17; dsp 6
#include <cassert>
#include <cstdio>
#include <iostream>
#include <thread>

static int total;

static void work(int number) {
  for (int i = 0; i < 2; ++i) {
    char line[64];
    const int seen = total;
    std::cout << number << " saw " << seen << " so far\n";
    std::snprintf(line, sizeof line, "%d: %d", number, seen);
    std::fputs(line, stderr);
    total = seen + 1;
  }
}

int main() {
  std::thread one(work, 1), two(work, 2);
  one.join();
  two.join();
  std::cout << "in all " << total << "\n";
  assert(total == 4);
}
