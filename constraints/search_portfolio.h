#pragma once
// Forward searches in several styles, cheap ones first: what finds a schedule depends on where one begins to look.
#include "constraints/forward_search.h"

namespace symbiosis {

class SearchPortfolio {
public:
  explicit SearchPortfolio(const CompiledTrace& code);

  // Short searches: along the hints, with the observed values, a thread at a time, at random. Throws LimitReached.
  SearchResult quick(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);
  // One search to the end, or until the watch expires.
  SearchResult thorough(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps, const CallWatch& watch);
  // A schedule that later searches keep near to.
  void guideBy(const EventOrder& order);

private:
  const CompiledTrace& code_;
  ForwardSearch search_;
  std::vector<uint64_t> hints_; // by event; empty: none recorded
  std::vector<uint64_t> guide_; // by event: its position in the guiding order; empty: none
  bool hasObservedValues_ = false;
};

} // namespace symbiosis
