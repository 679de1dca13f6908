#include "symexec/uses_before_free.h"
#include <algorithm>
#include <unordered_map>

namespace symbiosis {

UsesBeforeFree::UsesBeforeFree(const Recording& recording, const HeapLives& lives) : recording_(recording) {
  if (recording.threads.size() < 2) return;
  collectThreads();
  collect(lives);
}

void UsesBeforeFree::collectThreads() {
  for (size_t t = 0; t < recording_.threads.size(); ++t) threads_[recording_.threads[t].serial] = t;
  passed_.resize(recording_.threads.size());
  for (size_t i = 0; i < recording_.granted.size(); ++i)
    if (auto known = threads_.find(recording_.granted[i].thread); known != threads_.end())
      passed_[known->second].push_back({format::pointsAfter(recording_.granted[i]), i});
  for (size_t t = 0; t < recording_.threads.size(); ++t)
    for (size_t i = 0; i < recording_.threads[t].ops.size(); ++i) {
      const format::OpRecord& op = recording_.threads[t].ops[i];
      if (EventKind(op.kind) == EventKind::fork) forkedAt_.try_emplace(uint32_t(op.argument), i);
      if (EventKind(op.kind) == EventKind::join && op.state == format::OpState::done && op.result == 0)
        joinedAt_.try_emplace({t, uint32_t(op.argument)}, i);
    }
}

void UsesBeforeFree::collect(const HeapLives& lives) {
  std::unordered_map<const format::OpRecord*, std::pair<size_t, size_t>> positions; // of frees
  for (size_t t = 0; t < recording_.threads.size(); ++t)
    for (size_t i = 0; i < recording_.threads[t].ops.size(); ++i)
      if (EventKind(recording_.threads[t].ops[i].kind) == EventKind::free)
        positions[&recording_.threads[t].ops[i]] = {t, i};
  std::vector<const Life*> ended;
  for (const Life& life : lives.all())
    if (life.freed) ended.push_back(&life);
  std::stable_sort(ended.begin(), ended.end(),
                   [](const Life* a, const Life* b) { return a->block.begin < b->block.begin; });
  for (const Life* life : ended) {
    const uint64_t end = life->block.begin + life->block.size;
    if (places_.empty() || places_.back().end <= life->block.begin)
      places_.push_back({life->block.begin, end, {}, {}});
    places_.back().end = std::max(places_.back().end, end);
    const auto [thread, position] = positions.at(life->freed);
    places_.back().freed.push_back({life, thread, position});
  }
}

const UsesBeforeFree::Place* UsesBeforeFree::placeOf(uint64_t address) const {
  if (!mayHold(address)) return nullptr;
  const auto after = std::upper_bound(places_.begin(), places_.end(), address,
                                      [](uint64_t at, const Place& place) { return at < place.begin; });
  const Place& place = *std::prev(after);
  return address < place.end ? &place : nullptr;
}

// The entry of the granted order with which the thread's next point was passed. Behind its last one nobody knows
// what came before what others did behind theirs.
uint64_t UsesBeforeFree::granted(const Standing& thread) const {
  const auto& own = passed_[threads_.at(thread.serial)];
  const auto at = std::upper_bound(own.begin(), own.end(), std::pair(thread.points, ~uint64_t{0}));
  return at == own.end() ? recording_.granted.size() : at->second;
}

// --- first walk ---

void UsesBeforeFree::noteUse(const Standing& thread, uint64_t address) {
  Place* place = placeOf(address);
  if (!place) return;
  const size_t number = threads_.at(thread.serial);
  for (Use& use : place->uses)
    if (use.thread == number) return void(use.operations = std::max(use.operations, thread.operations));
  place->uses.push_back({number, thread.operations});
}

void UsesBeforeFree::noteOperation(const format::OpRecord& record, const Standing& thread) {
  if (!places_.empty()) grantedAt_[&record] = granted(thread);
}

void UsesBeforeFree::settle() {
  for (Place& place : places_)
    for (Freed& freed : place.freed) {
      if (auto known = grantedAt_.find(freed.life->allocated); known != grantedAt_.end())
        freed.begins = known->second;
      if (auto known = grantedAt_.find(freed.life->freed); known != grantedAt_.end()) freed.ends = known->second;
      if (std::any_of(place.uses.begin(), place.uses.end(),
                      [&](const Use& use) { return !isOrdered(freed, use); }))
        asked_.insert(freed.life->freed);
    }
  for (Place& place : places_)
    std::stable_sort(place.freed.begin(), place.freed.end(), [&](const Freed& a, const Freed& b) {
      return isControlled() ? a.begins < b.begins : a.life->begin < b.life->begin;
    });
}

// --- second walk ---

// By the thread that frees, or before that was created, or by one that it has joined.
bool UsesBeforeFree::isOrdered(const Freed& freed, const Use& use) const {
  if (freed.by == use.thread) return true;
  const ThreadLog& user = recording_.threads[use.thread];
  const ThreadLog* child = &recording_.threads[freed.by]; // … or its ancestor that the user created
  while (child->parentSerial != user.serial && child->parentSerial != child->serial) {
    const auto parent = threads_.find(child->parentSerial);
    if (parent == threads_.end()) break;
    child = &recording_.threads[parent->second];
  }
  const auto forked = forkedAt_.find(child->serial);
  if (child->parentSerial == user.serial && forked != forkedAt_.end() && use.operations <= forked->second)
    return true;
  const auto joined = joinedAt_.find({freed.by, user.serial});
  return joined != joinedAt_.end() && joined->second < freed.position;
}

bool UsesBeforeFree::isBehindBegin(const Freed& freed, const Standing& thread, uint64_t when) const {
  return isControlled() ? freed.begins <= when : freed.life->begin <= thread.notAfter;
}
bool UsesBeforeFree::isBeforeEnd(const Freed& freed, const Standing& thread, uint64_t when) const {
  return isControlled() ? when < freed.ends : thread.notAfter <= freed.life->end;
}

const Life* UsesBeforeFree::lifeAt(const Standing& thread, uint64_t address) const {
  constexpr int kMostLives = 64; // that are looked at
  const Place* place = placeOf(address);
  if (!place) return nullptr;
  const uint64_t when = isControlled() ? granted(thread) : 0;
  auto at = std::partition_point(place->freed.begin(), place->freed.end(),
                                 [&](const Freed& freed) { return isBehindBegin(freed, thread, when); });
  const Freed* latest = nullptr;
  for (int looked = 0; at != place->freed.begin() && looked < kMostLives; ++looked) {
    const Freed& freed = *--at;
    if (!freed.life->block.holds(address)) continue;
    if (latest) return isControlled() || freed.life->end < thread.notBefore ? latest->life : nullptr;
    if (!isBeforeEnd(freed, thread, when) || !asked_.contains(freed.life->freed) ||
        isOrdered(freed, {threads_.at(thread.serial), thread.operations}))
      return nullptr;
    latest = &freed;
  }
  return latest && at == place->freed.begin() ? latest->life : nullptr;
}

} // namespace symbiosis
