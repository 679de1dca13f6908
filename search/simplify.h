#pragma once
// A failing schedule with fewer context switches, in up to three ways, each from where the last one ended: merging
// segments of the dependence graph (SimTrace; nothing is run), moves that are evaluated on the trace, and moves
// that are executed on the program (Tinertia). Whatever comes out is replayed.
#include "search/tinertia.h"
#include "trace/schedule.h"
#include <memory>

namespace symbiosis {

enum class SimplifyMethod { merge, evaluate, execute, automatic };

// What the schedule is an order of. No trace: none can be made, or none has been made of it.
struct TracedSchedule {
  std::shared_ptr<const SymbolicTrace> trace;
  EventOrder order;
};

// What is simplified. Fails by the evaluator if there is a trace; otherwise this is what is known of it.
struct FailingStart {
  TracedSchedule traced;
  std::optional<Schedule> schedule; // nothing, and no trace: what a controlled run was granted
  std::string whyUntraced;          // why there is no trace; empty: there is one
};

// Up to the failure.
struct ScheduleSize {
  size_t switches = 0, preemptions = 0;
  size_t threads = 0; // that do anything
  size_t events = 0;  // that happen; without a trace: points
};
ScheduleSize sizeOf(const TracedSchedule& schedule);

struct SimplifyStep {
  SimplifyMethod method = SimplifyMethod::automatic; // automatic: what was begun with
  ScheduleSize size;
  size_t runs = 0;
  double seconds = 0;
};

struct SimplifyOptions {
  SimplifyMethod method = SimplifyMethod::automatic;
  double seconds = 60;    // for all of it but the replays
  size_t mostRuns = 1000; // of the program, for moves that are executed
  size_t suffix = 0;      // of these moves: only so many turns at the end; 0: all
  size_t replays = 20;    // of the result
};

struct Simplified {
  std::vector<SimplifyStep> steps; // the first is what was begun with
  Schedule schedule;
  TracedSchedule traced;
  std::optional<TinertiaResult> executed;
  std::vector<std::string> removed; // ids of threads that did something before and do nothing now
  std::string note;                 // what could not be done, and why; empty: nothing
  size_t replays = 0, failedAgain = 0;
  std::string problem; // of the first replay that did not fail as recorded
  const ScheduleSize& before() const { return steps.front().size; }
  const ScheduleSize& after() const { return steps.back().size; }
};

// How far it has come: what is done now (automatic: replays of the result), how often the program has been run for
// it, and how many switches are left.
using SimplifyProgress = std::function<void(SimplifyMethod, size_t runs, size_t switches)>;

Result<Simplified> simplify(const Recording& recording, const FailingStart& failing,
                            const SimplifyOptions& options, const SimplifyProgress& progress);

} // namespace symbiosis
