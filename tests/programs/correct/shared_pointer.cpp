// The last of three owners destroys the object, whoever that is.
// expect: pass
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> destroyed;

struct Resource {
  std::atomic<int> uses = 0;
  ~Resource() {
    assert(uses == 2);
    ++destroyed;
  }
};

int main() {
  auto resource = std::make_shared<Resource>();
  auto use = [](std::shared_ptr<Resource> mine) { ++mine->uses; };
  std::thread one(use, resource), two(use, resource);
  resource.reset();
  one.join();
  two.join();
  assert(destroyed == 1);
}
