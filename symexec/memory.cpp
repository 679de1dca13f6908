#include "symexec/memory.h"
#include <algorithm>
#include <cstring>

namespace symbiosis {

Memory::Page* Memory::find(uint64_t address) const {
  const uint64_t number = address / kPageSize;
  if (number == lastNumber_) return lastPage_;
  auto at = pages_.find(number);
  if (at == pages_.end()) return nullptr;
  lastNumber_ = number;
  return lastPage_ = at->second.get();
}

Memory::Page& Memory::make(uint64_t address) {
  if (Page* page = find(address)) return *page;
  std::unique_ptr<Page>& page = pages_[address / kPageSize];
  page = std::make_unique<Page>();
  return *page;
}

bool Memory::knows(uint64_t address, uint64_t size) const {
  for (uint64_t i = 0; i < size; ++i) {
    const Page* page = find(address + i);
    if (!page || !page->known[(address + i) % kPageSize]) return false;
  }
  return true;
}

Scalar Memory::load(uint64_t address, unsigned size) {
  const uint64_t offset = address % kPageSize;
  Page* page = find(address);
  if (page && page->shadow.empty() && !page->hasVague && offset + size <= kPageSize) {
    uint64_t bits = 0;
    std::memcpy(&bits, page->bytes.data() + offset, size);
    return {bits, kNoExpr};
  }
  return gather(address, size);
}

// Byte by byte, lowest first; neighbouring bytes of one expression come back as one piece.
Scalar Memory::gather(uint64_t address, unsigned size) {
  Scalar result;
  bool symbolic = false;
  std::array<Shadow, 8> shadows;
  for (unsigned i = 0; i < size; ++i) {
    Page* page = find(address + i);
    const uint16_t offset = uint16_t((address + i) % kPageSize);
    if (!page) continue;
    result.bits |= uint64_t(page->bytes[offset]) << (8 * i);
    result.known &= !page->vague[offset];
    if (auto at = page->shadow.find(offset); at != page->shadow.end()) {
      shadows[i] = at->second;
      symbolic = true;
    }
  }
  if (!symbolic) return result;
  bool isOnePiece = true;
  for (unsigned i = 0; i < size; ++i)
    isOnePiece = isOnePiece && shadows[i].expr == shadows[0].expr && shadows[i].byte == shadows[0].byte + i;
  if (isOnePiece) {
    result.expr = exprs_.extract(shadows[0].expr, 8u * shadows[0].byte, 8 * size);
    return result;
  }
  for (unsigned i = 0; i < size; ++i) {
    ExprId byte = shadows[i].expr == kNoExpr ? exprs_.constant(result.bits >> (8 * i), 8)
                                             : exprs_.extract(shadows[i].expr, 8u * shadows[i].byte, 8);
    result.expr = i == 0 ? byte : exprs_.concat(byte, result.expr);
  }
  return result;
}

void Memory::store(uint64_t address, unsigned size, Scalar value) {
  for (unsigned i = 0; i < size; ++i) {
    Page& page = make(address + i);
    const uint16_t offset = uint16_t((address + i) % kPageSize);
    page.bytes[offset] = uint8_t(value.bits >> (8 * i));
    page.known[offset] = true;
    page.vague[offset] = !value.known;
    page.hasVague |= !value.known;
    if (value.isSymbolic())
      page.shadow[offset] = {value.expr, uint8_t(i)};
    else if (!page.shadow.empty())
      page.shadow.erase(offset);
  }
}

void Memory::storeBytes(uint64_t address, const uint8_t* bytes, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i) store(address + i, 1, {bytes[i], kNoExpr});
}

void Memory::forget(uint64_t address, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    if (Page* page = find(address + i)) {
      const uint16_t offset = uint16_t((address + i) % kPageSize);
      page->known[offset] = page->vague[offset] = false;
      page->bytes[offset] = 0;
      page->shadow.erase(offset);
    }
}

void Memory::copy(uint64_t to, uint64_t from, uint64_t size) {
  auto one = [&](uint64_t i) {
    Page* source = find(from + i);
    const uint16_t at = uint16_t((from + i) % kPageSize);
    const bool known = source && source->known[at];
    const uint8_t byte = source ? source->bytes[at] : 0;
    Shadow shadow;
    if (source)
      if (auto found = source->shadow.find(at); found != source->shadow.end()) shadow = found->second;
    Page& target = make(to + i);
    const uint16_t offset = uint16_t((to + i) % kPageSize);
    target.bytes[offset] = byte;
    target.known[offset] = known;
    target.vague[offset] = source && source->vague[at];
    target.hasVague |= target.vague[offset];
    if (shadow.expr != kNoExpr)
      target.shadow[offset] = shadow;
    else
      target.shadow.erase(offset);
  };
  if (to <= from)
    for (uint64_t i = 0; i < size; ++i) one(i);
  else
    for (uint64_t i = size; i-- > 0;) one(i);
}

} // namespace symbiosis
