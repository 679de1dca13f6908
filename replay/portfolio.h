#pragma once
// Which strategy makes which run, and what it is told. Runs go in rounds, and run n depends on the seed, on n and
// on what runs of earlier rounds have shown, whatever the number of jobs.
//
//   calibration   the first run, alone, is a random walk: how many points has a run? The second, alone, logs every
//                 point, if they are not too many: which places are contended, and how often does each thread come
//                 there? Strategies that need a calibration know this, and nothing else, ever.
//   rounds        each strategy has at least one run of each round, and the others go to those whose runs have
//   most
//                 often shown a dataflow that nobody had seen before; lately, because what is left to be seen
//                 changes.
//
// A *shard* is one of several machines that share out the schedules of one seed: all repeat the calibration, and
// of those behind it each makes every N-th. Nothing else is learnt across shards; so schedule n of a seed, which
// is what a shard's runs are called by, is another one if they are more or fewer.
//
// In *long* runs (more points than can be logged) a strategy is asked only where threads were seen to race, at
// sync operations and where blocks end: the first run finds out where they do, and so does the first of each
// round.
//
// Only feedback learns from all runs. Where a run has too many points for all of them to be logged, there are no
// dataflows: then the strategies that need to know them make no runs, and the others have equal shares.
#include "replay/guest_strategies.h"
#include "replay/sequences.h"

namespace symbiosis {

struct Shard {
  uint64_t index = 0, count = 1; // index < count
  bool operator==(const Shard&) const = default;
};

struct StrategyRuns {
  format::Strategy strategy;
  uint64_t runs = 0;
};
struct PortfolioSummary {
  std::vector<StrategyRuns> runs; // that came to their end, by strategy
  bool countsDataflows = false;   // every point of every run was looked at
  uint64_t dataflows = 0;
  uint64_t lastNew = 0; // the schedule that showed the last of them
};

class Portfolio : public ScheduleSource {
public:
  static constexpr uint64_t kCalibrations = 2; // schedules 1 and 2

  explicit Portfolio(Strategies strategies = allStrategies(), uint64_t seed = 1, Shard shard = {});
  uint64_t roundFrom(uint64_t first) override;
  ControlledRun next(uint64_t number, ControlledRun run) override;
  void ended(uint64_t number, const ControlReport& report, RunOutcome outcome) override;
  // When all runs have ended.
  PortfolioSummary summarise();
  std::set<PlaceFlow> flows() const; // that were seen
  // The schedule that a run makes, by its number.
  uint64_t scheduleOf(uint64_t run) const;
  // How many runs it takes to make those of the schedules 1 to `schedules` that are this shard's.
  uint64_t runsFor(uint64_t schedules) const;
  // All of its schedules below this one were made.
  uint64_t madeBelow() const;

private:
  // One of the strategies, and how it has done.
  struct Arm {
    format::Strategy strategy;
    uint64_t runs = 0;          // that it was given
    uint64_t ended = 0;         // … and that came to their end
    double tried = 0, paid = 0; // of late: runs, and the sum of how rare they were (Sequences::learn)
  };
  // Of a run of the current round.
  struct Made {
    size_t arm = kNoArm;
    uint64_t turn = 0; // among the runs of its arm
    Steps steps;       // that it wanted
    bool isOver = false, cameToItsEnd = false;
    uint64_t points = 0, asked = 0;
    bool learns = false;           // where threads race
    std::vector<uint32_t> noticed; // that it saw
    std::optional<RunLessons> lessons;
  };
  static constexpr size_t kNoArm = ~size_t{0}; // calibration

  void digest();
  void learnFrom(uint64_t number, Made& made);
  void calibrate(const RunLessons& lessons);
  void shareOut(uint64_t first, uint64_t size);
  bool canBeUsed(format::Strategy strategy) const;
  void askWhereThreadsRace(ControlledRun& run, const Made& made) const;
  void instruct(ControlledRun& run, const Made& made, uint64_t number) const;

  Strategies strategies_;
  uint64_t seed_;
  Shard shard_;
  std::set<uint64_t> ended_;    // runs, without those that are followed by no gap
  uint64_t allEnded_ = 0;       // runs up to this one
  std::vector<Arm> arms_;       // those that can be used
  uint64_t calibrated_ = 0;     // runs of a random walk that were calibrations
  uint64_t expectedPoints_ = 0; // at which strategies are asked
  bool isLong_ = false;
  std::set<uint64_t> noticed_; // in long runs: places at which threads were seen to race
  bool logsEverything_ = false;
  std::optional<RunLessons> calibration_;
  std::vector<uint64_t> contended_;              // at the calibration
  std::vector<std::vector<uint64_t>> variables_; // likewise
  Sequences sequences_;
  uint64_t lastNew_ = 0;
  std::map<uint64_t, Made> round_; // by run
};

} // namespace symbiosis
