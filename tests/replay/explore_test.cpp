// Exploration keeps its contract with the source of its runs, and counts each run once.
#include "replay/explore.h"
#include "replay/guest_strategies.h"
#include "tests/replay/compiled_program.h"
#include <set>

namespace symbiosis {
namespace {

using testing::compiledProgram;

ExploreOptions optionsFor(const std::string& program, uint64_t runs, unsigned jobs) {
  ExploreOptions options;
  options.launch.program = compiledProgram(program);
  options.launch.quiet = true;
  options.launch.timeoutSeconds = 60;
  options.runs = runs;
  options.jobs = jobs;
  return options;
}

// Rounds of three, of which there are `rounds`; notices whoever begins before an earlier round is over.
class Rounds : public ScheduleSource {
public:
  explicit Rounds(uint64_t rounds) : rounds_(rounds) {}
  uint64_t roundFrom(uint64_t first) override {
    EXPECT_EQ(first % 3, 1u);
    return first > 3 * rounds_ ? 0 : 3;
  }
  ControlledRun next(uint64_t number, ControlledRun run) override {
    EXPECT_TRUE(begun_.insert(number).second) << number;
    EXPECT_GE(ended_.size(), (number - 1) / 3 * 3) << "run " << number << " has not waited for its round";
    run.strategy = format::Strategy::pos;
    run.seed = number;
    return run;
  }
  void ended(uint64_t number, const ControlReport&, RunOutcome outcome) override {
    EXPECT_TRUE(begun_.count(number) && ended_.insert(number).second) << number;
    failed_ += outcome == RunOutcome::failed;
  }
  const std::set<uint64_t>& runs() const { return ended_; }
  uint64_t failed() const { return failed_; }

private:
  uint64_t rounds_, failed_ = 0;
  std::set<uint64_t> begun_, ended_;
};

TEST(Explore, TakesRunsInRoundsUntilTheSourceHasNoMore) {
  Rounds source(4);
  Result<ExploreResult> result = explore(optionsFor("correct/ping_pong.cpp", 1000, 4), source);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(source.runs().size(), 12u);
  EXPECT_EQ(result->counts.runs, 12u);
  EXPECT_EQ(result->counts.passed, 12u);
}

TEST(Explore, MakesNoMoreRunsThanItMay) {
  Rounds source(100);
  Result<ExploreResult> result = explore(optionsFor("correct/ping_pong.cpp", 7, 2), source);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(source.runs(), (std::set<uint64_t>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(Explore, TellsTheSourceOfEveryFailure) {
  Rounds source(8);
  ExploreOptions options = optionsFor("wrong/lost_update.c", 1000, 3);
  options.stopAtFirstFailure = false;
  Result<ExploreResult> result = explore(options, source);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_GT(result->counts.failed, 0u);
  EXPECT_EQ(source.failed(), result->counts.failed);
  EXPECT_EQ(result->counts.passed + result->counts.failed, 24u);
}

TEST(Explore, FindsTheSameFailureWithAnyNumberOfJobs) {
  std::set<uint64_t> found;
  for (unsigned jobs : {1, 2, 5}) {
    GuestStrategies schedules(blindStrategies(), 7);
    Result<ExploreResult> result = explore(optionsFor("wrong/lost_update.c", 1000, jobs), schedules);
    ASSERT_TRUE(result && result->failure);
    found.insert(result->failure->run);
  }
  EXPECT_EQ(found.size(), 1u);
}

TEST(GuestStrategies, AreNamedByTheList) {
  EXPECT_EQ(strategiesNamed("pct"), Strategies{format::Strategy::pct});
  EXPECT_EQ(strategiesNamed("portfolio"), allStrategies());
  EXPECT_EQ(strategiesNamed("stay"), std::nullopt); // it explores nothing
  EXPECT_EQ(strategiesNamed("auto"), std::nullopt);
}

TEST(GuestStrategies, TakeTurnsAndVaryTheirParameters) {
  GuestStrategies schedules;
  std::set<std::pair<format::Strategy, uint32_t>> seen;
  for (uint64_t number = 1; number <= 36; ++number) {
    const ControlledRun run = schedules.next(number, {});
    const bool walks = run.strategy == format::Strategy::randomWalk;
    if (run.strategy != format::Strategy::pos)
      seen.insert({run.strategy, walks ? run.parameters.meanRun : run.parameters.depth});
  }
  using enum format::Strategy;
  EXPECT_EQ(
      seen,
      (std::set<std::pair<format::Strategy, uint32_t>>{
          {randomWalk, 1}, {randomWalk, 4}, {randomWalk, 16}, {randomWalk, 64}, {pct, 2}, {pct, 3}, {pct, 4}}));
}

} // namespace
} // namespace symbiosis
