#pragma once
// Random tiny programs, mostly of the kinds that go wrong: checks that are apart from what they check, locks in
// different orders, waits that may come too late.
#include <cstdint>
#include <random>
#include <string>

namespace symbiosis::reference {

struct RandomProgramOptions {
  unsigned mostThreads = 3;    // 2 or 3
  unsigned mostOperations = 7; // of one thread, where there are two; fewer where there are three
  uint64_t mostInterleavings = 100'000;
};

// The text of a program with at most so many interleavings, in none of which anything undefined is done; most of
// them have more than one outcome. Where the final state depends on the schedule, there may be a final check that
// some of the schedules do not pass.
std::string randomProgram(std::mt19937& random, const RandomProgramOptions& options = {});

} // namespace symbiosis::reference
