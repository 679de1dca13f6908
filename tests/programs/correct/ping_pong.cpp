// Two threads take turns, each waiting on one condition variable for its own.
// expect: pass
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static int turn;
static std::string said;

static void play(int me, char word) {
  for (int i = 0; i < 3; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [me] { return turn == me; });
    said += word;
    turn = 1 - me;
    changed.notify_all();
  }
}

int main() {
  std::thread one(play, 0, 'i'), two(play, 1, 'o');
  one.join();
  two.join();
  assert(said == "ioioio");
}
