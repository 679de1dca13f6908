// A thread throws when it finds the account empty, and nobody catches it.
// expect: signal 6; order violation on money; lines 9 10 16 17; dsp 4
#include <stdexcept>
#include <thread>

static volatile int money = 10;

static void withdraw() {
  const int found = money;
  if (found < 10) throw std::runtime_error("insufficient funds");
  money = found - 10;
}

int main() {
  std::thread other([] {
    money = 5;
    money = 10;
  });
  std::thread customer(withdraw);
  other.join();
  customer.join();
  return 0;
}
