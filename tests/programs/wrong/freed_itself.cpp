// A task deletes itself when it is done; who started it still asks for its result.
// expect: signal 11; order violation on this; lines 11 23; dsp 8
#include <thread>

struct Task {
  int result = 0;
  bool isDone = false;
  void run() {
    result = 1;
    isDone = true;
    delete this;
  }
};

static int seen;

int main() {
  Task* task = new Task;
  std::thread thread([task] { task->run(); });
  bool isDone = false;
  while (!isDone) {
    std::this_thread::yield();
    isDone = task->isDone;
  }
  thread.join();
  return seen;
}
