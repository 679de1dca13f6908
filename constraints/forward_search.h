#pragma once
// Looks for a schedule by running the trace: safe events at once, the others as choices, back when a condition
// breaks or nothing can move. States are remembered by hash, so that none is searched twice. Exhausted means that
// no schedule exists.
#include "constraints/call_watch.h"
#include "constraints/independence.h"
#include "constraints/state_hash.h"
#include <optional>
#include <random>
#include <unordered_set>

namespace symbiosis {

// In which order the branches of a choice are tried.
enum class SearchStyle {
  stay,       // a thread runs on for as long as it can, beginning with `firstThread`
  preference, // smaller numbers first
  random,
  lateWrites, // threads gather at their racy accesses; these go reads first,
  lateReads,  // or writes first
};

struct SearchQuestion {
  Goal goal = Goal::failing;
  std::span<const OrderEdge> edges; // the schedule must respect
  SearchStyle style = SearchStyle::stay;
  std::span<const uint64_t> preference; // by event
  ThreadIndex firstThread = 0;
  unsigned randomSeed = 0;
  bool observedValues = false; // reads see what they saw in the recorded run; exhausted proves nothing
  size_t mostBackSteps = SIZE_MAX, mostSteps = SIZE_MAX;
};

struct SearchResult {
  enum class Verdict { found, exhausted, gaveUp } verdict = Verdict::gaveUp;
  EventOrder order;     // found
  size_t backSteps = 0; // choices taken back
};

class ForwardSearch {
public:
  explicit ForwardSearch(const CompiledTrace& code);

  // Throws LimitReached.
  SearchResult run(const SearchQuestion& question, const CallWatch& watch);
  size_t totalBackSteps() const { return totalBackSteps_ + backSteps_; }

private:
  enum class Move { done, dead };
  struct Choice {
    size_t length = 0;         // of the order when it was made
    size_t next = 0, past = 0; // branches not tried yet, in branches_; the best comes first
  };

  bool begin(const SearchQuestion& question);
  void link(const OrderEdge& edge);
  bool canTake(EventRef event) const;
  bool isSafe(EventRef event) const;
  bool isAsObserved(EventRef event) const;
  Move take(EventRef event);
  void askWatch();
  void takeBack();
  bool goalIsLost(EventRef event);
  bool runSafe(ThreadIndex thread, bool& moved);
  bool runAllSafe();
  bool isComplete() const { return order_.size() + code_.ending.waits().size() == code_.events.size(); }
  std::optional<EventOrder> reached();
  EventRef whoProceeds() const;
  EventRef whoWaits() const;
  EventOrder withTheRest(EventRef first) const;
  bool choose();
  bool advance();
  bool backtrack(bool isFirst);
  uint64_t rank(ThreadIndex thread) const;

  const CompiledTrace& code_;
  Execution state_;
  Relevance relevance_;
  Independence independence_;
  StateHash hash_;
  const SearchQuestion* question_ = nullptr;
  const CallWatch* watch_ = nullptr;
  std::vector<OrderEdge> must_; // of the synchronisation
  std::optional<MustOrder> edgeOrder_;
  std::vector<uint32_t> missing_;                 // by event: predecessors by edges that have not happened
  std::vector<std::vector<EventRef>> successors_; // by event, by edges
  std::vector<EventRef> linked_;                  // events that have any of these
  EventRef bugDecidedAt_ = kNoEvent;              // kNoEvent: at the end only
  bool bugIsConstant_ = false;
  size_t completed_ = 0, completedLeft_ = 0; // events that must precede a failure
  EventOrder order_;
  std::vector<StateKey> keys_; // before each event of order_
  std::vector<Choice> choices_;
  std::vector<ThreadIndex> branches_;
  std::vector<std::pair<uint64_t, ThreadIndex>> ranked_; // scratch of choose()
  std::unordered_set<StateKey, StateKeyHash> seen_;
  std::mt19937 random_;
  size_t steps_ = 0, backSteps_ = 0;
  size_t totalBackSteps_ = 0; // of earlier runs
};

} // namespace symbiosis
