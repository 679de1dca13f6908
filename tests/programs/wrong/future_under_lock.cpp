// Whoever asks for the answer holds the lock that the one who computes it needs.
// expect: deadlock; deadlock on settings; lines 14 23 24; dsp 3
// class: deadlock
// says: T0 holds settings
// says: T1 waits for settings
#include <future>
#include <mutex>
#include <thread>

static std::mutex settings;
static int depth = 3;

static void compute(std::promise<int>& result) {
  std::lock_guard<std::mutex> guard(settings);
  result.set_value(depth * 2);
}

int main() {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::thread worker(compute, std::ref(promise));
  int doubled = 0;
  std::unique_lock<std::mutex> guard(settings);
  doubled = answer.get();
  guard.unlock();
  worker.join();
  return doubled == 6 ? 0 : 1;
}
