// Theory (abstraction and refinement). An operation on a sync object acts on that object alone, and a condition on
// nothing, so leaving some of them out only adds schedules. What is left is chosen so that it says all about the
// memory that reaches the bug condition (its *cone*): the conditions over cells of the cone, and the mutexes under
// which these are accessed. The critical sections of a queue that has nothing to do with the bug then concern
// nobody, and exhausting the rest costs no more than the accesses to the cone are worth.
#include "constraints/relaxation.h"
#include <algorithm>

namespace symbiosis {

namespace {

// Keeps `numbers` rising; true: there was something new.
bool insert(std::vector<uint32_t>& numbers, const std::vector<uint32_t>& more) {
  std::vector<uint32_t> sorted = more, both;
  std::sort(sorted.begin(), sorted.end());
  std::set_union(numbers.begin(), numbers.end(), sorted.begin(), sorted.end(), std::back_inserter(both));
  both.erase(std::unique(both.begin(), both.end()), both.end());
  const bool grew = both.size() > numbers.size();
  numbers = std::move(both);
  return grew;
}

// By condition number: does it depend on cells of the cone only?
std::vector<bool> conditionsWithin(const CompiledTrace& code, const Relevance& cone) {
  std::vector<bool> isOutside(code.initialValues.size(), false); // by slot
  for (const CompiledPart& part : code.parts)
    if (part.read != kNone && !cone.cells[part.cell]) isOutside[part.read] = true;
  auto spread = [&](const std::vector<CompiledOperation>& operations) {
    for (const CompiledOperation& o : operations)
      isOutside[o.result] = isOutside[o.result] || isOutside[o.a] || isOutside[o.b] || isOutside[o.c];
  };
  spread(code.operations); // of one thread each, operands before users
  spread(code.late);
  std::vector<bool> within(code.trace.conditions.size(), false);
  for (const CompiledCondition& condition : code.conditions)
    within[condition.condition] = !isOutside[condition.slot];
  return within;
}

// By object: is it one of these, or a mutex under which the cone is accessed, or what a kept wait releases?
std::vector<bool> objectsAround(const CompiledTrace& code, const Relevance& cone,
                                const std::vector<uint32_t>& needed) {
  std::vector<bool> kept(code.trace.objects.size(), false);
  for (uint32_t object : needed) kept[object] = true;
  const std::vector<std::vector<uint32_t>> held = heldMutexes(code);
  for (size_t i = 0; i < held.size(); ++i)
    if (cone.cells[code.parts[i].cell])
      for (uint32_t mutex : held[i]) kept[mutex] = true;
  for (const CompiledEvent& event : code.events)
    if (event.kind == EventKind::waitBegin && kept[event.object] && event.argument != kNone)
      kept[event.argument] = true;
  return kept;
}

bool isOnSyncObject(const CompiledEvent& event) {
  return isSync(event.kind) && event.object != kNone && event.kind != EventKind::start &&
         event.kind != EventKind::exit && event.kind != EventKind::fork && event.kind != EventKind::join;
}

// The event without what it does to objects that are not kept.
CompiledEvent relaxed(CompiledEvent event, const std::vector<bool>& kept) {
  const uint32_t released = event.kind == EventKind::waitBegin ? event.argument : kNone;
  event.kind = EventKind::input;
  event.object = kNone;
  if (released == kNone || !kept[released]) return event;
  event.kind = EventKind::unlock;
  event.object = released;
  return event;
}

// Conflicting accesses of the memory in question, as they stand in the order.
std::vector<OrderEdge> dataflowOf(const CompiledTrace& code, const std::vector<bool>& cells,
                                  const EventOrder& order) {
  struct History {
    EventRef lastWrite = kNoEvent;
    std::vector<EventRef> readsSince;
  };
  std::vector<History> histories(cells.size());
  std::vector<OrderEdge> edges;
  for (EventRef event : order) {
    auto link = [&](EventRef before) {
      if (before != kNoEvent && code.events[before].thread != code.events[event].thread)
        edges.push_back({before, event});
    };
    for (const Part& part : code.trace.partsOf(event)) {
      if (!cells[part.cell]) continue;
      History& history = histories[part.cell];
      link(history.lastWrite);
      if (part.written == kNoExpr) {
        history.readsSince.push_back(event);
        continue;
      }
      for (EventRef read : history.readsSince) link(read);
      history.readsSince.clear();
      history.lastWrite = event;
    }
  }
  return edges;
}

// The events in the order of preference, each as soon as it is possible. Empty: that ends before all have
// happened.
EventOrder followPreference(const CompiledTrace& code, const SearchQuestion& question) {
  EventOrder order;
  std::vector<uint32_t> missing(code.events.size(), 0);
  std::vector<std::vector<EventRef>> successors(code.events.size());
  for (const OrderEdge& edge : question.edges) {
    successors[edge.before].push_back(edge.after);
    ++missing[edge.after];
  }
  Execution state(code, Execution::Journal::none);
  while (order.size() < code.events.size()) {
    EventRef best = kNoEvent;
    for (ThreadIndex thread = 0; thread < code.trace.threads.size(); ++thread) {
      if (state.isFinished(thread)) continue;
      const EventRef next = state.nextOf(thread);
      if (missing[next] > 0 || !state.isPossible(next)) continue;
      if (best == kNoEvent || question.preference[next] < question.preference[best]) best = next;
    }
    if (best == kNoEvent) return {};
    state.step(best);
    order.push_back(best);
    for (EventRef next : successors[best]) --missing[next];
  }
  return order;
}

} // namespace

bool RelaxedSearch::Needed::add(const Needed& more) {
  const bool newConditions = insert(conditions, more.conditions), newObjects = insert(objects, more.objects);
  return newConditions || newObjects;
}

RelaxedSearch::RelaxedSearch(const CompiledTrace& code, ForwardSearch& whole)
    : code_(code), wholeSearch_(whole), whole_(code, Execution::Journal::none) {}

std::unique_ptr<RelaxedSearch::Level> RelaxedSearch::levelWith(Needed needed) const {
  std::vector<Slot> roots;
  for (const CompiledCondition& condition : code_.conditions)
    if (std::binary_search(needed.conditions.begin(), needed.conditions.end(), condition.condition))
      roots.push_back(condition.slot);
  const Relevance cone = findRelevance(code_, roots);
  const std::vector<bool> conditions = conditionsWithin(code_, cone);
  const std::vector<bool> objects = objectsAround(code_, cone, needed.objects);

  CompiledTrace left = code_;
  size_t leftOut = 0;
  left.conditions.clear();
  for (EventRef ref = 0; ref < code_.events.size(); ++ref) {
    left.firstCondition[ref] = uint32_t(left.conditions.size());
    for (uint32_t i = code_.firstCondition[ref]; i < code_.firstCondition[ref + 1]; ++i)
      if (conditions[code_.conditions[i].condition])
        left.conditions.push_back(code_.conditions[i]);
      else
        ++leftOut;
    const CompiledEvent& event = code_.events[ref];
    if (!isOnSyncObject(event) || objects[event.object]) continue;
    left.events[ref] = relaxed(event, objects);
    ++leftOut;
  }
  left.firstCondition.back() = uint32_t(left.conditions.size());
  if (leftOut == 0) return nullptr;
  return std::make_unique<Level>(std::move(left), cone.cells, std::move(needed));
}

// Of the passing schedules: everything passes, and updates that are not to be lost are critical sections.
std::unique_ptr<RelaxedSearch::Level> RelaxedSearch::levelOfUpdates() {
  updatesNotToLose_ = updatesNotToLose(code_);
  if (updatesNotToLose_.empty()) return nullptr;
  CompiledTrace left = code_;
  left.conditions.clear();
  std::fill(left.firstCondition.begin(), left.firstCondition.end(), 0);
  left.bug = {left.addConstant(0)};
  const std::vector<bool> none(code_.trace.objects.size(), false);
  for (CompiledEvent& event : left.events)
    if (isOnSyncObject(event)) event = relaxed(event, none);
  auto become = [&](EventRef ref, EventKind kind) {
    CompiledEvent& event = left.events[ref];
    event.kind = kind;
    event.object = 0; // no other object is in use
    event.partCount = 0;
  };
  for (const Update& update : updatesNotToLose_) {
    become(update.read, EventKind::lock);
    become(update.write, EventKind::unlock);
  }
  std::vector<bool> cone(code_.trace.cells.size(), false);
  for (const Part& part : code_.trace.partsOf(updatesNotToLose_.front().write))
    if (part.written != kNoExpr) cone[part.cell] = true;
  return std::make_unique<Level>(std::move(left), std::move(cone), Needed{});
}

// A schedule of the whole trace with the dataflow of one of a part.
SearchResult RelaxedSearch::inTheWhole(const Level& level, const EventOrder& order, const SearchQuestion& question,
                                       const CallWatch& watch) {
  constexpr size_t kFewBackSteps = 1000;
  std::vector<OrderEdge> edges = dataflowOf(code_, level.cone, order);
  edges.insert(edges.end(), question.edges.begin(), question.edges.end());
  SearchQuestion narrowed = question;
  narrowed.edges = edges;
  narrowed.mostBackSteps = kFewBackSteps;
  narrowed.mostSteps = kFewBackSteps * 10 + code_.events.size() * 4;
  SearchResult result = wholeSearch_.run(narrowed, watch);
  if (result.verdict == SearchResult::Verdict::exhausted) result.verdict = SearchResult::Verdict::gaveUp;
  return result;
}

SearchResult RelaxedSearch::runUpdates(const SearchQuestion& question, const CallWatch& watch) {
  if (question.goal != Goal::passing) return {};
  if (!updates_) updates_ = levelOfUpdates();
  if (!*updates_) return {};
  SearchResult result = (*updates_)->search.run(question, watch);
  if (result.verdict != SearchResult::Verdict::found) return result;
  const Needed broken = brokenBy(result.order);
  if (broken.isEmpty() && !whole_.bugHolds()) return result;
  // The search takes updates as they come; near what is preferred the rest of the trace follows more easily.
  if (question.preference.empty()) return {};
  for (const Place place : {Place::ofWrite, Place::ofRead, Place::ofBoth}) {
    const std::vector<uint64_t> preference = preferenceOfUpdates(question.preference, place);
    SearchQuestion near = question;
    near.preference = preference;
    const EventOrder order = followPreference((*updates_)->code, near);
    if (order.empty()) continue;
    result = inTheWhole(**updates_, order, near, watch);
    if (result.verdict == SearchResult::Verdict::found) return result;
  }
  return {};
}

// The events of an update together, where its write or its read was; or as they were.
std::vector<uint64_t> RelaxedSearch::preferenceOfUpdates(std::span<const uint64_t> preference, Place place) const {
  std::vector<uint64_t> changed(preference.begin(), preference.end());
  if (place != Place::ofBoth)
    for (const Update& update : updatesNotToLose_) {
      const uint64_t together = preference[place == Place::ofWrite ? update.write : update.read];
      std::fill(changed.begin() + update.read, changed.begin() + update.write + 1, together);
    }
  return changed;
}

RelaxedSearch::Needed RelaxedSearch::brokenBy(const EventOrder& order) {
  Needed found, broken;
  whole_.reset();
  for (EventRef event : order) {
    const Execution::Step step = whole_.step(event);
    if (step == Execution::Step::offPath) found.conditions.push_back(whole_.brokenCondition(event));
    if (step != Execution::Step::impossible) continue;
    assert(isOnSyncObject(code_.events[event]));
    found.objects.push_back(code_.events[event].object);
    break;
  }
  broken.add(found);
  return broken;
}

// False: there is no level above that could help.
bool RelaxedSearch::goUpFrom(size_t level, Needed broken) {
  constexpr size_t kMostLevels = 4;
  if (level + 1 == kMostLevels) return false;
  broken.add(levels_[level]->needed);
  if (level + 1 < levels_.size()) {
    if (!levels_[level + 1]) return false;
    Needed all = levels_[level + 1]->needed;
    if (!all.add(broken)) return true;
    broken = std::move(all);
  }
  for (size_t i = level + 1; i < levels_.size(); ++i)
    if (levels_[i]) backStepsOfOldLevels_ += levels_[i]->search.totalBackSteps();
  levels_.resize(level + 1);
  levels_.push_back(levelWith(std::move(broken)));
  return levels_.back() != nullptr;
}

SearchResult RelaxedSearch::run(const SearchQuestion& question, const CallWatch& watch) {
  // Of a part of the trace one would have to know how far the whole comes.
  if (!code_.ending.looksAtEverything()) return {};
  if (SearchResult result = runUpdates(question, watch); result.verdict != SearchResult::Verdict::gaveUp)
    return result;
  if (levels_.empty()) levels_.push_back(levelWith({}));
  if (!levels_.front()) return {};
  for (size_t level = 0;; ++level) {
    SearchResult result = levels_[level]->search.run(question, watch);
    if (result.verdict != SearchResult::Verdict::found) return result;
    Needed broken = brokenBy(result.order);
    if (broken.isEmpty()) return result;
    result = inTheWhole(*levels_[level], result.order, question, watch);
    if (result.verdict == SearchResult::Verdict::found) return result;
    if (!goUpFrom(level, std::move(broken))) return {};
  }
}

size_t RelaxedSearch::totalBackSteps() const {
  size_t total = backStepsOfOldLevels_;
  if (updates_ && *updates_) total += (*updates_)->search.totalBackSteps();
  for (const std::unique_ptr<Level>& level : levels_)
    if (level) total += level->search.totalBackSteps();
  return total;
}

} // namespace symbiosis
