// A thread goes through a deque from which another one takes what is in it.
// expect: signal 11; order violation on job; lines 10 16; dsp 8
#include <deque>
#include <thread>

static std::deque<int> jobs;
static int total;

static void reader() {
  for (const int& job : jobs) total += job;
}

int main() {
  for (int i = 0; i < 300; ++i) jobs.push_back(i);
  std::thread thread(reader);
  while (!jobs.empty()) jobs.pop_front();
  thread.join();
  return 0;
}
