#include "symexec/sharing.h"
#include <algorithm>

namespace symbiosis {

template <typename Visit> static void forEachWord(uint64_t address, uint64_t size, Visit visit) {
  for (uint64_t number = address / 8; number * 8 < address + size; ++number) visit(number);
}

Sharing::Word& Sharing::touch(uint64_t number, uint32_t thread, uint64_t address, uint64_t end, bool writes) {
  auto [at, isNew] = words_.try_emplace(number);
  Word& word = at->second;
  if (isNew)
    word.thread = thread;
  else if (word.thread != thread)
    word.several = true;
  word.written |= writes;
  if (!isEarly(thread)) {
    add(word.lateThread, thread);
    if (writes)
      add(word.lateWriter, thread);
    else
      word.lateRead = true;
  }
  if (address > number * 8) word.borders |= uint8_t(1u << (address - number * 8));
  if (end < number * 8 + 8) word.borders |= uint8_t(1u << (end - number * 8));
  return word;
}

void Sharing::note(uint32_t thread, uint64_t address, uint64_t size, bool writes) {
  forEachWord(address, size,
              [&](uint64_t number) { touch(number, thread, address, address + size, writes).surely = true; });
}

void Sharing::noteOutside(uint64_t address, uint64_t size) {
  forEachWord(address, size, [&](uint64_t number) { words_[number].outside = true; });
}

bool Sharing::noteMaybe(uint32_t thread, uint64_t address, uint64_t size, bool writes) {
  bool changes = false;
  forEachWord(address, size, [&](uint64_t number) {
    auto at = words_.find(number);
    const bool wasShared = at != words_.end() && isShared(at->second);
    const Word before = at != words_.end() ? at->second : Word();
    const Word& word = touch(number, thread, address, address + size, writes);
    const bool isOther = word.borders != before.borders || (isLong_ && word.lateWriter != before.lateWriter);
    changes |= isShared(word) && (!wasShared || isOther);
  });
  return changes;
}

bool Sharing::isTouched(uint64_t address, uint64_t size) const {
  bool found = false;
  forEachWord(address, size, [&](uint64_t number) {
    auto at = words_.find(number);
    found |= at != words_.end() && at->second.surely;
  });
  return found;
}

bool Sharing::touchesShared(uint64_t address, uint64_t size) const {
  if (!isSettled_) return false;
  for (uint64_t number = address / 8; number * 8 < address + size; ++number)
    if (auto at = words_.find(number); at != words_.end() && isShared(at->second)) return true;
  return false;
}

bool Sharing::readsShared(uint32_t thread, uint64_t address, uint64_t size) const {
  if (!isSettled_) return false;
  for (uint64_t number = address / 8; number * 8 < address + size; ++number)
    if (auto at = words_.find(number); at != words_.end() && isShared(at->second))
      if (!isLong_ || at->second.lateWriter != thread) return true;
  return false;
}

std::vector<Piece> Sharing::pieces(uint64_t address, uint64_t size) const {
  std::vector<Piece> result;
  const uint64_t end = address + size;
  for (uint64_t number = address / 8; number * 8 < end; ++number) {
    auto at = words_.find(number);
    const Word word = at == words_.end() ? Word{} : at->second;
    uint64_t from = std::max(address, number * 8);
    const uint64_t until = std::min(end, number * 8 + 8);
    for (uint64_t byte = from + 1; byte <= until; ++byte)
      if (byte == until || (word.borders >> (byte - number * 8) & 1)) {
        result.push_back({from, uint8_t(byte - from), at != words_.end() && isShared(word)});
        from = byte;
      }
  }
  return result;
}

} // namespace symbiosis
