#include "symexec/lives.h"
#include <algorithm>

namespace symbiosis {

// The allocation by which realloc has enlarged or shortened the block where it is; null: `freed` is another kind
// of end.
static const format::OpRecord* resizedInPlace(const std::vector<format::OpRecord>& ops, size_t freed) {
  if (!ops[freed].moves || freed + 1 >= ops.size()) return nullptr;
  const format::OpRecord& next = ops[freed + 1];
  return EventKind(next.kind) == EventKind::alloc && next.object == ops[freed].object ? &next : nullptr;
}

HeapLives::HeapLives(const Recording& recording) {
  std::vector<const format::OpRecord*> frees;
  std::multimap<uint64_t, size_t> byAddress;
  std::map<const format::OpRecord*, const format::OpRecord*> resized; // by the `free`
  for (size_t thread = 0; thread < recording.threads.size(); ++thread) {
    uint64_t ordinal = 0, ofLibraries = 0;
    const std::vector<format::OpRecord>& ops = recording.threads[thread].ops;
    for (size_t i = 0; i < ops.size(); ++i) {
      const format::OpRecord& record = ops[i];
      const format::OpRecord* inPlace = resizedInPlace(ops, i);
      if (inPlace) resized.emplace(&record, inPlace);
      if (EventKind(record.kind) == EventKind::destroy) {
        Life life;
        life.thread = thread;
        life.block = {record.object, 1};
        life.end = record.timestamp;
        life.freed = &record;
        destroyed_.push_back(life);
      }
      if (EventKind(record.kind) == EventKind::free && record.object) frees.push_back(&record);
      if (EventKind(record.kind) != EventKind::alloc) continue;
      uint64_t& largest = largest_[record.object];
      largest = std::max(largest, record.argument);
      uint64_t& count = record.inLibrary ? ofLibraries : ordinal;
      ++count;
      if (!record.object) continue; // it returned null
      if (i > 0 && resizedInPlace(ops, i - 1)) continue;
      byAddress.emplace(record.object, lives_.size());
      Life life;
      life.thread = thread;
      life.allocated = &record;
      life.ordinal = count;
      life.block = {record.object, std::max<uint64_t>(1, record.argument)};
      life.begin = record.timestamp;
      lives_.push_back(life);
    }
  }
  // The first free after the allocation ends it.
  std::stable_sort(frees.begin(), frees.end(), [](auto* a, auto* b) { return a->timestamp < b->timestamp; });
  for (const format::OpRecord* freed : frees) {
    Life* latest = nullptr;
    auto [from, to] = byAddress.equal_range(freed->object);
    for (auto at = from; at != to; ++at)
      if (Life& life = lives_[at->second];
          life.begin <= freed->timestamp && (!latest || life.begin > latest->begin))
        latest = &life;
    if (!latest || latest->freed) continue;
    if (auto grown = resized.find(freed); grown != resized.end()) {
      latest->block.size = std::max(latest->block.size, grown->second->argument);
      continue;
    }
    latest->freed = freed;
    latest->end = freed->timestamp;
  }
}

const Life* HeapLives::destroyedBefore(uint64_t object, uint64_t time) const {
  const Life* last = nullptr;
  for (const Life& life : destroyed_)
    if (life.block.begin == object && life.end <= time && (!last || life.end > last->end)) last = &life;
  return last;
}

Range HeapLives::blockAt(uint64_t address) const {
  const auto after = largest_.upper_bound(address);
  if (after == largest_.begin()) return {};
  const auto& [begin, size] = *std::prev(after);
  const Range block{begin, size};
  return block.holds(address) ? block : Range{};
}

const Life* HeapLives::lastAt(uint64_t address, uint64_t time) const {
  const Life* last = nullptr;
  for (const Life& life : lives_)
    if (life.block.holds(address) && life.begin <= time && (!last || life.begin > last->begin)) last = &life;
  return last;
}

const Life* endedBeforeFault(const HeapLives& lives, const format::FailureRecord& failure, uint64_t time) {
  if (failure.cause != format::FailureCause::signal || !failure.address) return nullptr;
  if (failure.code <= 0 && failure.misuse == format::HeapMisuse::none) return nullptr;
  if (failure.misuse == format::HeapMisuse::useAfterDestroy) return lives.destroyedBefore(failure.address, time);
  const Life* life = lives.lastAt(failure.address, time);
  return life && life->end <= time ? life : nullptr;
}

static RawPart lifeCell(const format::OpRecord& record) {
  RawPart part;
  part.address = record.object;
  part.size = 1;
  part.isLife = true;
  return part;
}

RawPart beginOfLife(ExprPool& exprs, const format::OpRecord& allocated) {
  RawPart part = lifeCell(allocated);
  part.written = exprs.constant(1, 8);
  return part;
}

RawPart endOfLife(ExprPool& exprs, const format::OpRecord& freed) {
  RawPart part = lifeCell(freed);
  part.written = exprs.constant(0, 8);
  return part;
}

RawPart lookAtLife(uint32_t symbol, const format::OpRecord& freed) {
  RawPart part = lifeCell(freed);
  part.symbol = symbol;
  return part;
}

RawPart findAlive(uint32_t symbol, const format::OpRecord& freed, bool isAsked) {
  RawPart part = lookAtLife(symbol, freed);
  part.observed = 1;
  part.findsAlive = isAsked;
  return part;
}

ExprId isOver(ExprPool& exprs, uint32_t symbol) {
  return exprs.binary(ExprOp::eq, exprs.symbol(symbol, 8), exprs.constant(0, 8));
}

} // namespace symbiosis
