#pragma once
// One run of an instrumented program under control: follows a plan, then a strategy, and tells what happened.
#include "replay/debugger.h"
#include "replay/launch.h"
#include "replay/plan.h"

namespace symbiosis {

// What strategies that need it are told of the program, by what earlier runs have shown.
struct Lessons {
  std::vector<format::ThreadExpectation> threads; // of the plan's, all or none
  std::vector<uint64_t> contended, selected;      // places, ascending
  std::vector<format::SequenceStep> steps;
};

struct ControlledRun {
  LaunchOptions launch; // program, arguments, input, time-out; the rest is filled in
  Plan plan;            // may be empty: everything is up to the strategy
  bool strict = false;  // nothing may be scheduled after the plan's last entry
  format::Strategy strategy = format::Strategy::stay;
  uint64_t seed = 0;
  format::StrategyParameters parameters;
  Lessons lessons;
  uint64_t expectedPoints = 0; // of a run like this one, for strategies that plan ahead; 0: a thousand
  uint32_t heldMegabytes = 0;  // of freed blocks, at most; 0: they are not held back
  uint64_t stepLimit = 0;      // points of all threads at which a strategy is asked; 0: none
  format::Noticing noticing = format::Noticing::everything; // at which points it is asked
  format::ControlLog log = format::ControlLog::nothing;
  double stallSeconds = 5;          // without progress: the run is ended and reported
  std::filesystem::path place;      // for its files while it runs; empty: where temporary files go
  std::optional<Debugger> debugger; // the run's ending is then that of gdb
  // If not empty: the run is recorded as well (Mode::controlFull), and its logs are put into this new directory,
  // as NewRecording::logs wants them.
  std::filesystem::path recordTo;
};

struct ControlReport {
  Ending ending;
  format::ControlOutcome outcome = format::ControlOutcome::running;
  std::string text; // why it ended so: a divergence, a deadlock, a stall; empty: it ended by itself
  bool stuck = false;
  uint64_t steps = 0, points = 0, switches = 0, consumed = 0;
  format::Holding holding = format::Holding::off; // of freed blocks
  uint32_t givenBack = 0;                         // held back, but no longer: they were too many
  bool passedFailure = false, continuedElsewhere = false;
  std::string lastThread; // that ran, and the event that it was granted last
  uint64_t lastIndex = 0;
  std::vector<format::ControlThread> threads; // by serial
  std::vector<format::ControlEntry> log;
  std::vector<uint32_t> noticed;                // points at which threads raced, if the run was to learn them
  std::optional<format::FailureRecord> failure; // an assertion, or a signal that a thread caused
  std::vector<format::ControlEntry> waiting;    // deadlock: who waits at what
};

// Error: the program cannot be started, or was not built with `symbiosis cc`.
Result<ControlReport> runControlled(const ControlledRun& run);

// What a process has noted of its failure; nothing: there is no such file, or it is cut off.
std::optional<format::FailureRecord> readFailure(const std::filesystem::path& file);

// The plan that repeats the reported run exactly; its log must not be `nothing`.
Plan planOf(const ControlReport& report);

} // namespace symbiosis
