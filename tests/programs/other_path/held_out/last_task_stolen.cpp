// The owner takes tasks from the end of its list, an idle thread steals from the front.
// expect: signal 11; other path; decision 20 or 29
// For the last task, seeing that there is one and claiming it are two steps: both threads take it.
#include <atomic>
#include <thread>
#include <vector>

struct Task {
  int cost;
};

class TaskList {
public:
  void push(Task* task) {
    tasks_[last_] = task;
    last_++;
  }
  bool pop(Task*& task) {
    const int mine = --last_;
    if (first_ > mine) {
      last_ = first_.load();
      return false;
    }
    task = tasks_[mine].exchange(nullptr);
    return true;
  }
  bool steal(Task*& task) {
    const int theirs = first_;
    if (theirs >= last_) return false;
    first_ = theirs + 1;
    task = tasks_[theirs].exchange(nullptr);
    return true;
  }

private:
  std::atomic<Task*> tasks_[8] = {};
  std::atomic<int> first_{0};
  std::atomic<int> last_{0};
};

static TaskList list;
static Task parse{3}, compile{5};

static int costOf(const std::vector<Task*>& tasks) {
  int sum = 0;
  for (const Task* task : tasks) sum += task->cost;
  return sum;
}

int main() {
  list.push(&parse);
  list.push(&compile);
  std::vector<Task*> done, stolen;
  std::thread owner([&] {
    for (Task* task; list.pop(task);) done.push_back(task);
  });
  std::thread thief([&] {
    if (Task * task; list.steal(task)) stolen.push_back(task);
  });
  owner.join();
  thief.join();
  return costOf(done) + costOf(stolen) == 8 ? 0 : 1;
}
