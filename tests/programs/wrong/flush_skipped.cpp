// A journal: who appends a line also writes what is pending, unless somebody is writing already.
// expect: exit 1; other path; decision 14
// Who does not get the lock trusts the other writer, but that one may have taken its batch already.
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Journal {
public:
  void append(std::string line) {
    add(std::move(line));
    if (!writing_.try_lock()) return;
    for (const std::string& pending : takeBatch()) write(pending);
    writing_.unlock();
  }
  int written() const { return written_; }

private:
  void add(std::string line) {
    std::lock_guard guard(mutex_);
    pending_.push_back(std::move(line));
  }
  std::vector<std::string> takeBatch() {
    std::lock_guard guard(mutex_);
    std::vector<std::string> batch;
    batch.swap(pending_);
    return batch;
  }
  void write(const std::string& line) {
    if (!line.empty()) written_++;
  }

  std::mutex mutex_;   // guards what is pending
  std::mutex writing_; // held by who writes
  std::vector<std::string> pending_;
  int written_ = 0;
};

int main() {
  Journal journal;
  std::thread one([&] { journal.append("login"); });
  std::thread two([&] { journal.append("logout"); });
  one.join();
  two.join();
  return journal.written() == 2 ? 0 : 1;
}
