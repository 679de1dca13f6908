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

// What earlier runs have shown of the program, as the launcher tells it; everything may be missing.
struct Lessons {
  const format::ThreadExpectation* threads; // by slot; null: unknown
  const uint64_t *contended, *selected;     // places, ascending
  const format::SequenceStep* steps;
  uint32_t contendedCount, selectedCount, stepCount;
};
extern Lessons lessons; // set before the first choice

// --- places.cpp ---
uint64_t placeOf(const ThreadState& thread); // before which it stands
bool isContended(const ThreadState& thread); // it stands before a contended place; all are if none is known
bool isSelected(const ThreadState& thread);
// What no other thread can notice, as far as is known, is done at once: a thread that stands before such an
// operation, the current one first; null: there is none. Who goes on so for very long may be waiting in a loop for
// what others are kept from, and is noticed from then on.
ThreadState* unnoticed(const Choices& choices);
// One of the threads, by its number: each as likely as the operations are many that are still expected of it and
// of those that it has yet to create.
using Expected = uint64_t format::ThreadExpectation::*;
uint32_t drawByRemaining(ThreadState* const* threads, uint32_t count, Expected expected, Random& random);

#define SYMBIOSIS_DECLARE(enumerator, ...)                                                                        \
  Turn enumerator(const Choices& choices, Random& random, const format::ControlConfig& config);
SYMBIOSIS_STRATEGIES(SYMBIOSIS_DECLARE)
#undef SYMBIOSIS_DECLARE

// A random walk whose turns are `meanRun` points long on average.
Turn walkRandomly(const Choices& choices, Random& random, uint32_t meanRun);

} // namespace symbiosis::runtime::strategies
