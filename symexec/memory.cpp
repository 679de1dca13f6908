#include "symexec/memory.h"
#include <algorithm>
#include <cstring>

namespace symbiosis {

Memory::Page* Memory::look(uint64_t address) const {
  const uint64_t number = address / kPageSize;
  auto at = pages_.find(number);
  if (at == pages_.end()) return nullptr;
  latest_[number % latest_.size()] = {number, at->second.get()};
  return at->second.get();
}

Memory::Page& Memory::make(uint64_t address) {
  if (Page* page = find(address)) return *page;
  std::unique_ptr<Page>& page = pages_[address / kPageSize];
  page = std::make_unique<Page>();
  return *page;
}

bool Memory::knows(uint64_t address, uint64_t size) const {
  const uint64_t offset = address % kPageSize;
  if (const Page* page = find(address); page && size <= 8 && offset + size <= kPageSize)
    return page->known.in(offset, unsigned(size)) == maskOf(unsigned(size));
  for (uint64_t i = 0; i < size; ++i) {
    const Page* page = find(address + i);
    if (!page || !page->known[(address + i) % kPageSize]) return false;
  }
  return true;
}

Scalar Memory::load(uint64_t address, unsigned size) {
  const uint64_t offset = address % kPageSize;
  Page* page = find(address);
  if (page && offset + size <= kPageSize && !page->symbolic.in(offset, size) && !page->vague.in(offset, size)) {
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
    if (page->symbolic[offset]) {
      shadows[i] = page->shadow.at(offset);
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

// `firstByte`: of the value, that goes to `offset`.
void Memory::storeInPage(Page& page, uint16_t offset, unsigned size, const Scalar& value, unsigned firstByte) {
  const uint64_t bits = value.bits >> (8 * firstByte);
  std::memcpy(page.bytes.data() + offset, &bits, size);
  page.known.set(offset, size, true);
  page.vague.set(offset, size, !value.known);
  const bool wasSymbolic = page.symbolic.in(offset, size) != 0;
  if (!value.isSymbolic() && !wasSymbolic) return;
  page.symbolic.set(offset, size, value.isSymbolic());
  for (unsigned i = 0; i < size; ++i)
    if (value.isSymbolic())
      page.shadow[uint16_t(offset + i)] = {value.expr, uint8_t(firstByte + i)};
    else
      page.shadow.erase(uint16_t(offset + i));
}

void Memory::store(uint64_t address, unsigned size, Scalar value) {
  const uint16_t offset = uint16_t(address % kPageSize);
  const unsigned here = std::min<unsigned>(size, kPageSize - offset);
  storeInPage(make(address), offset, here, value, 0);
  if (here < size) storeInPage(make(address + here), 0, size - here, value, here);
}

void Memory::storeBytes(uint64_t address, const uint8_t* bytes, uint64_t size) {
  for (uint64_t i = 0; i < size; i += 8) {
    const unsigned count = unsigned(std::min<uint64_t>(8, size - i));
    Scalar value;
    std::memcpy(&value.bits, bytes + i, count);
    store(address + i, count, value);
  }
}

void Memory::forget(uint64_t address, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    if (Page* page = find(address + i)) {
      const uint16_t offset = uint16_t((address + i) % kPageSize);
      storeInPage(*page, offset, 1, {}, 0);
      page->known.set(offset, 1, false);
    }
}

void Memory::copy(uint64_t to, uint64_t from, uint64_t size) {
  auto one = [&](uint64_t i) {
    Page* source = find(from + i);
    const uint16_t at = uint16_t((from + i) % kPageSize);
    Scalar byte{.bits = source ? source->bytes[at] : 0u, .known = !source || !source->vague[at]};
    const bool known = source && source->known[at];
    Shadow shadow;
    if (source && source->symbolic[at]) shadow = source->shadow.at(at);
    Page& target = make(to + i);
    const uint16_t offset = uint16_t((to + i) % kPageSize);
    storeInPage(target, offset, 1, byte, 0);
    target.known.set(offset, 1, known);
    if (shadow.expr == kNoExpr) return;
    target.symbolic.set(offset, 1, true);
    target.shadow[offset] = shadow;
  };
  if (to <= from)
    for (uint64_t i = 0; i < size; ++i) one(i);
  else
    for (uint64_t i = size; i-- > 0;) one(i);
}

} // namespace symbiosis
