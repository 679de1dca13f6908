#pragma once
// Sequences of operations that are worth wanting (strategies/sequence.cpp makes them happen, where they can).
// Learns from every run: dataflows that were seen need not be wanted again, and a sequence whose run showed a new
// one is kept, and varied, because what is rare often lies behind what was rare before it (Wolff et al. 2024,
// "Greybox fuzzing for concurrency testing").
//
// A new sequence is a *pattern*, at one variable or two:
//   order       a then b by another thread, preferably so that some read takes a value that it never took
//   between     a and c of one thread, one after the other, and b of another thread between them
//   crossed     both threads do a, then both do c, the second first: a check, or an update, made twice
// A kept one is varied by another pattern behind it, by leaving a step out, or by exchanging two.
#include "replay/variables.h"
#include <random>

namespace symbiosis {

using Steps = std::vector<format::SequenceStep>;

class Sequences {
public:
  // Of a run that wanted `steps`. Returns how rare it was: one over the number of runs, this one included, that
  // have shown its rarest dataflow; 1: it is new, 0: there was none.
  double learn(const RunLessons& lessons, const Steps& steps);
  // Depends on what was learnt and on the seed alone. Empty: nothing is contended.
  Steps propose(uint64_t seed) const;
  const std::map<PlaceFlow, uint64_t>& flows() const { return flows_; } // and how many runs have shown each
  const Variables& variables() const { return variables_; }

private:
  using Random = std::mt19937_64;
  Steps pattern(Random& random) const;
  Steps order(const std::vector<uint64_t>& variable, Random& random) const;
  Steps between(Random& random) const;
  Steps crossed(Random& random) const;
  Steps varied(Steps steps, Random& random) const;
  uint64_t conflicting(uint64_t place, Random& random) const; // at the same variable; one of both changes it
  void index();

  std::map<PlaceFlow, uint64_t> flows_; // that were seen, and in how many runs
  Variables variables_;
  std::set<std::pair<uint64_t, uint64_t>> neighbours_;
  std::vector<Steps> kept_; // the latest last
  // Made of these after each lesson: for who draws.
  std::vector<std::vector<uint64_t>> byVariable_;
  std::map<uint64_t, size_t> variableOf_;
  std::vector<std::pair<uint64_t, uint64_t>> pairs_;
};

} // namespace symbiosis
