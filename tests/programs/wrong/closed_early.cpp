// A worker asks whether the log is open and then writes to it; the owner closes it in between.
// expect: signal 11; order violation on current; lines 14 19 21; dsp 4
#include <atomic>
#include <memory>
#include <thread>

struct Log {
  int lines = 0;
};

static std::atomic<Log*> current;

static void work() {
  if (current.load()) ++current.load()->lines;
}

int main() {
  auto log = std::make_unique<Log>();
  current = log.get();
  std::thread worker(work);
  current = nullptr;
  worker.join();
}
