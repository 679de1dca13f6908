// Each part is counted down atomically, but the count is read again for the test: both threads may see that they are
// the last, and the promise is kept twice.
// expect: signal 6; atomicity violation on download.left; lines 13 13 14; dsp 4
// not at: path
#include <atomic>
#include <future>
#include <thread>

struct Download {
  std::promise<int> whole;
  std::atomic<int> left{2};
  void part() {
    left--;
    if (left == 0) whole.set_value(1);
  }
};

int main() {
  Download download;
  std::future<int> result = download.whole.get_future();
  std::thread one([&] { download.part(); });
  std::thread two([&] { download.part(); });
  one.join();
  two.join();
  return result.get() == 1 ? 0 : 1;
}
