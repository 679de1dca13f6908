#include "constraints/state_hash.h"
#include <algorithm>

namespace symbiosis {

namespace {

uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ull;
  x = (x ^ (x >> 29)) * 0x9e3779b97f4a7c15ull;
  return x ^ (x >> 32);
}

enum class Aspect : uint64_t { position = 1, memory, value, choice };

StateKey term(Aspect part, uint64_t what, uint64_t value) {
  const uint64_t x = scramble(what * 0xbf58476d1ce4e5b9ull + uint64_t(part) * 0x94d049bb133111ebull);
  return {scramble(x + value), scramble((x ^ 0x2545f4914f6cdd1dull) + value * 0xff51afd7ed558ccdull)};
}

// Groups (event, slot) pairs by event.
void group(std::vector<std::pair<EventRef, Slot>> pairs, size_t events, std::vector<uint32_t>& first,
           std::vector<Slot>& slots) {
  std::sort(pairs.begin(), pairs.end());
  first.assign(events + 1, 0);
  for (const auto& [event, slot] : pairs) {
    ++first[event + 1];
    slots.push_back(slot);
  }
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
}

} // namespace

StateHash::StateHash(const CompiledTrace& code, const Relevance& relevance, bool keepBug)
    : code_(code), initialReads_(code.trace.cells.size(), 0) {
  for (const CompiledPart& part : code.parts)
    if (part.read != kNone && relevance.cells[part.cell]) ++initialReads_[part.cell];
  findLifetimes(relevance, keepBug);
  reset();
}

void StateHash::findLifetimes(const Relevance& relevance, bool keepBug) {
  const EventRef kForEver = kNoEvent;
  const size_t slots = code_.initialValues.size();
  std::vector<int64_t> lastUse(slots, -1); // event; -1: never used
  auto use = [&](Slot slot, EventRef at) { lastUse[slot] = std::max(lastUse[slot], int64_t(at)); };
  for (EventRef ref = 0; ref < code_.events.size(); ++ref) {
    const CompiledEvent& event = code_.events[ref];
    for (uint32_t i = code_.firstOperation[ref]; i < code_.firstOperation[ref + 1]; ++i) {
      const CompiledOperation& operation = code_.operations[i];
      for (Slot operand : {operation.a, operation.b, operation.c}) use(operand, ref);
    }
    for (uint32_t i = code_.firstCondition[ref]; i < code_.firstCondition[ref + 1]; ++i)
      use(code_.conditions[i].slot, ref);
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
      if (code_.parts[i].written != kNone) use(code_.parts[i].written, ref);
  }
  for (const CompiledOperation& operation : code_.late)
    for (Slot operand : {operation.a, operation.b, operation.c}) use(operand, kForEver);
  if (keepBug)
    for (Slot slot : code_.bug) use(slot, kForEver);
  std::vector<std::pair<EventRef, Slot>> born, dead;
  for (Slot slot = 0; slot < slots; ++slot) {
    const EventRef decided = code_.decidedAt(slot);
    if (!relevance.slots[slot] || decided == kNoEvent || lastUse[slot] <= int64_t(decided)) continue;
    born.emplace_back(decided, slot);
    if (lastUse[slot] != int64_t(kForEver)) dead.emplace_back(EventRef(lastUse[slot]), slot);
  }
  group(std::move(born), code_.events.size(), firstBorn_, born_);
  group(std::move(dead), code_.events.size(), firstDead_, dead_);
}

void StateHash::reset() {
  key_ = {};
  readsLeft_ = initialReads_;
}

void StateHash::touchMemory(EventRef ref, const Execution& state) {
  const CompiledEvent& event = code_.events[ref];
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
    if (readsLeft_[code_.parts[i].cell] > 0)
      key_ ^= term(Aspect::memory, code_.parts[i].cell, state.memory(code_.parts[i].cell));
}

void StateHash::countReads(EventRef ref, int32_t sign) {
  const CompiledEvent& event = code_.events[ref];
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
    if (code_.parts[i].read != kNone && initialReads_[code_.parts[i].cell] > 0)
      readsLeft_[code_.parts[i].cell] += sign;
}

void StateHash::before(EventRef ref, const Execution& state) {
  touchMemory(ref, state);
  countReads(ref, -1);
  const ThreadIndex thread = code_.events[ref].thread;
  key_ ^= term(Aspect::position, thread, state.position(thread));
}

void StateHash::after(EventRef ref, Execution& state) {
  touchMemory(ref, state);
  const ThreadIndex thread = code_.events[ref].thread;
  key_ ^= term(Aspect::position, thread, state.position(thread));
  for (uint32_t i = firstDead_[ref]; i < firstDead_[ref + 1]; ++i)
    key_ ^= term(Aspect::value, dead_[i], state.value(dead_[i]));
  for (uint32_t i = firstBorn_[ref]; i < firstBorn_[ref + 1]; ++i)
    key_ ^= term(Aspect::value, born_[i], state.value(born_[i]));
}

void StateHash::undone(EventRef ref, const StateKey& key) {
  countReads(ref, 1);
  key_ = key;
}

StateKey StateHash::wholeKey(const Execution& state) const {
  if (!state.hasOpenChoices()) return key_;
  StateKey key = key_;
  uint64_t place = 0;
  state.forEachOpenChoice([&](uint64_t number) { key ^= term(Aspect::choice, place++, number); });
  return key;
}

} // namespace symbiosis
