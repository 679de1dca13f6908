// A download ends with its last part. The count of those that are left is atomic, but changed in one step and read in
// another one: two workers find that they were the last.
// expect: exception; other path; decision 16
// called: atomicity violation on transfer.left
#include <atomic>
#include <future>
#include <thread>
#include <vector>

class Transfer {
  std::promise<int> done;
  std::atomic<int> left;

public:
  explicit Transfer(int parts) : left(parts) {}
  void part() { left--; if (left == 0) done.set_value(1); }
  std::future<int> result() { return done.get_future(); }
};

int main() {
  Transfer transfer(2);
  auto result = transfer.result();
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; i++) workers.emplace_back([&] { transfer.part(); });
  for (std::thread& worker : workers) worker.join();
  return result.get() == 1 ? 0 : 1;
}
