// A work-stealing deque (after Chase and Lev): the owner takes from the bottom, thieves from the top. The owner
// looks at the top before it has announced the new bottom, so that the last item can be taken twice.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr int kItems = 3;
int items[8];
std::atomic<int> top{0}, bottom{0};
std::atomic<int> taken[kItems + 1];

void note(int item) {
  if (item) assert(taken[item].fetch_add(1) == 0);
}

void push(int item) {
  const int at = bottom.load();
  items[at % 8] = item;
  bottom.store(at + 1);
}

int pop() {
  const int at = bottom.load() - 1;
  int first = top.load(); // too early: the new bottom is not announced
  bottom.store(at);
  if (first < at) return items[at % 8];
  int item = 0;
  if (first == at && top.compare_exchange_strong(first, first + 1)) item = items[at % 8];
  bottom.store(at + 1);
  return item;
}

int steal() {
  int first = top.load();
  if (first >= bottom.load()) return 0;
  const int item = items[first % 8];
  return top.compare_exchange_strong(first, first + 1) ? item : 0;
}

} // namespace

int main() {
  for (int item = 1; item <= kItems; ++item) push(item);
  std::thread thief([] {
    for (int i = 0; i < 2; ++i) note(steal());
  });
  for (int i = 0; i < kItems; ++i) note(pop());
  thief.join();
}
