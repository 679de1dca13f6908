// Whoever comes before the gate is open waits for it; the keeper wakes people only if there are any.
// expect: deadlock; other path; decision 12 or 21
// The visitor looks at the gate before taking the lock, so it may open before the visitor is counted as waiting.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
public:
  void pass() {
    if (open_) return;
    std::unique_lock lock(mutex_);
    waiting_++;
    opened_.wait(lock);
    waiting_--;
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    if (waiting_ > 0) opened_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable opened_;
  std::atomic<bool> open_{false};
  int waiting_ = 0;
};

int main() {
  Gate gate;
  std::thread visitor([&] { gate.pass(); });
  std::thread keeper([&] { gate.open(); });
  visitor.join();
  keeper.join();
}
