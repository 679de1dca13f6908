#pragma once
// Answers questions about schedules by running the trace: forward searches in several styles, cheap ones first,
// because what finds a schedule depends on where one begins to look; then longer ones, beside changes of whole
// orders.
#include "constraints/relaxation.h"
#include "constraints/value_descent.h"

namespace symbiosis {

class Searches {
public:
  Searches(const CompiledTrace& code, SolverStats& stats);

  // By short searches: along the hints, with the observed values, a thread at a time, at random. unknown: these
  // did not suffice. All may throw LimitReached; schedules are still to be confirmed.
  ScheduleAnswer quickAnswer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // By longer and longer ones; `unknown` by a limit only.
  ScheduleAnswer answer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // What all questions so far took, in the user's words.
  std::string tried() const;
  // A schedule that later searches keep near to.
  void guideBy(const EventOrder& order);

private:
  SearchResult quick(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // Found or gave up, after having run so many events; the latter always where not everything is looked at.
  SearchResult descend(Goal goal, std::span<const OrderEdge> edges, double mostEvents, const CallWatch& watch);
  ScheduleAnswer answerOf(SearchResult result, size_t edges);
  SearchQuestion along(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps) const;
  SearchResult inWindows(std::span<const OrderEdge> edges, const CallWatch& watch);
  EventOrder orderToBeginWith() const;

  const CompiledTrace& code_;
  SolverStats& stats_;
  ForwardSearch search_;
  RelaxedSearch relaxed_;
  std::unique_ptr<ValueDescent> descent_; // made when it is first needed
  std::vector<uint64_t> hints_;           // by event; empty: none recorded
  std::vector<uint64_t> guide_;           // by event: its position in the guiding order; empty: none
  bool hasObservedValues_ = false;
};

} // namespace symbiosis
