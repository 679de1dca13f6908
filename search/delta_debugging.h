#pragma once
// Delta debugging of schedules (Choi and Zeller, "Isolating failure-inducing thread schedules", 2002, §4; the
// algorithm dd of its Figure 7). A schedule is a list of numbers, where each switch happens; two schedules of the
// same length differ in some of them, each by so many steps.
#include "support/result.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace symbiosis {

using SwitchTimes = std::vector<uint64_t>;

enum class TestOutcome { pass, fail, unresolved };

// What comes of a schedule; called once for each.
using TestSchedule = std::function<Result<TestOutcome>(const SwitchTimes&)>;

struct Narrowing {
  std::vector<uint64_t> left; // how many differences were left: at the beginning, and after each that helped
  size_t tests = 0, passed = 0, failed = 0, unresolved = 0;
};

struct DeltaResult {
  SwitchTimes passing, failing;
  Narrowing bySwitch, byStep; // differences are first whole switches, then single steps
  // No single difference can be taken away or added without changing the outcome. False: `goesOn` said no.
  bool isMinimal = false;
};

// How many switches differ, and by how many steps in all.
size_t switchesThatDiffer(const SwitchTimes& a, const SwitchTimes& b);
uint64_t stepsBetween(const SwitchTimes& a, const SwitchTimes& b);

// `passing` passes and `failing` fails. `goesOn` is asked before each test.
Result<DeltaResult> isolateDifference(const SwitchTimes& passing, const SwitchTimes& failing,
                                      const TestSchedule& test, const std::function<bool()>& goesOn);

} // namespace symbiosis
