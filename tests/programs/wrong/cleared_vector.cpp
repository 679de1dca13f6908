// A worker goes on with the elements that it has put into a vector, when another thread has cleared that.
// expect: signal 11; order violation on first; lines 18 26; dsp 8
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> found;
static int best;

static void work() {
  int* first;
  {
    std::lock_guard<std::mutex> guard(lock);
    found.assign(6, 7);
    first = found.data();
  }
  for (int i = 0; i < 6; ++i) first[i] += i;
  best = first[3];
}

int main() {
  std::thread thread(work);
  {
    std::lock_guard<std::mutex> guard(lock);
    std::vector<int>().swap(found);
  }
  thread.join();
  return 0;
}
