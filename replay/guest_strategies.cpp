#include "replay/guest_strategies.h"

namespace symbiosis {

Strategies allStrategies() {
  Strategies all;
  for (const format::StrategyRow& row : format::kStrategies)
    if (row.needs != format::Needs::noUse) all.push_back(row.strategy);
  return all;
}

Strategies blindStrategies() {
  Strategies all = allStrategies();
  std::erase_if(all, [](format::Strategy each) { return format::rowOf(each).needs != format::Needs::nothing; });
  return all;
}

std::optional<Strategies> strategiesNamed(std::string_view name) {
  Strategies all = allStrategies();
  if (name == "portfolio") return all;
  for (format::Strategy strategy : all)
    if (name == toText(strategy)) return Strategies{strategy};
  return std::nullopt;
}

const char* toText(format::Strategy strategy) { return format::rowOf(strategy).name; }

GuestStrategies::GuestStrategies(Strategies strategies, uint64_t seed, uint64_t expectedPoints)
    : strategies_(std::move(strategies)), seed_(seed), expectedPoints_(expectedPoints) {}

// The first run alone: its length is what the others are measured by.
uint64_t GuestStrategies::roundFrom(uint64_t first) { return first == 1 ? 1 : ~uint64_t{0}; }

ControlledRun GuestStrategies::next(uint64_t number, ControlledRun run) {
  run.strategy = strategies_[number % strategies_.size()];
  run.seed = seed_ * 0x9E3779B97F4A7C15ull + number;
  run.expectedPoints = expectedPoints_;
  const uint64_t turn = number / strategies_.size(); // among the runs of its strategy
  run.parameters = format::rowOf(run.strategy).parameters(turn);
  return run;
}

void GuestStrategies::ended(uint64_t number, const ControlReport& report, RunOutcome) {
  if (number == 1 && expectedPoints_ == 0) expectedPoints_ = report.points;
}

} // namespace symbiosis
