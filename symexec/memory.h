#pragma once
// A thread's own view of memory: concrete bytes with a sparse symbolic shadow. Only what the thread itself wrote,
// or has read and so knows, is in it.
#include "trace/expr.h"
#include <array>
#include <memory>
#include <unordered_map>

namespace symbiosis {

// A scalar: its bits, and the expression it came from if it depends on shared memory.
struct Scalar {
  uint64_t bits = 0;
  ExprId expr = kNoExpr; // kNoExpr: concrete
  bool known = true;     // false: `bits` means nothing; with an expression, its value was not recorded
  bool isSymbolic() const { return expr != kNoExpr; }
};

class Memory {
public:
  explicit Memory(ExprPool& exprs) : exprs_(exprs) { latest_.fill({~uint64_t{0}, nullptr}); }

  // Something has been stored in every byte of the range.
  bool knows(uint64_t address, uint64_t size) const;
  // `size` is 1..8; bytes in which nothing was stored read as zero.
  Scalar load(uint64_t address, unsigned size);
  void store(uint64_t address, unsigned size, Scalar value);
  void storeBytes(uint64_t address, const uint8_t* bytes, uint64_t size);
  // Copies bytes, symbols and ignorance.
  void copy(uint64_t to, uint64_t from, uint64_t size);
  // As if nothing had ever been stored there.
  void forget(uint64_t address, uint64_t size);
  void forgetAll() {
    pages_.clear();
    latest_.fill({~uint64_t{0}, nullptr});
  }

private:
  static constexpr uint64_t kPageSize = 4096;
  struct Shadow {
    ExprId expr = kNoExpr;
    uint8_t byte = 0; // which byte of the expression
  };
  // A bit for each byte of a page.
  class Bits {
  public:
    bool operator[](uint64_t offset) const { return words_[offset / 64] >> (offset % 64) & 1; }
    // A range of 1 to 8 bytes that lies in the page.
    uint64_t in(uint64_t offset, unsigned size) const {
      const uint64_t at = offset % 64;
      uint64_t bits = words_[offset / 64] >> at;
      if (at + size > 64) bits |= words_[offset / 64 + 1] << (64 - at);
      return bits & maskOf(size);
    }
    void set(uint64_t offset, unsigned size, bool value) {
      const uint64_t at = offset % 64, mask = maskOf(size);
      assign(words_[offset / 64], mask << at, value);
      if (at + size > 64) assign(words_[offset / 64 + 1], mask >> (64 - at), value);
    }

  private:
    static void assign(uint64_t& word, uint64_t mask, bool value) { word = value ? word | mask : word & ~mask; }
    std::array<uint64_t, kPageSize / 64> words_{};
  };
  struct Page {
    std::array<uint8_t, kPageSize> bytes{};
    Bits known;
    Bits vague;    // stored, but its bits mean nothing
    Bits symbolic; // has a shadow
    std::unordered_map<uint16_t, Shadow> shadow;
  };

  Page* find(uint64_t address) const {
    auto& [number, page] = latest_[address / kPageSize % latest_.size()];
    return number == address / kPageSize ? page : look(address);
  }
  Page* look(uint64_t address) const;
  Page& make(uint64_t address);
  Scalar gather(uint64_t address, unsigned size);
  static void storeInPage(Page& page, uint16_t offset, unsigned size, const Scalar& value, unsigned firstByte);

  ExprPool& exprs_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  // By number: most accesses are to few pages. ~0: none.
  mutable std::array<std::pair<uint64_t, Page*>, 16> latest_;
};

} // namespace symbiosis
