// Threads share pages by shared_ptr and replace them under a lock; the last one frees.
// expect: pass
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Page {
  explicit Page(int n) : number(n), bytes(8, char(n)) {}
  int number;
  std::vector<char> bytes;
};
static std::mutex lock;
static std::shared_ptr<Page> current = std::make_shared<Page>(0);

static int readAndReplace(int number) {
  std::shared_ptr<Page> mine;
  {
    const std::lock_guard<std::mutex> guard(lock);
    mine = current;
    current = std::make_shared<Page>(number);
  }
  return mine->bytes[3] - mine->number;
}

int main() {
  int wrong[2] = {};
  std::thread one([&] {
    for (int i = 1; i < 6; ++i) wrong[0] += readAndReplace(i);
  });
  std::thread two([&] {
    for (int i = 6; i < 11; ++i) wrong[1] += readAndReplace(i);
  });
  one.join();
  two.join();
  return wrong[0] + wrong[1];
}
