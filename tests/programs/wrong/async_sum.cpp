// Two tasks of std::async wait for one start, and add to a sum that nothing guards.
// expect: exit 1; lost update on sum; lines 13; dsp 6
#include <cstdio>
#include <future>
#include <numeric>
#include <vector>

static double sum;

static void add(const std::shared_future<void>& go, const std::vector<double>& values) {
  const double mine = std::accumulate(values.begin(), values.end(), 0.0);
  go.wait();
  sum += mine;
}

int main() {
  std::promise<void> start;
  const std::shared_future<void> go = start.get_future().share();
  const std::vector<double> few{1, 2, 3}, more{4, 5, 6.5};
  auto one = std::async(std::launch::async, add, go, std::cref(few));
  auto two = std::async(std::launch::async, add, go, std::cref(more));
  start.set_value();
  one.get();
  two.get();
  std::printf("%.1f\n", sum);
  return sum == 21.5 ? 0 : 1;
}
