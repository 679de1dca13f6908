#include "replay/sequences.h"
#include <algorithm>

namespace symbiosis {
namespace {

constexpr size_t kMostKept = 200, kMostSteps = 12;
static_assert(kMostSteps <= format::kMostSteps);

uint64_t below(uint64_t bound, std::mt19937_64& random) { return random() % bound; }

template <typename T> const T& anyOf(const std::vector<T>& from, std::mt19937_64& random) {
  return from[below(from.size(), random)];
}

format::SequenceStep step(uint64_t place, uint32_t role) { return {place, role, 0}; }

// By other threads than the steps before, or by the same ones.
void append(Steps& steps, const Steps& more, std::mt19937_64& random) {
  uint32_t shift = 0;
  if (below(2, random))
    for (const format::SequenceStep& each : steps) shift = std::max(shift, each.role + 1);
  for (format::SequenceStep each : more) {
    each.role = (each.role + shift) % format::kMostRoles;
    if (steps.size() < kMostSteps) steps.push_back(each);
  }
}

} // namespace

double Sequences::learn(const RunLessons& lessons, const Steps& steps) {
  double rarity = 0;
  for (const PlaceFlow& flow : lessons.flows) rarity = std::max(rarity, 1.0 / double(++flows_[flow]));
  variables_.learn(lessons);
  neighbours_.insert(lessons.neighbours.begin(), lessons.neighbours.end());
  if (rarity == 1 && !steps.empty()) kept_.push_back(steps);
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  index();
  return rarity;
}

void Sequences::index() {
  byVariable_ = variables_.all();
  variableOf_.clear();
  for (size_t i = 0; i < byVariable_.size(); ++i)
    for (uint64_t place : byVariable_[i]) variableOf_[place] = i;
  pairs_.assign(neighbours_.begin(), neighbours_.end());
}

Steps Sequences::propose(uint64_t seed) const {
  Random random(seed);
  if (byVariable_.empty()) return {};
  Steps steps;
  if (!kept_.empty() && below(3, random) == 0) {
    // Of two, the later one: what was new last is where something may be left to see.
    const size_t one = below(kept_.size(), random), other = below(kept_.size(), random);
    steps = varied(kept_[std::max(one, other)], random);
  }
  if (steps.empty()) steps = pattern(random);
  while (steps.size() < kMostSteps && below(3, random) == 0) append(steps, pattern(random), random);
  return steps;
}

Steps Sequences::varied(Steps steps, Random& random) const {
  switch (below(4, random)) {
  case 0: steps.erase(steps.begin() + ptrdiff_t(below(steps.size(), random))); break;
  case 1: std::swap(steps[below(steps.size(), random)], steps[below(steps.size(), random)]); break;
  default: append(steps, pattern(random), random);
  }
  return steps;
}

Steps Sequences::pattern(Random& random) const {
  switch (pairs_.empty() ? 0 : below(4, random)) {
  case 0:
  case 1: return order(anyOf(byVariable_, random), random);
  case 2: return between(random);
  default: return crossed(random);
  }
}

// The first of some attempts that would be a new dataflow, or the last.
Steps Sequences::order(const std::vector<uint64_t>& variable, Random& random) const {
  constexpr int kAttempts = 8;
  uint64_t a = 0, b = 0;
  for (int i = 0; i < kAttempts; ++i) {
    a = anyOf(variable, random);
    b = conflicting(a, random);
    const bool flows = variables_.places().at(a).writes && variables_.places().at(b).reads;
    if (flows ? !flows_.contains({a, b, true}) : !flows_.contains({0, a, false})) break;
  }
  return {step(a, 0), step(b, 1)};
}

Steps Sequences::between(Random& random) const {
  const auto& [a, c] = anyOf(pairs_, random);
  return {step(a, 0), step(conflicting(below(2, random) ? a : c, random), 1), step(c, 0)};
}

Steps Sequences::crossed(Random& random) const {
  const auto& [a, c] = anyOf(pairs_, random);
  return {step(a, 0), step(a, 1), step(c, 1), step(c, 0)};
}

uint64_t Sequences::conflicting(uint64_t place, Random& random) const {
  const std::vector<uint64_t>& variable = byVariable_[variableOf_.at(place)];
  const bool writes = variables_.places().at(place).writes;
  uint64_t other = place;
  for (size_t i = 0; i < 2 * variable.size(); ++i) {
    other = anyOf(variable, random);
    if (writes || variables_.places().at(other).writes) break;
  }
  return other;
}

} // namespace symbiosis
