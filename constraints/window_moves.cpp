// Theory (Tinertia §3). A schedule is a list of runs. A window reaches from a run to the next one of its thread.
// Inside it the two are put together, at the front or at the back; if every event is still possible, every path
// condition holds, and the state behind the window is what it was, then the rest of the schedule cannot tell the
// difference. So a move costs the length of its window instead of the length of the schedule. The list is walked
// with the state in front of the window at hand; what stands before the walk is final for this pass.
#include "constraints/window_moves.h"
#include <algorithm>

namespace symbiosis {

WindowMoves::WindowMoves(const CompiledTrace& code)
    : code_(code), relevance_(findRelevance(code)), state_(code, Execution::Journal::kept),
      hash_(code, relevance_, true) {}

EventOrder WindowMoves::reduce(const EventOrder& order, size_t mostEvents, const CallWatch& watch) {
  Runs runs;
  for (EventRef event : order)
    if (!runs.empty() && runs.back().first + runs.back().count == event &&
        threadOf(runs.back()) == code_.events[event].thread)
      ++runs.back().count;
    else
      runs.push_back({event, 1});
  while (!watch.expired() && improveOnce(runs, mostEvents, watch)) {
  }
  EventOrder result;
  result.reserve(order.size());
  for (const Run& run : runs)
    for (uint32_t i = 0; i < run.count; ++i) result.push_back(run.first + i);
  return result;
}

bool WindowMoves::execute(const Run& run) {
  for (EventRef event = run.first; event < run.first + run.count; ++event) {
    if (code_.events[event].pending) continue; // changes nothing
    if (!state_.isPossible(event)) return false;
    keys_.push_back(hash_.key());
    hash_.before(event, state_);
    const Execution::Step step = state_.step(event);
    hash_.after(event, state_);
    done_.push_back(event);
    if (step != Execution::Step::done) return false;
  }
  return true;
}

bool WindowMoves::executeAll(std::span<const Run> runs) {
  return std::all_of(runs.begin(), runs.end(), [&](const Run& run) { return execute(run); });
}

void WindowMoves::takeBackTo(size_t length) {
  for (; done_.size() > length; done_.pop_back(), keys_.pop_back()) {
    state_.undo(done_.back());
    hash_.undone(done_.back(), keys_.back());
  }
}

bool WindowMoves::isSameWithout(std::span<const Run> window, bool up) {
  const size_t length = done_.size();
  const bool isFeasible = executeAll(window);
  const StateKey behind = hash_.wholeKey(state_);
  takeBackTo(length);
  if (!isFeasible) return false;
  const std::span<const Run> middle = window.subspan(1, window.size() - 2);
  const bool works = up ? execute(window.front()) && execute(window.back()) && executeAll(middle)
                        : executeAll(middle) && execute(window.front()) && execute(window.back());
  const bool isSame = works && hash_.wholeKey(state_) == behind;
  takeBackTo(length);
  return isSame;
}

// One pass. `runs` is consumed from the front; what has been decided is collected in `decided`.
bool WindowMoves::improveOnce(Runs& runs, size_t mostEvents, const CallWatch& watch) {
  state_.reset();
  hash_.reset();
  done_.clear();
  keys_.clear();
  const size_t before = runs.size();
  Runs decided, rest(runs.rbegin(), runs.rend()); // `rest`: the next run stands last
  Runs window;
  while (!rest.empty()) {
    window.clear();
    size_t events = 0;
    bool found = false;
    if (!watch.expired())
      for (size_t i = rest.size(); i-- > 0 && events <= mostEvents && !found && !holdsFailure(rest[i]);) {
        window.push_back(rest[i]);
        events += rest[i].count;
        found = window.size() > 1 && threadOf(rest[i]) == threadOf(rest.back());
      }
    const bool up = found && window.size() > 2 && isSameWithout(window, true);
    const bool down = found && !up && window.size() > 2 && isSameWithout(window, false);
    if (!up && !down && !(found && window.size() == 2)) {
      execute(rest.back());
      decided.push_back(rest.back());
      rest.pop_back();
      continue;
    }
    // The two become one, in front or behind; neighbours of one thread that now touch are joined when they are
    // met.
    rest.resize(rest.size() - window.size());
    const Run joined{window.front().first, window.front().count + window.back().count};
    if (down) rest.push_back(joined);
    for (size_t i = window.size() - 1; i-- > 1;) rest.push_back(window[i]);
    if (!down) rest.push_back(joined);
    if (down && !decided.empty() && threadOf(decided.back()) == threadOf(rest.back())) { // joins what was decided
      takeBackTo(done_.size() - decided.back().count);
      rest.back() = {decided.back().first, decided.back().count + rest.back().count};
      decided.pop_back();
    }
  }
  runs = std::move(decided);
  return runs.size() < before;
}

} // namespace symbiosis
