// A function-local static is made once, by whoever comes first, and its maker may lock.
// expect: pass
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int made;

struct Table {
  int entries[2];
  Table() : entries{1, 2} {
    std::lock_guard lock(mutex);
    ++made;
  }
};

static void use() {
  static Table table;
  std::lock_guard lock(mutex);
  assert(made == 1 && table.entries[1] == 2);
}

int main() {
  std::thread one(use), two(use), three(use);
  one.join();
  two.join();
  three.join();
}
