#include "constraints/independence.h"
#include "trace/sync_model.h"
#include <algorithm>
#include <unordered_map>

namespace symbiosis {

namespace {

bool isFailedTry(const CompiledEvent& event) { return sync::isFailedTry(event.kind, event.argument); }

bool takes(const CompiledEvent& event) {
  // Who waits for an initialiser begins it himself, if nobody has.
  return sync::ruleOf(event.kind).excludes || (event.pending && event.kind == EventKind::oncePass);
}

// Numbers pairs in the order in which they are asked for.
class PairNumbers {
public:
  uint32_t of(ThreadIndex thread, uint32_t item) {
    return numbers_.try_emplace(uint64_t(thread) << 32 | item, uint32_t(numbers_.size())).first->second;
  }
  uint32_t find(ThreadIndex thread, uint32_t item) const {
    const auto at = numbers_.find(uint64_t(thread) << 32 | item);
    return at == numbers_.end() ? kNone : at->second;
  }
  size_t size() const { return numbers_.size(); }

private:
  std::unordered_map<uint64_t, uint32_t> numbers_;
};

} // namespace

std::vector<std::vector<uint32_t>> heldMutexes(const CompiledTrace& code) {
  std::vector<std::vector<uint32_t>> held(code.parts.size());
  std::vector<uint32_t> now;
  auto release = [&](uint32_t mutex) { now.erase(std::remove(now.begin(), now.end(), mutex), now.end()); };
  for (EventRef ref = 0; ref < code.events.size(); ++ref) {
    const CompiledEvent& event = code.events[ref];
    if (ref == 0 || code.events[ref - 1].thread != event.thread) now.clear();
    if (sync::locks(event.kind, event.argument)) now.push_back(event.object);
    if (sync::unlocks(event.kind)) release(event.object);
    if (sync::ruleOf(event.kind).argument == sync::Argument::mutex) release(event.argument);
    for (uint32_t i = 0; i < event.partCount; ++i) held[event.firstPart + i] = now;
  }
  return held;
}

Independence::Independence(const CompiledTrace& code, const Relevance& relevance)
    : code_(code), relevance_(relevance), neutralUntil_(code.events.size(), kNoEvent),
      cellPair_(code.parts.size()), isCovered_(code.parts.size()), objectPair_(code.events.size(), kNone),
      mutexPair_(code.events.size(), kNone), threadsUsing_(code.trace.objects.size(), 0),
      strangers_(code.trace.cells.size()), guard_(code.trace.cells.size(), kNone) {
  chooseGuards(heldMutexes(code));
  PairNumbers cellPairs, objectPairs;
  for (EventRef ref = 0; ref < code.events.size(); ++ref) {
    const CompiledEvent& event = code.events[ref];
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
      cellPair_[i] = cellPairs.of(event.thread, code.parts[i].cell);
    if (isAccess(event.kind) || event.object == kNone) continue;
    const size_t known = objectPairs.size();
    objectPair_[ref] = objectPairs.of(event.thread, event.object);
    threadsUsing_[event.object] += objectPairs.size() > known;
    const bool usesMutex = sync::ruleOf(event.kind).argument == sync::Argument::mutex ||
                           (event.kind == EventKind::wake && event.pending);
    if (usesMutex && event.argument != kNone) mutexPair_[ref] = objectPairs.of(event.thread, event.argument);
  }
  locks_.resize(objectPairs.size());
  for (EventRef ref = 0; ref < code.events.size(); ++ref)
    if (code.events[ref].kind == EventKind::lock) locks_[objectPair_[ref]].push_back(ref);
  findStrangers([&](ThreadIndex thread, uint32_t object) { return objectPairs.find(thread, object); });
  cells_.all.resize(code.trace.cells.size());
  cells_.ofThread.resize(cellPairs.size());
  objects_.all.resize(code.trace.objects.size());
  objects_.ofThread.resize(objectPairs.size());
  for (EventRef ref = 0; ref < code.events.size(); ++ref) count(ref, 1);
  initialCells_ = cells_;
  initialObjects_ = objects_;
  findNeutralSections();
}

bool Independence::concernsNobodyElse(EventRef ref) const {
  const CompiledEvent& event = code_.events[ref];
  if (event.tail || event.synthetic) return false;
  // Where not everything is looked at, a thread that would leave its path may stay in the middle of a section.
  if (!code_.ending.looksAtEverything() && code_.firstCondition[ref] < code_.firstCondition[ref + 1]) return false;
  if (event.kind == EventKind::alloc || event.kind == EventKind::free || event.kind == EventKind::destroy ||
      event.kind == EventKind::input)
    return true;
  return isAccess(event.kind) &&
         isAccessSafe(ref, Guards::ignored); // asked before anything has happened: for good
}

void Independence::findNeutralSections() {
  for (EventRef ref = 0; ref < code_.events.size(); ++ref) {
    if (code_.events[ref].kind != EventKind::lock) continue;
    EventRef end = ref + 1;
    while (end < code_.events.size() && code_.events[end].thread == code_.events[ref].thread &&
           concernsNobodyElse(end))
      ++end;
    if (end < code_.events.size() && code_.events[end].thread == code_.events[ref].thread &&
        code_.events[end].kind == EventKind::unlock && code_.events[end].object == code_.events[ref].object)
      neutralUntil_[ref] = end;
  }
}

// The guard of a cell is the mutex under which most of its accesses are.
void Independence::chooseGuards(const std::vector<std::vector<uint32_t>>& held) {
  std::unordered_map<uint64_t, uint32_t> accesses; // by cell and mutex
  std::vector<uint32_t>& guard = guard_;
  std::vector<uint32_t> most(code_.trace.cells.size(), 0);
  for (size_t i = 0; i < held.size(); ++i)
    for (uint32_t mutex : held[i]) {
      const uint32_t cell = code_.parts[i].cell, now = ++accesses[uint64_t(cell) << 32 | mutex];
      if (now <= most[cell]) continue;
      most[cell] = now;
      guard[cell] = mutex;
    }
  for (size_t i = 0; i < held.size(); ++i)
    isCovered_[i] = std::find(held[i].begin(), held[i].end(), guard[code_.parts[i].cell]) != held[i].end();
}

template <typename PairOf> void Independence::findStrangers(PairOf pairOf) {
  for (EventRef ref = 0; ref < code_.events.size(); ++ref) {
    const CompiledEvent& event = code_.events[ref];
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
      const uint32_t cell = code_.parts[i].cell;
      if (isCovered_[i] || guard_[cell] == kNone) continue;
      std::vector<Stranger>& strangers = strangers_[cell];
      if (strangers.empty() || strangers.back().thread != event.thread)
        strangers.push_back({event.thread, cellPair_[i], pairOf(event.thread, guard_[cell]), {}});
      strangers.back().accesses.push_back(ref);
    }
  }
}

// While `thread` holds the guard, can nobody else reach an access of the cell?
bool Independence::isGuarded(uint32_t part, ThreadIndex thread) const {
  for (const Stranger& stranger : strangers_[code_.parts[part].cell]) {
    const size_t accesses = size_t(cells_.ofThread[stranger.cellPair].uncovered);
    if (stranger.thread == thread || accesses == 0) continue;
    if (stranger.guardPair == kNone) return false;
    const std::vector<EventRef>& locks = locks_[stranger.guardPair];
    const size_t left = size_t(objects_.ofThread[stranger.guardPair].locks);
    if (left == 0) return false;
    if (stranger.accesses[stranger.accesses.size() - accesses] < locks[locks.size() - left]) return false;
  }
  return true;
}

void Independence::findUsers() {
  cellUsers_.resize(code_.trace.cells.size());
  objectUsers_.resize(code_.trace.objects.size());
  auto userOf = [](std::vector<User>& users, ThreadIndex thread, uint32_t pair) -> User& {
    if (users.empty() || users.back().thread != thread) users.push_back({thread, pair, {}, {}});
    return users.back();
  };
  for (EventRef ref = 0; ref < code_.events.size(); ++ref) {
    const CompiledEvent& event = code_.events[ref];
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
      if (!relevance_.cells[code_.parts[i].cell]) continue;
      User& user = userOf(cellUsers_[code_.parts[i].cell], event.thread, cellPair_[i]);
      user.events.push_back(ref);
      if (code_.parts[i].written != kNone) user.writes.push_back(ref);
    }
    if (objectPair_[ref] != kNone)
      userOf(objectUsers_[event.object], event.thread, objectPair_[ref]).events.push_back(ref);
    if (mutexPair_[ref] != kNone)
      userOf(objectUsers_[event.argument], event.thread, mutexPair_[ref]).events.push_back(ref);
  }
}

// Whatever others still do with the cell or object, they do after `event`.
template <typename Left>
bool Independence::allComeLater(EventRef event, const std::vector<User>& users, std::vector<EventRef> User::* list,
                                Left left) const {
  for (const User& user : users) {
    const size_t rest = size_t(left(user.pair));
    if (user.thread == code_.events[event].thread || rest == 0) continue;
    if (!order_->before(event, (user.*list)[(user.*list).size() - rest])) return false;
  }
  return true;
}

void Independence::reset(const MustOrder* order) {
  order_ = order;
  if (order_ && cellUsers_.empty()) findUsers();
  cells_ = initialCells_;
  objects_ = initialObjects_;
}

void Independence::count(EventRef ref, int32_t sign) {
  const CompiledEvent& event = code_.events[ref];
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
    for (CellWork* work : {&cells_.all[code_.parts[i].cell], &cells_.ofThread[cellPair_[i]]}) {
      work->accesses += sign;
      if (code_.parts[i].written != kNone) work->writes += sign;
      if (!isCovered_[i]) work->uncovered += sign;
    }
  if (objectPair_[ref] == kNone) return;
  auto countObject = [&](uint32_t object, uint32_t pair) {
    for (ObjectWork* work : {&objects_.all[object], &objects_.ofThread[pair]}) {
      work->operations += sign;
      if (isFailedTry(event)) work->busy += sign;
      if (takes(event)) work->takes += sign;
      if (event.kind == EventKind::lock) work->locks += sign;
    }
  };
  countObject(event.object, objectPair_[ref]);
  if (mutexPair_[ref] != kNone) countObject(event.argument, mutexPair_[ref]);
}

Independence::ObjectWork Independence::others(uint32_t object, uint32_t pair) const {
  const ObjectWork &all = objects_.all[object], &own = objects_.ofThread[pair];
  return {all.operations - own.operations, all.busy - own.busy, all.takes - own.takes, all.locks - own.locks};
}

bool Independence::isAccessSafe(EventRef ref, Guards guards) const {
  const CompiledEvent& event = code_.events[ref];
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
    const CompiledPart& part = code_.parts[i];
    if (!relevance_.cells[part.cell]) continue;
    const CellWork &all = cells_.all[part.cell], &own = cells_.ofThread[cellPair_[i]];
    const int32_t conflicts = part.written == kNone ? all.writes - own.writes : all.accesses - own.accesses;
    if (conflicts == 0) continue;
    if (order_ && allComeLater(ref, cellUsers_[part.cell], part.written == kNone ? &User::writes : &User::events,
                               [&](uint32_t pair) {
                                 const CellWork& work = cells_.ofThread[pair];
                                 return part.written == kNone ? work.writes : work.accesses;
                               }))
      continue;
    if (guards == Guards::ignored || !isCovered_[i] || !isGuarded(i, event.thread)) return false;
  }
  return true;
}

bool Independence::isSafe(EventRef ref) const {
  const CompiledEvent& event = code_.events[ref];
  if (isAccess(event.kind)) return isAccessSafe(ref, Guards::count);
  if (event.partCount && !isAccessSafe(ref, Guards::count)) return false;
  if (objectPair_[ref] == kNone) return true;
  const ObjectWork rest = others(event.object, objectPair_[ref]);
  switch (isFailedTry(event) ? sync::Meets::all : sync::ruleOf(event.kind).meets) {
  case sync::Meets::nobody: return true;
  case sync::Meets::failedTries: return rest.busy == 0;
  case sync::Meets::takers: return rest.takes == 0;
  // With no more threads than participants every round has one arrival of each.
  case sync::Meets::otherRounds: return threadsUsing_[event.object] <= event.argument;
  case sync::Meets::all: break;
  }
  if (neutralUntil_[ref] != kNoEvent && rest.busy == 0) return true;
  const bool isAlone = rest.operations == 0 ||
                       (order_ && allComeLater(ref, objectUsers_[event.object], &User::events,
                                               [&](uint32_t p) { return objects_.ofThread[p].operations; }));
  return isAlone && (mutexPair_[ref] == kNone || others(event.argument, mutexPair_[ref]).busy == 0);
}

} // namespace symbiosis
