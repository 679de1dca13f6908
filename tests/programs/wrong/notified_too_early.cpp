// The stage is announced before it is entered: who looks in between waits for an announcement that does not come.
// expect: deadlock; lost wake-up on stage; lines 13 20
// flags: -std=c++20
// says: must set stage (line 14) before it wakes
// class: lost wake-up
#include <atomic>
#include <thread>

static std::atomic<int> stage{0};

static void starter() {
  stage.store(0);
  stage.notify_all();
  stage.store(1);
}

int main() {
  std::thread thread(starter);
  while (stage.load() == 0)
    stage.wait(0);
  thread.join();
}
