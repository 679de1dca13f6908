#pragma once
// Looks for a schedule by changing one: whole orders are run, and one that leaves the path or misses the goal is
// bent towards it. Finds what depends on values that many events make together, where a search from the front
// learns of its mistakes too late. Proves nothing.
#include "constraints/call_watch.h"
#include "constraints/relevance.h"
#include "trace/execution.h"
#include <random>

namespace symbiosis {

class ValueDescent {
public:
  explicit ValueDescent(const CompiledTrace& code);

  // Deterministic, but for the watch. Empty: none found within so many events run. `start`: an order to begin
  // with, any permutation of the events that keeps program order; may be empty. Throws LimitReached.
  EventOrder run(Goal goal, std::span<const OrderEdge> edges, const EventOrder& start, double mostEvents,
                 const CallWatch& watch);
  double totalEventsPlayed() const { return earlier_ + played_; }

private:
  struct Broken {
    ExprId expr = kNoExpr;
    bool wanted = true;
  };
  struct Try {
    EventOrder order;
    std::vector<Broken> broken; // what keeps it from the goal
    double cost = 0;            // 0: none
  };

  bool play(const EventOrder& wish, Try& result);
  bool canTake(EventRef event) const;
  void take(EventRef event, Try& result);
  void catchUp(Try& result);
  void blame(Try& result, ExprId expr, bool wanted);
  void judgeGoal(Try& result);
  EventOrder descend(const EventOrder& start, double most);
  void accept(Try& next);
  EventOrder randomOrder();
  EventOrder changed();
  EventRef whomToChange();
  EventRef readIn(ExprId expr);
  size_t below(size_t bound) { return size_t(random_() % bound); }
  size_t anyScale(size_t most);

  const CompiledTrace& code_;
  Execution state_;
  std::vector<uint32_t> partOfSymbol_;
  size_t completed_ = 0;
  // Of the question
  Goal goal_ = Goal::failing;
  std::vector<uint32_t> initiallyMissing_; // by event: predecessors by edges
  std::vector<std::vector<EventRef>> successors_;
  const CallWatch* watch_ = nullptr;
  std::mt19937_64 random_;
  double played_ = 0, earlier_ = 0; // events: by this question, by earlier ones
  // Of the run in progress
  std::vector<uint32_t> missing_;
  std::vector<uint32_t> late_; // by thread: events that the order named before they were possible
  size_t lateThreads_ = 0, completedLeft_ = 0;
  // The order that is being changed
  Try now_;
  std::vector<EventRef> readFrom_; // by part
  std::vector<uint32_t> position_; // by event
};

} // namespace symbiosis
