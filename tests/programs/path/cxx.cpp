// Exceptions through several frames and through libc, virtual calls, lambdas, STL algorithms, constructors of
// globals, std::thread.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
  int side;
};
struct Strip : Shape {
  explicit Strip(int l) : length(l) {}
  int area() const override {
    if (length % 3 == 0) throw std::runtime_error("no strip of length " + std::to_string(length));
    return length;
  }
  int length;
};
static std::vector<int> table = [] {
  std::vector<int> v;
  for (int i = 0; i < 20; ++i) v.push_back((i * 7) % 11);
  return v;
}();

static int risky(int n) {
  std::string guard(size_t(n % 40), 'x'); // its destructor runs while unwinding
  std::unique_ptr<Shape> shape;
  if (n % 2)
    shape = std::make_unique<Strip>(n);
  else
    shape = std::make_unique<Square>(n);
  return shape->area() + int(guard.size());
}
// Thrown through the frames of libc.
static int orderOrThrow(const void* a, const void* b) {
  const int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  if (x == 13 && y % 2) throw x;
  return x - y;
}
static int sortUntilThrown(int seed) {
  int values[40];
  for (int i = 0; i < 40; ++i) values[i] = (i * seed) % 41;
  try {
    std::qsort(values, 40, sizeof values[0], orderOrThrow);
  } catch (int thrown) {
    return thrown;
  }
  return values[0];
}
static int work(int seed) {
  std::map<int, int> counts;
  int total = 0;
  for (int i = 0; i < 30; ++i) {
    try {
      try {
        total += risky(seed + i);
      } catch (const std::logic_error&) {
        total -= 1000;
      }
      ++counts[total % 5];
    } catch (const std::runtime_error& error) {
      total += int(std::string(error.what()).size());
    }
  }
  std::vector<int> copy = table;
  std::sort(copy.begin(), copy.end(), [&](int a, int b) { return (a ^ seed) < (b ^ seed); });
  std::function<int(int)> add = [&](int x) { return x + total; };
  return add(copy[3]) + int(counts.size()) + sortUntilThrown(seed);
}
int main() {
  int results[3] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([i, &results] { results[i] = work(i * 5 + 1); });
  for (std::thread& thread : threads) thread.join();
  return results[0] + results[1] + results[2] > 0 ? 7 : 8;
}
