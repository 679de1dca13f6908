// Theory. Depth first over the choices of a schedule. After every choice all safe events are run
// (independence.h), so that what remains are real choices: racy accesses, acquisitions of contended locks, and the
// like. A state is where all threads stand, the memory and the values that still matter; if it was seen before,
// what follows was searched before. With few threads this is dynamic programming over their positions, which is
// what makes exhausting it possible.
//
// The failure stands last among what completed (goal failing) or anywhere; taken as early as it may be, it only
// frees tail events of their conditions, so it is never worth delaying. A tail event whose condition breaks before
// the failure waits for it.
//
// Where the failure is that threads wait, pending events are never taken. Failing: all others have happened and
// none of the pending ones is possible. Passing: as soon as one is possible; a thread that cannot go on without
// leaving its path need not go on then. Safe events stay safe: a pending event counts as one that is still to
// come.
#include "constraints/forward_search.h"
#include "constraints/sync_structure.h"
#include <algorithm>

namespace symbiosis {

static constexpr size_t kBytesPerState = 48; // of the states seen, with what the set needs around them

// All conjuncts are decided by one thread: then the goal can be checked when the last one is.
static EventRef bugDecision(const CompiledTrace& code) {
  EventRef last = kNoEvent;
  for (Slot slot : code.bug) {
    if (code.isLate(slot)) return kNoEvent;
    const EventRef at = code.decidedAt(slot);
    if (at == kNoEvent) continue;
    if (last != kNoEvent && code.events[last].thread != code.events[at].thread) return kNoEvent;
    last = last == kNoEvent ? at : std::max(last, at);
  }
  return last;
}

ForwardSearch::ForwardSearch(const CompiledTrace& code)
    : code_(code), state_(code, Execution::Journal::kept), relevance_(findRelevance(code)),
      independence_(code, relevance_),
      hash_(code, relevance_, code.bug.size() > 1 || bugDecision(code) == kNoEvent),
      missing_(code.events.size(), 0), successors_(code.events.size()), bugDecidedAt_(bugDecision(code)),
      bugIsConstant_(code.ending.isDecidedByValues() &&
                     std::all_of(code.bug.begin(), code.bug.end(), [&](Slot slot) {
                       return !code.isLate(slot) && code.decidedAt(slot) == kNoEvent;
                     })) {
  must_ = analyseSync(code.trace).must;
  for (EventRef ref = 0; ref < code.events.size(); ++ref) completed_ += code.events[ref].completed;
}

// False: the edges contradict each other.
bool ForwardSearch::begin(const SearchQuestion& question) {
  question_ = &question;
  state_.reset();
  edgeOrder_.reset();
  if (!question.edges.empty()) {
    std::vector<OrderEdge> all = must_;
    all.insert(all.end(), question.edges.begin(), question.edges.end());
    edgeOrder_.emplace(code_.trace, all);
    if (!edgeOrder_->isAcyclic()) return false;
  }
  independence_.reset(edgeOrder_ ? &*edgeOrder_ : nullptr);
  hash_.reset();
  for (EventRef event : linked_) {
    successors_[event].clear();
    missing_[event] = 0;
  }
  linked_.clear();
  for (const OrderEdge& edge : question.edges) link(edge);
  completedLeft_ = completed_;
  order_.clear();
  keys_.clear();
  choices_.clear();
  seen_.clear();
  branches_.clear();
  random_.seed(question.randomSeed);
  totalBackSteps_ += backSteps_;
  steps_ = backSteps_ = 0;
  return true;
}

void ForwardSearch::link(const OrderEdge& edge) {
  successors_[edge.before].push_back(edge.after);
  ++missing_[edge.after];
  linked_.push_back(edge.before);
  linked_.push_back(edge.after);
}

bool ForwardSearch::canTake(EventRef event) const {
  if (missing_[event] > 0 || code_.events[event].pending) return false;
  if (event == code_.ending.failure() && question_->goal == Goal::failing && completedLeft_ > 0) return false;
  return state_.isPossible(event);
}

bool ForwardSearch::isSafe(EventRef event) const {
  if (!independence_.isSafe(event)) return false;
  const EventRef end = independence_.neutralSection(event);
  if (end == kNoEvent) return true;
  return std::all_of(missing_.begin() + event, missing_.begin() + end + 1, [](uint32_t m) { return m == 0; });
}

bool ForwardSearch::isAsObserved(EventRef ref) const {
  const CompiledEvent& event = code_.events[ref];
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
    if (code_.parts[i].read == kNone || !relevance_.cells[code_.parts[i].cell]) continue;
    const auto& observed = code_.trace.symbols[code_.parts[i].read].observed;
    if (observed && *observed != state_.memory(code_.parts[i].cell)) return false;
  }
  return true;
}

ForwardSearch::Move ForwardSearch::take(EventRef event) {
  if ((++steps_ & 1023) == 0) askWatch();
  keys_.push_back(hash_.key());
  hash_.before(event, state_);
  const Execution::Step step = state_.step(event);
  assert(step != Execution::Step::impossible);
  hash_.after(event, state_);
  independence_.executed(event);
  order_.push_back(event);
  for (EventRef next : successors_[event]) --missing_[next];
  completedLeft_ -= code_.events[event].completed;
  return step == Execution::Step::done && !goalIsLost(event) ? Move::done : Move::dead;
}

// The limits, memory included; throws LimitReached, and then holds no states any more.
void ForwardSearch::askWatch() {
  watch_->hold(seen_.size() * kBytesPerState);
  if (!watch_->expired()) return;
  const LimitReached limit{watch_->reason()};
  seen_ = {};
  watch_->hold(0);
  throw limit;
}

void ForwardSearch::takeBack() {
  const EventRef event = order_.back();
  order_.pop_back();
  state_.undo(event);
  hash_.undone(event, keys_.back());
  keys_.pop_back();
  independence_.undone(event);
  for (EventRef next : successors_[event]) ++missing_[next];
  completedLeft_ += code_.events[event].completed;
}

bool ForwardSearch::goalIsLost(EventRef event) {
  return event == bugDecidedAt_ && state_.bugHolds() != (question_->goal == Goal::failing);
}

// False: whatever follows, no schedule of the goal.
bool ForwardSearch::runSafe(ThreadIndex thread, bool& moved) {
  while (!state_.isFinished(thread)) {
    const EventRef event = state_.nextOf(thread);
    if (!canTake(event) || !isSafe(event)) return true;
    if (question_->observedValues && !isAsObserved(event)) return false;
    const bool mayWait =
        code_.ending.mayStop(question_->goal) || (code_.events[event].tail && !state_.failureSeen());
    if (take(event) == Move::dead) {
      if (!mayWait || state_.brokenCondition(event) == kNone) return false;
      takeBack();
      return true;
    }
    moved = true;
  }
  return true;
}

bool ForwardSearch::runAllSafe() {
  for (bool moved = true; moved;) {
    moved = false;
    for (ThreadIndex thread = 0; thread < code_.trace.threads.size(); ++thread)
      if (!runSafe(thread, moved)) return false;
  }
  return true;
}

uint64_t ForwardSearch::rank(ThreadIndex thread) const {
  const ThreadIndex count = ThreadIndex(code_.trace.threads.size());
  const ThreadIndex current = order_.empty() ? question_->firstThread : code_.events[order_.back()].thread;
  const EventKind kind = code_.events[state_.nextOf(thread)].kind;
  switch (question_->style) {
  case SearchStyle::preference: return question_->preference[state_.nextOf(thread)];
  case SearchStyle::lateWrites: return !isAccess(kind) ? 0 : kind == EventKind::read ? 1 : 2;
  case SearchStyle::lateReads: return !isAccess(kind) ? 0 : kind == EventKind::read ? 2 : 1;
  default: return thread == current ? 0 : 1 + (thread + count - question_->firstThread) % count;
  }
}

// False: no choice, or the state was searched before.
bool ForwardSearch::choose() {
  ranked_.clear();
  for (ThreadIndex thread = 0; thread < code_.trace.threads.size(); ++thread) {
    if (state_.isFinished(thread) || !canTake(state_.nextOf(thread))) continue;
    if (question_->observedValues && !isAsObserved(state_.nextOf(thread))) continue;
    ranked_.emplace_back(question_->style == SearchStyle::random ? random_() : rank(thread), thread);
  }
  if (ranked_.empty()) return false;
  if (ranked_.size() > 1 && !seen_.insert(hash_.wholeKey(state_)).second) return false;
  std::sort(ranked_.begin(), ranked_.end());
  choices_.push_back({order_.size(), branches_.size(), branches_.size() + ranked_.size()});
  for (const auto& [rank, thread] : ranked_) branches_.push_back(thread);
  return true;
}

// Takes the best branch of the latest choice that has one left. False: none has.
bool ForwardSearch::backtrack(bool isFirst) {
  while (!choices_.empty()) {
    Choice& choice = choices_.back();
    while (order_.size() > choice.length) takeBack();
    while (choice.next < choice.past) {
      const ThreadIndex thread = branches_[choice.next++];
      backSteps_ += !isFirst;
      isFirst = false;
      if (take(state_.nextOf(thread)) == Move::done && runAllSafe()) return true;
      while (order_.size() > choice.length) takeBack();
    }
    choices_.pop_back();
    branches_.resize(choices_.empty() ? 0 : choices_.back().past);
  }
  return false;
}

// A pending event that is possible and that no edge holds back; kNoEvent: none.
EventRef ForwardSearch::whoProceeds() const {
  for (EventRef event : code_.ending.deciding())
    if (missing_[event] == 0 && state_.isPossible(event)) return event;
  return kNoEvent;
}

// Everybody does: one who surely waits, to stand first; where a signal may have reached one of several, this says
// which one it was not. kNoEvent: somebody does not wait.
EventRef ForwardSearch::whoWaits() const {
  if (!isComplete() || !state_.allStayWaiting()) return kNoEvent;
  for (EventRef event : code_.ending.waits())
    if (missing_[event] == 0 && (code_.events[event].bystander || !state_.isPossible(event))) return event;
  return kNoEvent;
}

// What has not happened, behind `first`, as the edges want it.
EventOrder ForwardSearch::withTheRest(EventRef first) const {
  EventOrder order = order_;
  std::vector<uint32_t> missing = missing_;
  std::vector<EventRef> next;
  for (ThreadIndex thread = 0; thread < code_.trace.threads.size(); ++thread)
    next.push_back(state_.nextOf(thread));
  auto append = [&](EventRef event) {
    order.push_back(event);
    ++next[code_.events[event].thread];
    for (EventRef later : successors_[event]) --missing[later];
  };
  append(first);
  for (size_t before = 0; before != order.size();) {
    before = order.size();
    for (ThreadIndex thread = 0; thread < next.size(); ++thread) {
      const TraceThread& events = code_.trace.threads[thread];
      while (next[thread] < events.firstEvent + events.eventCount && missing[next[thread]] == 0)
        append(next[thread]);
    }
  }
  return order;
}

// A schedule of the goal, if what has happened so far suffices for one.
std::optional<EventOrder> ForwardSearch::reached() {
  switch (code_.ending.kind()) {
  case TraceEndKind::check:
    if (!isComplete() || state_.bugHolds() != (question_->goal == Goal::failing)) return {};
    return order_;
  case TraceEndKind::waiting: {
    const EventRef next = question_->goal == Goal::passing ? whoProceeds() : whoWaits();
    if (next == kNoEvent) return {};
    return withTheRest(next);
  }
  }
  return {};
}

SearchResult ForwardSearch::run(const SearchQuestion& question, const CallWatch& watch) {
  watch_ = &watch;
  auto stopped = [&](SearchResult::Verdict verdict) { return SearchResult{verdict, {}, backSteps_}; };
  if (!begin(question)) return stopped(SearchResult::Verdict::exhausted);
  askWatch();
  if (bugIsConstant_ && state_.bugHolds() != (question.goal == Goal::failing))
    return stopped(SearchResult::Verdict::exhausted);
  bool alive = runAllSafe();
  for (;;) {
    if (alive)
      if (std::optional<EventOrder> order = reached())
        return {SearchResult::Verdict::found, std::move(*order), backSteps_};
    alive = alive && !isComplete();
    if (backSteps_ > question.mostBackSteps || steps_ > question.mostSteps)
      return stopped(SearchResult::Verdict::gaveUp);
    const bool chose = alive && choose();
    if (!backtrack(chose)) return stopped(SearchResult::Verdict::exhausted);
    alive = true;
  }
}

} // namespace symbiosis
