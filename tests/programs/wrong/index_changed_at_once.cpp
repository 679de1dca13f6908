// Two readers of a catalogue note what they look up; a shared lock is enough for looking, but the map makes new entries.
// expect: assertion; other path; decision 18
// called: atomicity violation on catalogue.seen | atomicity violation on this->seen
// flags: -std=c++17
// not at: path
#include <cassert>
#include <map>
#include <shared_mutex>
#include <thread>

struct Catalogue {
  std::shared_mutex lock;
  std::map<int, int> seen;
  int total = 0;

  void note(int number) {
    std::shared_lock<std::shared_mutex> reading(lock);
    seen[number]++;
  }
};

static Catalogue catalogue;

int main() {
  std::thread one([] { for (int i = 0; i < 3; i++) catalogue.note(i); });
  std::thread two([] { for (int i = 5; i > 2; i--) catalogue.note(i); });
  one.join();
  two.join();
  for (const auto& entry : catalogue.seen) catalogue.total += entry.second;
  assert(catalogue.total == 6);
}
