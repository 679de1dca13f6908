#pragma once
// Two lists of turns as schedules of the same length: a sequence of threads that contains both, and for each list
// how far the thread of each place goes there. Where a list has no such turn, its thread does not move.
#include "replay/turns.h"
#include "search/delta_debugging.h"

namespace symbiosis {

struct TurnSlots {
  std::vector<std::string> threads; // by slot
  SwitchTimes ends[2];              // by list and slot: ThreadTurn::end
  std::vector<uint32_t> silent[2];  // ThreadTurn::silent
  // The turns that have these ends; each is somewhere between those of the two lists.
  Turns turnsAt(const SwitchTimes& times) const;
};

TurnSlots alignTurns(const Turns& first, const Turns& second);

} // namespace symbiosis
