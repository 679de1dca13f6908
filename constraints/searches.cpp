#include "constraints/searches.h"
#include "constraints/hint_windows.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace symbiosis {

static constexpr size_t kFewBackSteps = 300, kLongBackSteps = 20'000;

Searches::Searches(const CompiledTrace& code, SolverStats& stats)
    : code_(code), stats_(stats), search_(code), relaxed_(code, search_), hints_(hintsOf(code.trace)),
      hasObservedValues_(
          std::any_of(code.trace.symbols.begin(), code.trace.symbols.end(),
                      [](const SymbolInfo& s) { return s.event != kNoEvent && s.observed.has_value(); })) {}

void Searches::guideBy(const EventOrder& order) {
  guide_.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) guide_[order[i]] = i;
}

SearchResult Searches::quick(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
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
SearchResult Searches::inWindows(std::span<const OrderEdge> edges, const CallWatch& watch) {
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

EventOrder Searches::orderToBeginWith() const {
  const std::vector<uint64_t>& rank = guide_.empty() ? hints_ : guide_;
  EventOrder order(rank.size());
  std::iota(order.begin(), order.end(), EventRef{0});
  // Hints do not fall within a thread, and the sort is stable: program order is kept.
  std::stable_sort(order.begin(), order.end(), [&](EventRef a, EventRef b) { return rank[a] < rank[b]; });
  return order;
}

SearchResult Searches::descend(Goal goal, std::span<const OrderEdge> edges, double mostEvents,
                               const CallWatch& watch) {
  SearchResult result;
  if (!code_.ending.looksAtEverything()) return result;
  if (!descent_) descent_ = std::make_unique<ValueDescent>(code_);
  result.order = descent_->run(goal, edges, orderToBeginWith(), mostEvents, watch);
  if (!result.order.empty()) result.verdict = SearchResult::Verdict::found;
  return result;
}

// Along the guide or the hints.
SearchQuestion Searches::along(Goal goal, std::span<const OrderEdge> edges, size_t mostBackSteps) const {
  SearchQuestion question;
  question.goal = goal;
  question.edges = edges;
  question.preference = guide_.empty() ? hints_ : guide_;
  if (!question.preference.empty()) question.style = SearchStyle::preference;
  question.mostBackSteps = mostBackSteps;
  return question;
}

ScheduleAnswer Searches::answerOf(SearchResult result, size_t edges) {
  ScheduleAnswer answer;
  if (result.verdict == SearchResult::Verdict::gaveUp) return answer;
  ++stats_.searches;
  answer.answer = result.verdict == SearchResult::Verdict::found ? Answer::sat : Answer::unsat;
  answer.order = std::move(result.order);
  if (answer.answer == Answer::unsat)
    for (size_t i = 0; i < edges; ++i) answer.core.push_back(i);
  return answer;
}

ScheduleAnswer Searches::quickAnswer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  watch.hold(0);
  return answerOf(quick(goal, edges, watch), edges.size());
}

ScheduleAnswer Searches::answer(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  constexpr double kFirstEvents = 5e6, kFirstPlays = 2e4, kMostFirstEvents = 5e7, kMore = 8;
  constexpr size_t kFirstBackSteps = 300'000, kLastBackSteps = 20'000'000;
  watch.hold(0);
  double events = std::clamp(kFirstPlays * double(code_.events.size()), kFirstEvents, kMostFirstEvents);
  // Questions with edges are mostly proofs: those come first.
  bool descends = edges.empty();
  for (size_t backSteps = kFirstBackSteps;; backSteps *= size_t(kMore), events *= kMore, descends = true) {
    const bool isLast = backSteps > kLastBackSteps;
    ScheduleAnswer answer;
    if (descends) answer = answerOf(descend(goal, edges, events, watch), edges.size());
    if (answer.answer != Answer::unknown) return answer;
    answer = answerOf(relaxed_.run(along(goal, edges, backSteps), watch), edges.size());
    if (answer.answer != Answer::unknown) return answer;
    answer = answerOf(search_.run(along(goal, edges, isLast ? SIZE_MAX : backSteps), watch), edges.size());
    if (answer.answer != Answer::unknown) return answer;
  }
}

std::string Searches::tried() const {
  std::string text = fmt::format("searches from the front ({} choices taken back)",
                                 search_.totalBackSteps() + relaxed_.totalBackSteps());
  if (descent_ && descent_->totalEventsPlayed() > 0)
    text += fmt::format(", changes of whole schedules ({:.0f} of them run)",
                        descent_->totalEventsPlayed() / double(code_.events.size()));
  return text;
}

} // namespace symbiosis
