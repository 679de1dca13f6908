// Exceptions: thrown through several frames with destructors, rethrown, nested, by base class, out of
// constructors.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static uint32_t mixed = 17;
static int alive;
static void mix(uint32_t value) { mixed = (mixed ^ value) * 2654435761u + (mixed >> 13); }

struct Guard {
  explicit Guard(int n) : number(n) { ++alive; }
  ~Guard() {
    --alive;
    mix(uint32_t(number));
  }
  int number;
};

struct Problem : std::runtime_error {
  explicit Problem(int n) : std::runtime_error("problem " + std::to_string(n)), number(n) {}
  int number;
};

struct HalfBuilt {
  explicit HalfBuilt(int n) : first(n), second(n + 1) {
    if (n % 3 == 0) throw Problem(n);
  }
  Guard first, second;
};

static int fall(int depth, int number) {
  Guard guard(depth);
  if (depth == 0) {
    switch (number % 4) {
    case 0: throw Problem(number);
    case 1: throw number;
    case 2: throw std::out_of_range("range");
    default: return number;
    }
  }
  return fall(depth - 1, number) + 1;
}

static int tryOnce(int number) {
  try {
    return fall(number % 5, number);
  } catch (const Problem& problem) {
    mix(uint32_t(problem.number));
    if (number % 8 == 0) throw;
    return -1;
  } catch (int value) {
    return value * 2;
  } catch (const std::exception& other) {
    mix(uint32_t(other.what()[0]));
    return -2;
  }
}

uint32_t compute() {
  for (int i = 0; i < 24; ++i) {
    try {
      mix(uint32_t(tryOnce(i)));
      HalfBuilt built(i);
      mix(uint32_t(built.second.number));
    } catch (const std::runtime_error& error) {
      mix(uint32_t(std::string(error.what()).size()));
      try {
        auto values = std::make_unique<std::vector<int>>(3);
        values->at(size_t(i % 5)) = i;
        mix(uint32_t((*values)[0]));
      } catch (...) {
        mix(99);
      }
    }
    mix(uint32_t(alive));
  }
  return mixed;
}
