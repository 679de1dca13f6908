// A printer thread takes documents from a queue until it is told to stop.
// expect: exit 1; other path; decision 33 or 34
// The printer looks whether it shall stop before it looks whether something is left to print.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

class Printer {
public:
  Printer() : thread_([this] { printAll(); }) {}

  void print(std::string document) {
    std::lock_guard lock(mutex_);
    documents_.push(std::move(document));
    changed_.notify_one();
  }
  int stop() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_one();
    }
    thread_.join();
    return printed_;
  }

private:
  void printAll() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (!stopping_ && documents_.empty()) changed_.wait(lock);
      if (stopping_) return;
      documents_.pop();
      printed_++;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::string> documents_;
  bool stopping_ = false;
  int printed_ = 0;
  std::thread thread_;
};

int main() {
  Printer printer;
  printer.print("letter");
  printer.print("invoice");
  return printer.stop() == 2 ? 0 : 1;
}
