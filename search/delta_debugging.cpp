// Theory (§4.3–4.5). The difference of two schedules is a set of changes. dd keeps two of its subsets, one that
// passes and one that fails, and brings them nearer to each other: it cuts what is between them into n parts, adds
// each to the passing one and takes each from the failing one. What fails is the new failing schedule, what passes
// the new passing one; where all that says nothing, the parts are made smaller. In the end no single change can be
// added or taken away: the difference is 1-minimal.
//
// There may be billions of atomic changes (a switch that moves by one step each), so they are never listed. They
// are numbered, switch by switch, and a part is a range of numbers. First a change is a whole switch (the paper's
// "intelligent" splitting), then, within the switches that are left, a step.
#include "search/delta_debugging.h"
#include <algorithm>
#include <map>
#include <optional>

namespace symbiosis {
namespace {

enum class Unit { wholeSwitch, step };

uint64_t distance(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

uint64_t changesOf(uint64_t a, uint64_t b, Unit unit) {
  return unit == Unit::step ? distance(a, b) : uint64_t(a != b);
}
uint64_t changesBetween(const SwitchTimes& a, const SwitchTimes& b, Unit unit) {
  uint64_t total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += changesOf(a[i], b[i], unit);
  return total;
}

struct Range {
  uint64_t begin = 0, end = 0;
};
// The k-th of n parts; earlier ones are the larger, if they cannot be the same.
Range partOf(uint64_t total, uint64_t n, uint64_t k) {
  const uint64_t size = total / n, larger = total % n;
  const uint64_t begin = k * size + std::min(k, larger);
  return {begin, begin + size + (k < larger ? 1 : 0)};
}

// `from`, with the changes of the range made that lead to `to`. Changes of one switch are alike: how many are made
// is what counts.
SwitchTimes changed(SwitchTimes from, const SwitchTimes& to, Range range, Unit unit) {
  uint64_t number = 0;
  for (size_t i = 0; i < from.size() && number < range.end; ++i) {
    const uint64_t changes = changesOf(from[i], to[i], unit);
    const uint64_t first = std::max(number, range.begin), last = std::min(number + changes, range.end);
    number += changes;
    if (first >= last) continue;
    const uint64_t steps = unit == Unit::step ? last - first : distance(from[i], to[i]);
    from[i] = from[i] < to[i] ? from[i] + steps : from[i] - steps;
  }
  return from;
}

class DeltaDebugging {
public:
  DeltaDebugging(DeltaResult& result, const TestSchedule& test, const std::function<bool()>& goesOn)
      : result_(result), test_(test), goesOn_(goesOn) {}

  // True: to the end. False: stopped, or an error.
  bool narrow(Unit unit) {
    unit_ = unit;
    counts_ = unit == Unit::step ? &result_.byStep : &result_.bySwitch;
    counts_->left.push_back(total());
    uint64_t n = 2;
    while (total() > 1) {
      n = std::min(n, total());
      const uint64_t before = total();
      if (conclusive(n))
        n = 2;
      else if (!isStopped_ && partial(n))
        n = std::max<uint64_t>(n - 1, 2);
      else if (!isStopped_ && n < total())
        n = std::min(2 * n, total());
      else
        break;
      if (isStopped_) break;
      if (total() < before) counts_->left.push_back(total());
    }
    return !isStopped_;
  }
  const std::optional<Error>& problem() const { return problem_; }

private:
  uint64_t total() const { return changesBetween(result_.passing, result_.failing, unit_); }
  SwitchTimes withPart(uint64_t n, uint64_t k) const {
    return changed(result_.passing, result_.failing, partOf(total(), n, k), unit_);
  }
  SwitchTimes withoutPart(uint64_t n, uint64_t k) const {
    return changed(result_.failing, result_.passing, partOf(total(), n, k), unit_);
  }

  // A part alone that fails, or all others together that pass.
  bool conclusive(uint64_t n) {
    for (uint64_t k = 0; k < n && !isStopped_; ++k) {
      const SwitchTimes with = withPart(n, k);
      const TestOutcome outcome = test(with);
      if (outcome == TestOutcome::fail) return result_.failing = with, true;
      // Of two parts, the one is all but the other.
      if (outcome == TestOutcome::pass && n == 2) return result_.passing = with, true;
      if (n == 2 || isStopped_) continue;
      const SwitchTimes without = withoutPart(n, k);
      if (test(without) == TestOutcome::pass) return result_.passing = without, true;
    }
    return false;
  }
  // A part that still passes, or all others together that still fail: known by now.
  bool partial(uint64_t n) {
    for (uint64_t k = 0; k < n; ++k)
      if (const SwitchTimes with = withPart(n, k); test(with) == TestOutcome::pass)
        return result_.passing = with, true;
    for (uint64_t k = 0; k < n; ++k)
      if (const SwitchTimes without = withoutPart(n, k); test(without) == TestOutcome::fail)
        return result_.failing = without, true;
    return false;
  }

  TestOutcome test(const SwitchTimes& times) {
    if (const auto known = known_.find(times); known != known_.end()) return known->second;
    if (isStopped_ || !goesOn_()) return isStopped_ = true, TestOutcome::unresolved;
    const Result<TestOutcome> outcome = test_(times);
    if (!outcome) return problem_ = outcome.error(), isStopped_ = true, TestOutcome::unresolved;
    ++counts_->tests;
    ++(*outcome == TestOutcome::pass   ? counts_->passed
       : *outcome == TestOutcome::fail ? counts_->failed
                                       : counts_->unresolved);
    return known_[times] = *outcome;
  }

  DeltaResult& result_;
  const TestSchedule& test_;
  const std::function<bool()>& goesOn_;
  std::map<SwitchTimes, TestOutcome> known_;
  Unit unit_ = Unit::wholeSwitch;
  Narrowing* counts_ = nullptr;
  bool isStopped_ = false;
  std::optional<Error> problem_;
};

} // namespace

size_t switchesThatDiffer(const SwitchTimes& a, const SwitchTimes& b) {
  return size_t(changesBetween(a, b, Unit::wholeSwitch));
}
uint64_t stepsBetween(const SwitchTimes& a, const SwitchTimes& b) { return changesBetween(a, b, Unit::step); }

Result<DeltaResult> isolateDifference(const SwitchTimes& passing, const SwitchTimes& failing,
                                      const TestSchedule& test, const std::function<bool()>& goesOn) {
  DeltaResult result{.passing = passing, .failing = failing, .bySwitch = {}, .byStep = {}};
  DeltaDebugging delta(result, test, goesOn);
  result.isMinimal = delta.narrow(Unit::wholeSwitch) && delta.narrow(Unit::step);
  if (delta.problem()) return *delta.problem();
  return result;
}

} // namespace symbiosis
