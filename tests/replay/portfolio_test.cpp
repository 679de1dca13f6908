// The portfolio keeps its promises: the same runs whatever the number of jobs, nobody is starved, and every
// strategy finds what it is good for.
#include "replay/explore.h"
#include "replay/portfolio.h"
#include "tests/replay/compiled_program.h"
#include <gmock/gmock.h>
#include <mutex>

namespace symbiosis {
namespace {

using testing::compiledProgram;

ExploreOptions optionsFor(const std::filesystem::path& program, uint64_t runs, unsigned jobs) {
  ExploreOptions options;
  options.launch.program = program;
  options.launch.quiet = true;
  options.launch.timeoutSeconds = 60;
  options.runs = runs;
  options.jobs = jobs;
  return options;
}

// Hands on what the portfolio says, and remembers it.
class Overheard : public ScheduleSource {
public:
  explicit Overheard(Portfolio& portfolio) : portfolio_(portfolio) {}
  uint64_t roundFrom(uint64_t first) override { return portfolio_.roundFrom(first); }
  ControlledRun next(uint64_t number, ControlledRun run) override {
    ControlledRun made = portfolio_.next(number, std::move(run));
    runs_[number] = {made.strategy, made.seed, made.parameters.meanRun, made.parameters.depth,
                     made.lessons.selected};
    for (const format::SequenceStep& step : made.lessons.steps) runs_[number].numbers.push_back(step.place);
    return made;
  }
  void ended(uint64_t number, const ControlReport& report, RunOutcome outcome) override {
    portfolio_.ended(number, report, outcome);
  }
  struct Said {
    format::Strategy strategy;
    uint64_t seed = 0;
    uint32_t meanRun = 0, depth = 0;
    std::vector<uint64_t> numbers;
    bool operator==(const Said&) const = default;
  };
  const std::map<uint64_t, Said>& runs() const { return runs_; }

private:
  Portfolio& portfolio_;
  std::map<uint64_t, Said> runs_;
};

TEST(Portfolio, MakesTheSameRunsWithAnyNumberOfJobs) {
  std::vector<std::map<uint64_t, Overheard::Said>> all;
  for (unsigned jobs : {1, 2, 5}) {
    Portfolio portfolio(allStrategies(), 3);
    Overheard source(portfolio);
    ExploreOptions options = optionsFor(compiledProgram("wrong/check_then_use.c"), 80, jobs);
    options.stopAtFirstFailure = false;
    ASSERT_TRUE(explore(options, source));
    all.push_back(source.runs());
  }
  EXPECT_EQ(all[0].size(), 80u);
  EXPECT_TRUE(all[0] == all[1]);
  EXPECT_TRUE(all[0] == all[2]);
}

TEST(Portfolio, GivesEveryStrategyRunsInEveryRound) {
  Portfolio portfolio;
  Overheard source(portfolio);
  ASSERT_TRUE(explore(optionsFor(compiledProgram("correct/counter.c"), 98, 2), source));
  std::map<format::Strategy, uint64_t> runs;
  for (const auto& [number, run] : source.runs()) ++runs[run.strategy];
  EXPECT_EQ(runs.size(), allStrategies().size());
  for (const auto& [strategy, count] : runs) EXPECT_GE(count, 8u) << toText(strategy);
}

TEST(Portfolio, TellsWhatItSaw) {
  Portfolio portfolio;
  ASSERT_TRUE(explore(optionsFor(compiledProgram("correct/counter.c"), 50, 2), portfolio));
  const PortfolioSummary summary = portfolio.summarise();
  uint64_t runs = 0;
  for (const StrategyRuns& each : summary.runs) runs += each.runs;
  EXPECT_EQ(runs, 50u);
  EXPECT_TRUE(summary.countsDataflows);
  EXPECT_GT(summary.dataflows, 0u);
  EXPECT_GT(summary.lastNew, 1u);
  EXPECT_LE(summary.lastNew, 50u);
}

TEST(Portfolio, ShardsShareOutTheSchedulesBehindTheCalibration) {
  for (const uint64_t count : {1, 3, 4}) {
    std::map<uint64_t, int> made;
    for (uint64_t index = 0; index < count; ++index) {
      const Portfolio portfolio(allStrategies(), 1, {index, count});
      for (uint64_t run = 1; run <= portfolio.runsFor(50); ++run) ++made[portfolio.scheduleOf(run)];
    }
    ASSERT_EQ(made.size(), 50u) << count;
    EXPECT_EQ(made.rbegin()->first, 50u);
    for (const auto& [schedule, times] : made) EXPECT_EQ(times, schedule <= 2 ? int(count) : 1) << schedule;
  }
}

// Of a strategy that does not adapt, schedule n is the same whoever makes it.
TEST(Portfolio, AShardMakesTheSchedulesOfOneMachineIfItsStrategyDoesNotAdapt) {
  std::map<uint64_t, uint64_t> alone, shared; // schedule: seed
  for (const Shard shard : {Shard{0, 1}, Shard{0, 2}, Shard{1, 2}}) {
    Portfolio portfolio({format::Strategy::pos}, 9, shard);
    Overheard source(portfolio);
    ExploreOptions options = optionsFor(compiledProgram("correct/counter.c"), portfolio.runsFor(12), 1);
    ASSERT_TRUE(explore(options, source));
    for (const auto& [run, said] : source.runs())
      (shard.count == 1 ? alone : shared)[portfolio.scheduleOf(run)] = said.seed;
    EXPECT_GE(portfolio.madeBelow(), 13u);
  }
  EXPECT_EQ(alone.size(), 12u);
  EXPECT_EQ(alone, shared);
}

class EachStrategy : public ::testing::TestWithParam<format::Strategy> {};
TEST_P(EachStrategy, FindsAnUpdateThatIsLost) {
  Portfolio portfolio({GetParam()}, 5);
  Result<ExploreResult> result = explore(optionsFor(compiledProgram("wrong/lost_update.c"), 300, 2), portfolio);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->failure);
  const testing::TemporaryDirectory directory;
  const auto again = recordAgain(*result->failure, directory.path() / "logs");
  EXPECT_TRUE(again) << again.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, EachStrategy, ::testing::ValuesIn(allStrategies()),
                         [](const auto& param) { return std::string(toText(param.param)); });

// What is logged of a run does not change it.
TEST(ControlledRuns, AreTheSameWhateverIsLogged) {
  GuestStrategies schedules(blindStrategies(), 1, 200);
  for (uint64_t number = 1; number <= 12; ++number) {
    std::vector<std::tuple<uint64_t, uint64_t, std::vector<uint64_t>>> seen;
    for (const format::ControlLog log : {format::ControlLog::switches, format::ControlLog::everything}) {
      ControlledRun run;
      run.launch.program = compiledProgram("correct/queue.cpp");
      run.launch.quiet = true;
      run = schedules.next(number, std::move(run));
      run.log = log;
      Result<ControlReport> report = runControlled(run);
      ASSERT_TRUE(report) << report.error().message;
      std::vector<uint64_t> syncs;
      for (const format::ControlEntry& entry : report->log)
        if (entry.type == format::EntryType::event && isSync(EventKind(entry.kind & ~format::kSilentBit)))
          syncs.push_back(entry.thread << 20 | entry.index);
      seen.emplace_back(report->points, report->switches, syncs);
    }
    EXPECT_EQ(seen[0], seen[1]) << "run " << number << ", " << toText(schedules.next(number, {}).strategy);
  }
}

} // namespace
} // namespace symbiosis
