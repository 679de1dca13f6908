// Two clerks move money in opposite directions, each with a guard for the account it takes from and one for the other.
// expect: deadlock; deadlock on savings.lock and giro.lock; lines 13 14; dsp 6
// or: deadlock on giro.lock and savings.lock
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  long cents = 0;
};

static void move(Account& from, Account& to, long cents) {
  std::lock_guard<std::mutex> first(from.lock);
  std::lock_guard<std::mutex> second(to.lock);
  from.cents -= cents;
  to.cents += cents;
}

int main() {
  Account savings, giro;
  savings.cents = giro.cents = 1000;
  std::thread one([&] { move(savings, giro, 10); });
  std::thread two([&] { move(giro, savings, 20); });
  one.join();
  two.join();
  return savings.cents + giro.cents != 2000;
}
