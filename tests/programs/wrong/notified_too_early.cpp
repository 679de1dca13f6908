// The stage is announced before it is entered: who looks in between waits for an announcement that does not come.
// expect: deadlock; other path; decision 22
// or: lost wake-up on stage
// flags: -std=c++20
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> stage{0}, props[8];

static void starter() {
  stage.notify_all();
  for (int i = 0; i < 8; i++)
    props[i] = i;
  stage.store(1);
}

int main() {
  std::thread thread(starter);
  props[7] = -1;
  while (stage.load() == 0)
    stage.wait(0);
  std::printf("%d\n", props[7].load());
  thread.join();
}
