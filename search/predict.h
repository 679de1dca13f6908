#pragma once
// From one run that passes to one that fails: asks the path of the passing run, and then those next to it, for
// schedules that go otherwise (exhaust.h), and runs each. What is told has been executed and recorded.
#include "search/data_races.h"
#include "search/exhaust.h"

namespace symbiosis {

struct PredictOptions {
  RecordOptions record;   // the command, its input, the expected status, where a failing run is kept
  ExhaustOptions exhaust; // how much may be run
  size_t replays = 20;    // of the failing run
  bool races = false;     // those of the first run are looked for, too
};

// A race of the first run that was executed: both threads stood before their accesses, and made them one after the
// other.
struct ExecutedRace {
  std::string variable;
  std::string first, second; // "tickets.c:14 (T2) reads"
  bool fails = false;        // that run failed
};

struct Prediction {
  Exhausted explored; // without its paths
  size_t paths = 0;
  size_t threads = 0, events = 0, decisions = 0; // of the first run
  std::optional<RecordedRun> failure;
  size_t failedAt = 0;  // the execution; 1: the first run failed by itself
  ControlReport report; // of the failing run
  size_t replayed = 0;  // of `replays`, how many failed again in the same way
  std::vector<ExecutedRace> races;
  size_t racesNotExecuted = 0; // that the program did not follow
};

// Errors: the program cannot be run.
Result<Prediction> predict(const PredictOptions& options, const std::function<void(const Exhausted&)>& progress);

} // namespace symbiosis
