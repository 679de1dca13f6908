#pragma once
// A thread's own view of memory: concrete bytes with a sparse symbolic shadow. Only what the thread itself wrote,
// or has read and so knows, is in it.
#include "trace/expr.h"
#include <array>
#include <bitset>
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
  explicit Memory(ExprPool& exprs) : exprs_(exprs) {}

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
    lastNumber_ = ~uint64_t{0};
  }

private:
  static constexpr uint64_t kPageSize = 4096;
  struct Shadow {
    ExprId expr = kNoExpr;
    uint8_t byte = 0; // which byte of the expression
  };
  struct Page {
    std::array<uint8_t, kPageSize> bytes{};
    std::bitset<kPageSize> known;
    std::bitset<kPageSize> vague;                // stored, but its bits mean nothing
    bool hasVague = false;                       // ever had
    std::unordered_map<uint16_t, Shadow> shadow; // symbolic bytes
  };

  Page* find(uint64_t address) const;
  Page& make(uint64_t address);
  Scalar gather(uint64_t address, unsigned size);

  ExprPool& exprs_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  mutable uint64_t lastNumber_ = ~uint64_t{0};
  mutable Page* lastPage_ = nullptr;
};

} // namespace symbiosis
