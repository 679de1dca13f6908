#pragma once
// Forward searches in several styles, cheap ones first: what finds a schedule depends on where one begins to look.
#include "constraints/relaxation.h"
#include "constraints/value_descent.h"

namespace symbiosis {

class SearchPortfolio {
public:
  explicit SearchPortfolio(const CompiledTrace& code);

  // Short searches: along the hints, with the observed values, a thread at a time, at random. Throws LimitReached.
  SearchResult quick(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // With a part of the trace left out.
  SearchResult relaxed(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps, const CallWatch& watch);
  // One search to the end, or until the watch expires.
  SearchResult thorough(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps, const CallWatch& watch);
  // Found or gave up, after having run so many events; the latter always where not everything is looked at.
  SearchResult descend(Goal goal, std::span<const OrderEdge> edges, double mostEvents, const CallWatch& watch);
  // Of all questions so far.
  size_t backSteps() const { return search_.totalBackSteps() + relaxed_.totalBackSteps(); }
  double eventsPlayed() const { return descent_ ? descent_->totalEventsPlayed() : 0; }
  // A schedule that later searches keep near to.
  void guideBy(const EventOrder& order);

private:
  SearchQuestion along(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps) const;
  SearchResult inWindows(std::span<const OrderEdge> edges, const CallWatch& watch);
  EventOrder orderToBeginWith() const;

  const CompiledTrace& code_;
  ForwardSearch search_;
  RelaxedSearch relaxed_;
  std::unique_ptr<ValueDescent> descent_; // made when it is first needed
  std::vector<uint64_t> hints_;           // by event; empty: none recorded
  std::vector<uint64_t> guide_;           // by event: its position in the guiding order; empty: none
  bool hasObservedValues_ = false;
};

} // namespace symbiosis
