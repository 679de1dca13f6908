#include "symexec/sharing.h"
#include <algorithm>

namespace symbiosis {

void Sharing::note(uint32_t thread, uint64_t address, uint64_t size, bool writes) {
  const uint64_t end = address + size;
  for (uint64_t number = address / 8; number * 8 < end; ++number) {
    auto [at, isNew] = words_.try_emplace(number);
    Word& word = at->second;
    if (isNew)
      word.thread = thread;
    else if (word.thread != thread)
      word.several = true;
    word.written |= writes;
    if (address > number * 8) word.borders |= uint8_t(1u << (address - number * 8));
    if (end < number * 8 + 8) word.borders |= uint8_t(1u << (end - number * 8));
  }
}

bool Sharing::touchesShared(uint64_t address, uint64_t size) const {
  for (uint64_t number = address / 8; number * 8 < address + size; ++number)
    if (auto at = words_.find(number); at != words_.end() && isShared(at->second)) return true;
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
