// Two accounts, locked by whoever transfers in the order in which they are named.
// expect: deadlock; deadlock on checking.mutex and savings.mutex; lines 15 17; dsp 4
// class: deadlock
// says: holds checking.mutex|waits for savings.mutex|holds savings.mutex|waits for checking.mutex
#include <mutex>
#include <thread>
#include <unistd.h>

struct Account {
  std::mutex mutex;
  long balance = 100;
};

static void transfer(Account& from, Account& to, long amount) {
  std::lock_guard<std::mutex> first(from.mutex);
  usleep(50000);
  std::lock_guard<std::mutex> second(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

static Account savings, checking;

int main() {
  std::thread one([] { transfer(savings, checking, 10); });
  std::thread two([] { transfer(checking, savings, 20); });
  one.join();
  two.join();
  return savings.balance + checking.balance == 200 ? 0 : 1;
}
