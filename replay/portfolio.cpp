#include "replay/portfolio.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace symbiosis {
namespace {

// A run of more points is not logged point by point: that would cost it several times what it costs otherwise.
constexpr uint64_t kMostPoints = format::kAllNoticed;
constexpr uint64_t kSmallRound = 12, kLargeRound = 60, kSmallRounds = 10;
constexpr double kMemory = 0.8; // of what paid off in a round, in the next

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9E3779B97F4A7C15ull + b;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

template <typename Map> std::vector<uint64_t> keysOf(const Map& map) {
  std::vector<uint64_t> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

} // namespace

Portfolio::Portfolio(Strategies strategies, uint64_t seed, Shard shard)
    : strategies_(std::move(strategies)), seed_(seed), shard_(shard) {}

uint64_t Portfolio::scheduleOf(uint64_t run) const {
  if (run <= kCalibrations) return run;
  return kCalibrations + (run - kCalibrations - 1) * shard_.count + shard_.index + 1;
}

uint64_t Portfolio::runsFor(uint64_t schedules) const {
  if (schedules <= kCalibrations) return schedules;
  const uint64_t behind = schedules - kCalibrations;
  return kCalibrations + behind / shard_.count + (behind % shard_.count > shard_.index ? 1 : 0);
}

uint64_t Portfolio::madeBelow() const { return scheduleOf(allEnded_ + 1); }

uint64_t Portfolio::roundFrom(uint64_t first) {
  digest();
  if (first <= kCalibrations) {
    round_[first] = {};
    round_[first].learns = first == 1 || isLong_;
    return 1;
  }
  if (arms_.empty())
    for (format::Strategy strategy : strategies_)
      if (canBeUsed(strategy)) arms_.push_back({.strategy = strategy});
  if (arms_.empty()) return 0;
  const uint64_t size = first <= kCalibrations + kSmallRounds * kSmallRound ? kSmallRound : kLargeRound;
  shareOut(first, size);
  round_.at(first).learns = isLong_;
  return size;
}

bool Portfolio::canBeUsed(format::Strategy strategy) const {
  const bool needsToKnow = format::rowOf(strategy).needs != format::Needs::nothing;
  return !needsToKnow || (calibration_ && !contended_.empty());
}

// One run for each strategy, and the rest in proportion to the square of how much theirs have paid off, by largest
// remainders.
void Portfolio::shareOut(uint64_t first, uint64_t size) {
  std::vector<uint64_t> shares(arms_.size(), 1);
  const uint64_t rest = size > arms_.size() ? size - arms_.size() : 0;
  auto rateOf = [](const Arm& arm) { return std::pow((arm.paid + 1) / (arm.tried + 2), 2); };
  const double all = std::accumulate(arms_.begin(), arms_.end(), 0.0,
                                     [&](double sum, const Arm& arm) { return sum + rateOf(arm); });
  std::vector<std::pair<double, size_t>> remainders;
  uint64_t given = 0;
  for (size_t i = 0; i < arms_.size(); ++i) {
    const double wanted = double(rest) * rateOf(arms_[i]) / all;
    shares[i] += uint64_t(wanted);
    given += uint64_t(wanted);
    remainders.emplace_back(double(uint64_t(wanted)) - wanted, i); // the largest first
  }
  std::sort(remainders.begin(), remainders.end());
  for (size_t i = 0; given < rest; ++given, ++i) ++shares[remainders[i % remainders.size()].second];
  for (uint64_t number = first; number < first + size;)
    for (size_t arm = arms_.size(); arm-- > 0 && number < first + size;) {
      if (shares[arm] == 0) continue;
      --shares[arm];
      Made& made = round_[number];
      made.arm = arm;
      made.turn = arms_[arm].runs++;
      if (format::rowOf(arms_[arm].strategy).needs == format::Needs::allRuns)
        made.steps = sequences_.propose(mix(seed_, scheduleOf(number)));
      ++number;
    }
}

ControlledRun Portfolio::next(uint64_t number, ControlledRun run) {
  const Made& made = round_.at(number);
  run.seed = seed_ * 0x9E3779B97F4A7C15ull + scheduleOf(number);
  run.expectedPoints = expectedPoints_;
  run.strategy = made.arm == kNoArm ? format::Strategy::randomWalk : arms_[made.arm].strategy;
  run.parameters = format::rowOf(run.strategy).parameters(made.arm == kNoArm ? number : made.turn);
  if (logsEverything_) run.log = format::ControlLog::everything;
  if (made.learns) run.noticing = format::Noticing::learning;
  if (isLong_) askWhereThreadsRace(run, made);
  instruct(run, made, number);
  return run;
}

// Where nobody was seen to race, only synchronisation decides.
void Portfolio::askWhereThreadsRace(ControlledRun& run, const Made& made) const {
  run.lessons.contended.assign(noticed_.begin(), noticed_.end());
  if (!made.learns) run.noticing = format::Noticing::told;
}

// What the strategy needs to know.
void Portfolio::instruct(ControlledRun& run, const Made& made, uint64_t number) const {
  if (format::rowOf(run.strategy).needs == format::Needs::nothing) return;
  run.lessons.steps = made.steps;
  // In every fourth run nothing is taken for uncontended: other runs may not have shown it yet.
  const bool all = made.turn % 4 == 3;
  const bool adapts = format::rowOf(run.strategy).needs == format::Needs::allRuns;
  if (!all) run.lessons.contended = adapts ? keysOf(sequences_.variables().places()) : contended_;
  if (adapts) return;
  run.plan.threads = calibration_->threads;
  if (run.strategy == format::Strategy::surw)
    run.lessons.selected = variables_[mix(seed_, ~scheduleOf(number)) % variables_.size()];
  for (size_t thread = 0; thread < run.plan.threads.size(); ++thread) {
    format::ThreadExpectation expectation = {all ? calibration_->operations[thread] : 0, 0};
    for (const auto& [place, visits] : calibration_->visits[thread]) {
      if (!all) expectation.contended += visits;
      if (std::binary_search(run.lessons.selected.begin(), run.lessons.selected.end(), place))
        expectation.selected += visits;
    }
    run.lessons.threads.push_back(expectation);
  }
}

void Portfolio::ended(uint64_t number, const ControlReport& report, RunOutcome outcome) {
  Made& made = round_.at(number);
  ended_.insert(number);
  while (ended_.erase(allEnded_ + 1)) ++allEnded_;
  made.isOver = true;
  made.cameToItsEnd = outcome == RunOutcome::passed || outcome == RunOutcome::failed;
  made.points = report.points;
  made.asked = report.steps;
  made.noticed = report.noticed;
  if (logsEverything_) made.lessons = lessonsOf(report);
}

// In the order of their numbers, whichever ended first.
void Portfolio::digest() {
  for (Arm& arm : arms_) {
    arm.tried *= kMemory;
    arm.paid *= kMemory;
  }
  for (auto& [number, made] : round_)
    if (made.isOver) learnFrom(number, made);
  round_.clear();
}

void Portfolio::learnFrom(uint64_t number, Made& made) {
  const double rarity = made.lessons ? sequences_.learn(*made.lessons, made.steps) : 0;
  if (rarity == 1) lastNew_ = scheduleOf(number);
  noticed_.insert(made.noticed.begin(), made.noticed.end());
  if (made.arm != kNoArm) {
    Arm& arm = arms_[made.arm];
    arm.ended += made.cameToItsEnd;
    arm.tried += 1;
    arm.paid += rarity;
    return;
  }
  calibrated_ += made.cameToItsEnd;
  if (number == 1) logsEverything_ = made.points <= kMostPoints;
  if (number == 1) isLong_ = !logsEverything_;
  expectedPoints_ = isLong_ && number > 1 ? made.asked : std::max(expectedPoints_, made.points);
  if (made.lessons) calibrate(*made.lessons);
}

void Portfolio::calibrate(const RunLessons& lessons) {
  calibration_ = lessons;
  contended_ = keysOf(lessons.contended);
  Variables variables;
  variables.learn(lessons);
  variables_ = variables.all();
}

std::set<PlaceFlow> Portfolio::flows() const {
  std::set<PlaceFlow> seen;
  for (const auto& [flow, runs] : sequences_.flows()) seen.insert(flow);
  return seen;
}

PortfolioSummary Portfolio::summarise() {
  digest();
  PortfolioSummary result;
  bool isCounted = calibrated_ == 0;
  for (const Arm& arm : arms_) {
    const bool walks = arm.strategy == format::Strategy::randomWalk;
    isCounted |= walks;
    result.runs.push_back({arm.strategy, arm.ended + (walks ? calibrated_ : 0)});
  }
  if (!isCounted) result.runs.insert(result.runs.begin(), {format::Strategy::randomWalk, calibrated_});
  result.countsDataflows = logsEverything_;
  result.dataflows = sequences_.flows().size();
  result.lastNew = lastNew_;
  return result;
}

} // namespace symbiosis
