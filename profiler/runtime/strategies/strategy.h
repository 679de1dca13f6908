#pragma once
// A strategy says which of the threads that can go on does so, and for how long. One small file each, with a
// function that has the name of its row in trace/strategies.h; a strategy sees nothing but this header, and
// everything that it decides follows from the seed.
#include "profiler/runtime/control/controlled_thread.h"
#include "profiler/runtime/runtime.h"
#include "trace/control_protocol.h"

namespace symbiosis::runtime::strategies {

struct Choices {
  ThreadState* const* threads; // that can go on; at least one
  uint32_t count;
  ThreadState* current; // the one that has just announced, if it is among them; else null
  uint64_t points;      // that all threads together have passed so far
};

struct Turn {
  ThreadState* thread;
  uint64_t points; // that it may pass before the next choice, this one included; at least 1
};

// SplitMix64 (Steele, Lea, Flood 2014): any seed is a good one.
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return uint64_t((static_cast<unsigned __int128>(next()) * bound) >> 64); }
};

#define SYMBIOSIS_DECLARE(enumerator, ...)                                                                        \
  Turn enumerator(const Choices& choices, Random& random, const format::ControlConfig& config);
SYMBIOSIS_STRATEGIES(SYMBIOSIS_DECLARE)
#undef SYMBIOSIS_DECLARE

// A random walk whose turns are `meanRun` points long on average.
Turn walkRandomly(const Choices& choices, Random& random, uint32_t meanRun);

} // namespace symbiosis::runtime::strategies
