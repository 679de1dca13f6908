// The paper pads the shorter schedule with switches behind the end of the program, because its clock is global and
// whoever is next is known. Ours name their threads: the slots are a shortest common supersequence of the threads
// of both lists, by the usual table over what is not a common beginning or end.
#include "search/turn_slots.h"
#include <algorithm>
#include <map>

namespace symbiosis {
namespace {

constexpr size_t kMostCells = 16'000'000; // of the table; longer lists are put one behind the other

struct Pair { // of turns; an end of the list: none
  size_t first, second;
};

class Alignment {
public:
  Alignment(const Turns& a, const Turns& b) : a_(a), b_(b) {}

  std::vector<Pair> pairs() {
    size_t begin = 0, endA = a_.size(), endB = b_.size();
    while (begin < endA && begin < endB && a_[begin].thread == b_[begin].thread) take(begin, begin), ++begin;
    std::vector<Pair> behind;
    while (endA > begin && endB > begin && a_[endA - 1].thread == b_[endB - 1].thread)
      behind.push_back({--endA, --endB});
    if ((endA - begin) * (endB - begin) <= kMostCells)
      alignMiddle(begin, endA, endB);
    else {
      for (size_t i = begin; i < endA; ++i) take(i, b_.size());
      for (size_t j = begin; j < endB; ++j) take(a_.size(), j);
    }
    pairs_.insert(pairs_.end(), behind.rbegin(), behind.rend());
    return std::move(pairs_);
  }

private:
  void take(size_t i, size_t j) { pairs_.push_back({i, j}); }
  void alignMiddle(size_t begin, size_t endA, size_t endB) {
    const size_t rows = endA - begin + 1, columns = endB - begin + 1;
    std::vector<uint16_t> common(rows * columns, 0); // of what is left of both: the longest common subsequence
    auto at = [&](size_t i, size_t j) -> uint16_t& { return common[(i - begin) * columns + (j - begin)]; };
    for (size_t i = endA; i-- > begin;)
      for (size_t j = endB; j-- > begin;)
        at(i, j) =
            a_[i].thread == b_[j].thread ? uint16_t(at(i + 1, j + 1) + 1) : std::max(at(i + 1, j), at(i, j + 1));
    size_t i = begin, j = begin;
    while (i < endA || j < endB) {
      if (i < endA && j < endB && a_[i].thread == b_[j].thread)
        take(i++, j++);
      else if (j == endB || (i < endA && at(i + 1, j) >= at(i, j + 1)))
        take(i++, b_.size());
      else
        take(a_.size(), j++);
    }
  }

  const Turns &a_, &b_;
  std::vector<Pair> pairs_;
};

} // namespace

TurnSlots alignTurns(const Turns& first, const Turns& second) {
  TurnSlots slots;
  const Turns* lists[] = {&first, &second};
  std::map<std::string, ThreadTurn> reached[2];
  for (const Pair& pair : Alignment(first, second).pairs()) {
    const size_t at[] = {pair.first, pair.second};
    const std::string& thread = at[0] < first.size() ? first[at[0]].thread : second[at[1]].thread;
    slots.threads.push_back(thread);
    for (size_t list : {0, 1}) {
      ThreadTurn& turn = reached[list][thread];
      if (at[list] < lists[list]->size()) turn = (*lists[list])[at[list]];
      slots.ends[list].push_back(turn.end);
      slots.silent[list].push_back(turn.silent);
    }
  }
  // How far "to its end" is, a difference must not depend on.
  for (size_t i = 0; i < slots.threads.size(); ++i)
    for (size_t list : {0, 1}) {
      const uint64_t other = slots.ends[1 - list][i];
      if (slots.ends[list][i] == kToItsEnd && other != kToItsEnd) slots.ends[list][i] = other + 1'000'000;
    }
  return slots;
}

Turns TurnSlots::turnsAt(const SwitchTimes& times) const {
  Turns turns;
  for (size_t i = 0; i < times.size(); ++i) {
    ThreadTurn turn{.thread = threads[i], .end = times[i]};
    for (size_t list : {0, 1})
      if (times[i] == ends[list][i]) turn.silent = silent[list][i];
    if (turn.end > 0) turns.push_back(std::move(turn));
  }
  return tidied(turns);
}

} // namespace symbiosis
