#include "constraints/search_portfolio.h"
#include <algorithm>

namespace symbiosis {

// Time stamps are rare; an event without one stands right behind the latest before it.
static std::vector<uint64_t> hintsOf(const SymbolicTrace& trace) {
  std::vector<uint64_t> hints(trace.events.size(), 0);
  bool any = false;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    any = any || trace.event(ref).timestamp != 0;
    hints[ref] = trace.event(ref).timestamp;
    if (ref > 0 && trace.threadOf(ref - 1) == trace.threadOf(ref))
      hints[ref] = std::max(hints[ref], hints[ref - 1]);
  }
  return any ? hints : std::vector<uint64_t>{};
}

SearchPortfolio::SearchPortfolio(const CompiledTrace& code)
    : code_(code), search_(code), hints_(hintsOf(code.trace)),
      hasObservedValues_(
          std::any_of(code.trace.symbols.begin(), code.trace.symbols.end(),
                      [](const SymbolInfo& s) { return s.event != kNoEvent && s.observed.has_value(); })) {}

void SearchPortfolio::guideBy(const EventOrder& order) {
  guide_.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) guide_[order[i]] = i;
}

SearchResult SearchPortfolio::quick(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  constexpr size_t kLongBackSteps = 20'000, kFewBackSteps = 300;
  constexpr ThreadIndex kMostFirstThreads = 8;
  constexpr unsigned kRandomSearches = 8;
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
    SearchResult result = search_.run(question, watch);
    if (result.verdict == SearchResult::Verdict::found) return result;
    if (result.verdict == SearchResult::Verdict::exhausted && !question.observedValues) return result;
  }
  return {};
}

SearchResult SearchPortfolio::thorough(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps,
                                       const CallWatch& watch) {
  SearchQuestion question;
  question.goal = goal;
  question.edges = edges;
  question.preference = guide_.empty() ? hints_ : guide_;
  if (!question.preference.empty()) question.style = SearchStyle::preference;
  question.mostBackSteps = mostBackSteps;
  return search_.run(question, watch);
}

} // namespace symbiosis
