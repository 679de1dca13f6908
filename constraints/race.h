#pragma once
// Engines side by side, each in a thread of its own: the first answer stops the others.
#include "constraints/call_watch.h"
#include <functional>

namespace symbiosis {

struct Entrant {
  // sat or unsat end the race; unknown: this engine gave up. May throw LimitReached and std::bad_alloc.
  std::function<ScheduleAnswer(const CallWatch&)> answer;
  // What it has done, in the user's words; asked when all have ended.
  std::function<std::string()> tried;
};

// Memory is shared out in equal parts. unknown: nobody answered; the reason says what was tried.
ScheduleAnswer race(const std::vector<Entrant>& entrants, const CallWatch& watch);

} // namespace symbiosis
