// main returns an error in the middle, and what the threads have read is destroyed before the process ends.
// expect: exit 4; lost update on done; lines 10 18; dsp 6
#include <string>
#include <thread>
#include <vector>

static int done;

static void work(const std::vector<std::string>& tasks) {
  for (const std::string& task : tasks) done += task.empty() ? 0 : 1;
}

int main() {
  const std::vector<std::string> tasks{"a task with a name that is long enough for the heap"};
  std::thread one([&] { work(tasks); }), two([&] { work(tasks); });
  one.join();
  two.join();
  if (done != 2) return 4;
  return 0;
}
