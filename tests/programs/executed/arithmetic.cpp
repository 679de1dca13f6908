// Numbers of all sorts: 128 bits, bit-fields, overflow, shifts, floats of three widths, vectors that the optimiser
// makes, variable arguments, long jumps.
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <limits>

static uint32_t mixed = 1;
static uint64_t seed = 88172645463325252ull;
static int values[64];
static double halves[32];
static struct {
  unsigned a : 3;
  int b : 7;
  unsigned long c : 40;
} fields;
static std::jmp_buf back;

static void mix(uint64_t value) { mixed = (mixed ^ uint32_t(value) ^ uint32_t(value >> 32)) * 2246822519u; }
static uint64_t next() {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}
static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  double total = 0;
  for (int i = 0; i < count; ++i) total += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return int(total);
}
static void jump(int n) {
  if (n == 0) std::longjmp(back, 5);
  jump(n - 1);
}

// The optimiser makes vectors of these loops, and reduces them.
static void reduce() {
  int least = values[0], most = values[0], all = -1, any = 0, odd = 0, product = 1;
  for (int value : values) least = value < least ? value : least;
  for (int value : values) most = value > most ? value : most;
  for (int value : values) all &= value | 1;
  for (int value : values) any |= value & 0x5555;
  for (int value : values) odd ^= value;
  for (int value : values) product *= value | 1;
  unsigned smallest = ~0u, largest = 0, total = 0;
  for (int value : values) smallest = unsigned(value) < smallest ? unsigned(value) : smallest;
  for (int value : values) largest = unsigned(value) > largest ? unsigned(value) : largest;
  for (int value : values) total += unsigned(value);
  mix(unsigned(least));
  mix(unsigned(most));
  mix(unsigned(all));
  mix(unsigned(any));
  mix(unsigned(odd));
  mix(unsigned(product));
  mix(smallest);
  mix(largest);
  mix(total);
}
static double reduceFloats() {
#pragma clang fp reassociate(on)
  double whole = 0; // exact in every order
  for (int value : values) whole += double(value & 1023) * 0.5;
  return whole;
}

uint32_t compute() {
  for (int& value : values) value = int(next());
  reduce();
  mix(std::bit_cast<uint64_t>(reduceFloats()));
  for (int i = 0; i < 64; ++i) values[i] = values[i] * 3 + (values[(i + 1) % 64] >> (i % 31));
  for (int value : values) mix(uint32_t(value));
  for (int i = 0; i < 20; ++i) {
    const uint64_t a = next(), b = next() | 1;
    mix(a / b);
    mix(uint64_t(int64_t(a) % int64_t(b)));
    mix(uint64_t((unsigned __int128)a * b >> 64));
    mix(uint64_t((__int128)int64_t(a) * int64_t(b) / int64_t(b | 7)));
    int64_t over = 0;
    mix(__builtin_add_overflow(int64_t(a), int64_t(b), &over));
    mix(uint64_t(over));
    mix(uint64_t(std::popcount(a) * 100 + std::countl_zero(b) * 10 + std::countr_zero(a)));
    mix(std::rotl(a, int(b % 64)) ^ __builtin_bswap64(b));
    fields.a += unsigned(a);
    fields.b = int(b % 64) - 32;
    fields.c = a ^ fields.c;
    mix(fields.a + uint64_t(fields.b) + fields.c);
  }
  for (int i = 0; i < 32; ++i) halves[i] = double(values[i]) / (i + 1) + (i % 5 ? 0.5 : -0.25);
  double total = 0;
  for (double half : halves) total += half * 1.5 - std::floor(half);
  mix(std::bit_cast<uint64_t>(total));
  const float single = float(total) / 3.0f;
  mix(std::bit_cast<uint32_t>(single * single + 1.0f));
  const long double wide = (long double)total / 7.0L + 1e18L;
  mix(uint64_t(int64_t(wide)));
  mix(uint64_t(std::isnan(std::numeric_limits<double>::quiet_NaN() * total)));
  mix(uint64_t(int64_t(total)));
  mix(uint64_t(sum(6, 1, 2.5, 3, 4.25, 5, 6.125)));
  if (const int from = setjmp(back))
    mix(uint64_t(from));
  else
    jump(4);
  return mixed;
}
