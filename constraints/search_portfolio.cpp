#include "constraints/search_portfolio.h"
#include "constraints/hint_windows.h"
#include <algorithm>
#include <numeric>

namespace symbiosis {

static constexpr size_t kFewBackSteps = 300, kLongBackSteps = 20'000;

SearchPortfolio::SearchPortfolio(const CompiledTrace& code)
    : code_(code), search_(code), relaxed_(code, search_), hints_(hintsOf(code.trace)),
      hasObservedValues_(
          std::any_of(code.trace.symbols.begin(), code.trace.symbols.end(),
                      [](const SymbolInfo& s) { return s.event != kNoEvent && s.observed.has_value(); })) {}

void SearchPortfolio::guideBy(const EventOrder& order) {
  guide_.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) guide_[order[i]] = i;
}

SearchResult SearchPortfolio::quick(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  constexpr ThreadIndex kMostFirstThreads = 8;
  constexpr unsigned kRandomSearches = 8;
  if (!edges.empty() || (goal == Goal::passing && !guide_.empty())) { // mostly a proof, or near a known schedule
    SearchQuestion question = along(goal, edges, kLongBackSteps);
    question.mostSteps = kLongBackSteps * 10 + code_.events.size() * 4;
    SearchResult result = relaxed_.run(question, watch);
    if (result.verdict != SearchResult::Verdict::gaveUp) return result;
  }
  std::vector<SearchQuestion> styles;
  auto add = [&](SearchStyle style, size_t backSteps) -> SearchQuestion& {
    SearchQuestion question;
    question.goal = goal;
    question.edges = edges;
    question.style = style;
    question.mostBackSteps = backSteps;
    question.mostSteps = backSteps * 10 + code_.events.size() * (backSteps == kLongBackSteps ? 50 : 4);
    return styles.emplace_back(question);
  };
  if (goal == Goal::failing && hasObservedValues_) {
    SearchQuestion& question = add(hints_.empty() ? SearchStyle::stay : SearchStyle::preference, kLongBackSteps);
    question.preference = hints_;
    question.observedValues = true;
  }
  if (!hints_.empty() && goal == Goal::failing) add(SearchStyle::preference, kLongBackSteps).preference = hints_;
  if (!guide_.empty()) add(SearchStyle::preference, kFewBackSteps).preference = guide_;
  for (ThreadIndex first = 0; first < std::min(ThreadIndex(code_.trace.threads.size()), kMostFirstThreads);
       ++first)
    add(SearchStyle::stay, kFewBackSteps).firstThread = first;
  for (SearchStyle style : {SearchStyle::lateWrites, SearchStyle::lateReads}) add(style, kFewBackSteps);
  for (unsigned seed = 1; seed <= kRandomSearches; ++seed)
    add(SearchStyle::random, kFewBackSteps).randomSeed = seed;
  for (const SearchQuestion& question : styles) {
    const bool followsHints =
        question.style == SearchStyle::preference && question.preference.data() == hints_.data();
    SearchResult result = search_.run(question, watch);
    if (result.verdict == SearchResult::Verdict::found) return result;
    if (result.verdict == SearchResult::Verdict::exhausted && !question.observedValues) return result;
    if (!followsHints || question.observedValues) continue;
    result = inWindows(edges, watch);
    if (result.verdict == SearchResult::Verdict::found) return result;
  }
  return {};
}

// The failing run, if the hints are right about events far apart. A window that proves infeasible is widened.
SearchResult SearchPortfolio::inWindows(std::span<const OrderEdge> edges, const CallWatch& watch) {
  for (uint64_t width : windowWidths(hints_)) {
    std::vector<OrderEdge> all = windowEdges(code_.trace, hints_, width);
    all.insert(all.end(), edges.begin(), edges.end());
    SearchQuestion question;
    question.edges = all;
    question.style = SearchStyle::preference;
    question.preference = hints_;
    question.mostBackSteps = kLongBackSteps;
    question.mostSteps = kLongBackSteps * 10 + code_.events.size() * 50;
    SearchResult result = search_.run(question, watch);
    if (result.verdict != SearchResult::Verdict::exhausted) return result;
  }
  return {};
}

EventOrder SearchPortfolio::orderToBeginWith() const {
  const std::vector<uint64_t>& rank = guide_.empty() ? hints_ : guide_;
  EventOrder order(rank.size());
  std::iota(order.begin(), order.end(), EventRef{0});
  // Hints do not fall within a thread, and the sort is stable: program order is kept.
  std::stable_sort(order.begin(), order.end(), [&](EventRef a, EventRef b) { return rank[a] < rank[b]; });
  return order;
}

SearchResult SearchPortfolio::descend(Goal goal, std::span<const OrderEdge> edges, double mostEvents,
                                      const CallWatch& watch) {
  SearchResult result;
  if (!code_.ending.looksAtEverything()) return result;
  if (!descent_) descent_ = std::make_unique<ValueDescent>(code_);
  result.order = descent_->run(goal, edges, orderToBeginWith(), mostEvents, watch);
  if (!result.order.empty()) result.verdict = SearchResult::Verdict::found;
  return result;
}

// Along the guide or the hints.
SearchQuestion SearchPortfolio::along(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps) const {
  SearchQuestion question;
  question.goal = goal;
  question.edges = edges;
  question.preference = guide_.empty() ? hints_ : guide_;
  if (!question.preference.empty()) question.style = SearchStyle::preference;
  question.mostBackSteps = mostBackSteps;
  return question;
}

SearchResult SearchPortfolio::thorough(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps,
                                       const CallWatch& watch) {
  return search_.run(along(goal, edges, mostBackSteps), watch);
}

SearchResult SearchPortfolio::relaxed(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps,
                                      const CallWatch& watch) {
  return relaxed_.run(along(goal, edges, mostBackSteps), watch);
}

} // namespace symbiosis
