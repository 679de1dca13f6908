// A task deletes itself when it is done; who started it still asks whether it is.
// expect: signal 11; order violation on task; lines 11 18 20; dsp 8
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

static bool seen;

int main() {
  Task* task = new Task;
  std::thread thread([task] { task->run(); });
  seen = task->isDone;
  thread.join();
  return 0;
}
