#pragma once
// A schedule in the form that the controlling runtime follows: threads by number, entries of fixed size.
#include "support/result.h"
#include "trace/control_protocol.h"
#include "trace/schedule.h"
#include <map>
#include <string>
#include <vector>

namespace symbiosis {

// What a thread got from outside, in its order.
struct ThreadInputs {
  std::vector<uint64_t> values; // of clocks and the like
  std::vector<uint64_t> waits;  // what its waits in raw futexes returned
};

struct Plan {
  std::vector<format::ControlThread> threads;
  std::vector<format::ControlEntry> entries;
  // By thread: what its looks at clocks and its random numbers were when the run was recorded, in order. Where
  // this ends, or if it is empty, the run finds out for itself.
  std::vector<ThreadInputs> inputs = {};
};

enum class Expectation {
  fails,  // the schedule's failure happens
  passes, // its thread gets past the check that failed
};

// How the recorded run failed, as far as its failure shows in a schedule.
struct FailurePoint {
  std::string exitThread; // whose exit ended the process with the wrong status; empty: it failed otherwise
  bool isSignal = false;  // a signal ended it: the failure is no operation of its own
};

// Where the schedule ends with operations at which threads wait for ever, these are left out if it is to fail; if
// it is to pass, the first of them must be granted. Errors: a thread id that is not one, a synthetic release of a
// mutex that was never acquired.
Result<Plan> planOf(const Schedule& schedule, Expectation expectation, const FailurePoint& failure = {});

// For a run with other bodies of the functions: these have other stack frames, so addresses are not compared.
std::vector<format::ControlEntry> withoutAddresses(std::vector<format::ControlEntry> entries);

// Numbers for threads that are known by their ids, as a plan wants them.
class ThreadTable {
public:
  // Error: not the id of a thread, or too many of them.
  Result<uint32_t> numberOf(const std::string& id);
  const std::vector<format::ControlThread>& threads() const { return threads_; }

private:
  std::vector<format::ControlThread> threads_;
  std::map<std::string, uint32_t> numbers_;
};

// "0.1.2", by number; the number of a parent is lower than that of its children.
std::vector<std::string> threadIds(const std::vector<format::ControlThread>& threads);

} // namespace symbiosis
