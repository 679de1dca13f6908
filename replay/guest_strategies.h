#pragma once
// Schedules that the runtime chooses by itself, by those strategies of trace/strategies.h that need to know
// nothing of the program: one of them, or several in turn. Run n of a seed is always the same run. For where no
// exploration is worth its while; that is replay/portfolio.h.
#include "replay/schedule_source.h"
#include <vector>

namespace symbiosis {

using Strategies = std::vector<format::Strategy>;

// All that explore, in the order of the list.
Strategies allStrategies();
// Those of them that need nothing but a seed.
Strategies blindStrategies();
// One by its name; "portfolio": all. Nothing: there is none of that name.
std::optional<Strategies> strategiesNamed(std::string_view name);
const char* toText(format::Strategy strategy);

class GuestStrategies : public ScheduleSource {
public:
  // `expectedPoints`: of a run, for strategies that spread their changes over it; 0: as many as the first has.
  explicit GuestStrategies(Strategies strategies = blindStrategies(), uint64_t seed = 1,
                           uint64_t expectedPoints = 0);
  uint64_t roundFrom(uint64_t first) override;
  ControlledRun next(uint64_t number, ControlledRun run) override;
  void ended(uint64_t number, const ControlReport& report, RunOutcome outcome) override;

private:
  Strategies strategies_;
  uint64_t seed_, expectedPoints_;
};

} // namespace symbiosis
