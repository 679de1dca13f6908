// std::async, std::promise and a function-local static: waits in the kernel's own terms.
// expect: pass
// reads the outside: a copy of a string moves bytes of the stack that nobody has written
#include <cassert>
#include <future>
#include <string>
#include <thread>

static const std::string& name() {
  static const std::string text = std::string("name") + std::to_string(7);
  return text;
}

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread setter([&] { promise.set_value(int(name().size())); });
  auto task = std::async(std::launch::async, [] { return name().size() * 2; });
  assert(future.get() == 5);
  assert(task.get() == 10);
  setter.join();
}
