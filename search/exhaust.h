#pragma once
// Every path that some schedule of a program takes, one run each: asks each path what leads away from it
// (path_questions.h), runs that on the program, and goes on until nothing is left to ask. On each path it is also
// asked whether its threads can come to a standstill. What could not be answered is counted with its reason: as
// long as there is any, more paths may exist.
#include "search/path_questions.h"
#include "search/path_runs.h"
#include <functional>
#include <map>

namespace symbiosis {

struct ExhaustOptions {
  double seconds = 60;        // for all of it
  size_t executions = 100000; // at most
  double questionSeconds = 5; // for one question
  bool wakesAlone = true;     // waits at condition variables may end without a signal
  bool stopsAtFailure = true;
  std::optional<Plan> first; // what the first run follows; nothing: as it comes
};

enum class PathEnd { everythingAsked, failure, limit, interrupted };

struct Exhausted {
  PathEnd end = PathEnd::everythingAsked;
  ExploredPaths paths;
  size_t executions = 0;
  size_t questions = 0; // asked of the solver
  size_t unasked = 0;   // at a limit: ways of decisions of known paths that were not looked at
  size_t failures = 0;  // executions that failed
  double seconds = 0;
  PathRunTimes times;
  double asking = 0;                  // seconds
  std::map<std::string, size_t> open; // why something has no answer, and how often
  size_t forced = 0;                  // ways of decisions that no schedule of their path goes, proved
  size_t astray = 0;                  // runs that did not go where the model of another one had sent them
  std::string sentBy;                 // why the last execution was made, in words; empty: it was the first
  // Everything was asked, and everything has an answer.
  bool isComplete() const { return end == PathEnd::everythingAsked && open.empty(); }
};

struct ExhaustObserver {
  std::function<void(const Exhausted&)> progress;                        // after every execution
  std::function<Result<void>(const ExecutedRun&, size_t number)> failed; // the logs are there until it returns
};

// Errors: the program cannot be run.
Result<Exhausted> exhaust(PathRuns& runs, const ExhaustOptions& options, const ExhaustObserver& observer);

} // namespace symbiosis
