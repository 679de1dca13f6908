// A slot is reserved under a lock, but in two steps: two threads get the same one.
// expect: assertion; lost update on this->next; lines 16 19; dsp 9
#include <cassert>
#include <mutex>
#include <thread>

struct Pool {
  std::mutex mutex;
  int next = 0;
  int slots[8] = {};

  int reserve() {
    int mine;
    {
      std::lock_guard guard(mutex);
      mine = next;
    }
    std::lock_guard guard(mutex);
    next = mine + 1;
    return mine;
  }
  void put(int job) { slots[reserve()] = job; }
};

int main() {
  Pool pool;
  std::thread a([&] { pool.put(11); });
  std::thread b([&] { pool.put(22); });
  a.join();
  b.join();
  assert(pool.slots[0] && pool.slots[1]);
}
