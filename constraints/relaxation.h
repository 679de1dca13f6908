#pragma once
// Questions about a trace of which a part is left out: path conditions over memory that does not reach the bug
// condition, and sync objects that do not guard memory that does. Every schedule of the whole trace is one of what
// is left, so a proof that there is none holds for the whole. A schedule that is found is run on the whole trace;
// what it breaks there is taken back in. Where a check passes only if no update of a counter was lost, all that is
// left at first is that they exclude each other.
#include "constraints/complete_sum.h"
#include "constraints/forward_search.h"
#include <memory>

namespace symbiosis {

class RelaxedSearch {
public:
  // `whole` searches the whole trace.
  RelaxedSearch(const CompiledTrace& code, ForwardSearch& whole);

  // found: a schedule of the whole trace; exhausted: it has none. Throws LimitReached.
  SearchResult run(const SearchQuestion& question, const CallWatch& watch);
  size_t totalBackSteps() const;

private:
  struct Needed { // numbers, rising
    std::vector<uint32_t> conditions, objects;
    bool add(const Needed& more); // of any order; true: there was something new
    bool isEmpty() const { return conditions.empty() && objects.empty(); }
  };
  struct Level {
    Level(CompiledTrace left, std::vector<bool> memory, Needed why)
        : code(std::move(left)), cone(std::move(memory)), search(code), needed(std::move(why)) {}
    const CompiledTrace code;
    const std::vector<bool> cone; // by cell: who reads from whom there is what a schedule of this level is about
    ForwardSearch search;
    Needed needed;
  };
  // Empty: with these and all that belongs to them nothing is left out.
  std::unique_ptr<Level> levelWith(Needed needed) const;
  // What a schedule of a part breaks in the whole.
  Needed brokenBy(const EventOrder& order);
  std::unique_ptr<Level> levelOfUpdates();
  SearchResult inTheWhole(const Level& level, const EventOrder& order, const SearchQuestion& question,
                          const CallWatch& watch);
  enum class Place { ofWrite, ofRead, ofBoth };
  std::vector<uint64_t> preferenceOfUpdates(std::span<const uint64_t> preference, Place place) const;
  SearchResult runUpdates(const SearchQuestion& question, const CallWatch& watch);
  bool goUpFrom(size_t level, Needed broken);

  const CompiledTrace& code_;
  ForwardSearch& wholeSearch_;
  Execution whole_;
  // Each leaves out less than the one before. Empty until asked for the first time; the last may be nullptr.
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Update> updatesNotToLose_;
  std::optional<std::unique_ptr<Level>> updates_; // in which these exclude each other; nullptr: there are none
  size_t backStepsOfOldLevels_ = 0;
};

} // namespace symbiosis
