// A sequence of operations that is wanted: at this place one thread, then at that place another one, and so on.
// Who stands before a place of the sequence whose time has not come is kept there; where everybody is, or waits
// for one who is, the next step is given up. That makes likely what the launcher wants to see, a write that some
// read has never taken its value from, or another thread between two accesses, whatever the number of threads that
// could do it: places are named, not threads, as in the abstract schedules of Wolff, Shi, Duck, Mathur,
// Roychoudhury: "Greybox fuzzing for concurrency testing", ASPLOS 2024. Where we depart from them: what is wanted
// is an order of several operations by threads that play a role each, not a set of reads-from pairs.
//
// A place may be passed many times, and the sequence be about a later one: in every other run each operation
// counts only with probability 1/2; the others are as if at another place.
//
// All else is decided by random priorities of the threads or by a random walk, in turns. Who goes on for very long
// may be waiting in a loop: it falls behind all others, and the step that somebody is kept for is given up.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {
namespace {

uint32_t next = 0;                                   // the step that is due
const ThreadState* players[format::kMostRoles] = {}; // by role; null: nobody yet
constexpr uint32_t kPatience = 500;                  // choices
uint32_t sinceStep = 0, sinceSwitch = 0;             // choices
const ThreadState* lastChosen = nullptr;
uint64_t lowest = uint64_t{1} << 32; // priority; first ones lie above it

bool ignoresSome = false;

// The same answer as long as the thread stands there.
bool isIgnored(const ThreadState& thread) {
  const control::ControlledThread& control = thread.control;
  Random coin = {control::config.seed ^ (uint64_t{thread.serial} << 48) ^ (control.pending.index << 8) ^
                 control.silent};
  return ignoresSome && (coin.next() & 1);
}

bool plays(const ThreadState& thread, uint32_t role) {
  if (players[role]) return players[role] == &thread;
  for (const ThreadState* player : players)
    if (player == &thread) return false; // another one
  return true;
}

bool isDue(const ThreadState& thread) {
  return next < lessons.stepCount && lessons.steps[next].place == placeOf(thread) &&
         plays(thread, lessons.steps[next].role) && !isIgnored(thread);
}

bool isKept(const ThreadState& thread) {
  if (isDue(thread) || isIgnored(thread)) return false;
  const uint64_t place = placeOf(thread);
  for (uint32_t step = next; step < lessons.stepCount; ++step)
    if (lessons.steps[step].place == place) return true;
  return false;
}

uint64_t priorityOf(ThreadState& thread, Random& random) {
  if (!thread.control.priority) thread.control.priority = lowest + 1 + random.below(uint64_t{1} << 32);
  return thread.control.priority;
}

} // namespace

Turn sequence(const Choices& choices, Random& random, const format::ControlConfig& config) {
  if (ThreadState* thread = unnoticed(choices)) return {thread, 1};
  const bool walks = (config.seed & 1) != 0, isEager = (config.seed & 2) != 0;
  ignoresSome = (config.seed & 4) != 0;
  static ThreadState* free[format::kMostControlledThreads]; // too large for a small stack
  uint32_t count = 0;
  if (++sinceStep > kPatience && next < lessons.stepCount) {
    ++next;
    sinceStep = 0;
  }
  while (count == 0) {
    for (uint32_t i = 0; i < choices.count; ++i)
      if (!isKept(*choices.threads[i])) free[count++] = choices.threads[i];
    if (count == 0) ++next; // nobody can make it
  }
  ThreadState* chosen = free[random.below(count)];
  for (uint32_t i = 0; i < count && !walks; ++i)
    if (priorityOf(*free[i], random) > priorityOf(*chosen, random)) chosen = free[i];
  for (uint32_t i = 0; i < count && isEager; ++i)
    if (isDue(*free[i])) chosen = free[i];
  sinceSwitch = chosen == lastChosen ? sinceSwitch + 1 : 0;
  lastChosen = chosen;
  if (sinceSwitch > kPatience) chosen->control.priority = --lowest;
  if (isDue(*chosen)) {
    players[lessons.steps[next++].role] = chosen;
    sinceStep = 0;
  }
  return {chosen, 1};
}

} // namespace symbiosis::runtime::strategies
