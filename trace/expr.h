#pragma once
// Bit-vector expressions of 1 to 64 bits over symbols, hash-consed: equal expressions have equal ids, and an
// operand's id is smaller than its user's. Semantics are SMT-LIB's (x/0 is all ones, shifts past the width give 0
// or the sign), so that the evaluator and Z3 cannot disagree.
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace symbiosis {

using ExprId = uint32_t;
inline constexpr ExprId kNoExpr = 0; // id 0 is reserved: "no expression"

// X(name, text): the text is used by dumps
// clang-format off
#define SYMBIOSIS_EXPR_OPS(X)                                                                                     \
  X(constant, "const")                                                                                            \
  X(symbol, "sym")                                                                                                \
  X(add, "add") X(sub, "sub") X(mul, "mul") X(udiv, "udiv") X(sdiv, "sdiv") X(urem, "urem") X(srem, "srem")       \
  X(bitAnd, "and") X(bitOr, "or") X(bitXor, "xor") X(shl, "shl") X(lshr, "lshr") X(ashr, "ashr")                  \
  X(eq, "eq") X(ult, "ult") X(ule, "ule") X(slt, "slt") X(sle, "sle")                                             \
  X(ite, "ite") X(zext, "zext") X(sext, "sext") X(extract, "extract") X(concat, "concat")
// clang-format on

enum class ExprOp : uint8_t {
#define SYMBIOSIS_OP(name, text) name,
  SYMBIOSIS_EXPR_OPS(SYMBIOSIS_OP)
#undef SYMBIOSIS_OP
};
const char* toText(ExprOp op);

struct ExprNode {
  ExprOp op = ExprOp::constant;
  uint8_t width = 1; // 1..64
  uint8_t low = 0;   // extract: lowest bit taken
  ExprId a = kNoExpr, b = kNoExpr, c = kNoExpr;
  uint64_t value = 0; // constant: the bits, zero above width; symbol: its number
  bool operator==(const ExprNode&) const = default;
};

inline uint64_t maskOf(unsigned width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
inline int64_t signExtend(uint64_t bits, unsigned width) {
  return width >= 64 ? int64_t(bits) : int64_t(bits << (64 - width)) >> (64 - width);
}

// Value of one operator applied to operand values; the single definition of the semantics.
uint64_t applyOp(const ExprNode& node, unsigned operandWidth, uint64_t a, uint64_t b, uint64_t c);

class ExprPool {
public:
  ExprPool();

  ExprId constant(uint64_t bits, unsigned width);
  ExprId symbol(uint32_t number, unsigned width);
  ExprId binary(ExprOp op, ExprId a, ExprId b); // arithmetic, bitwise and comparisons
  ExprId ite(ExprId condition, ExprId then, ExprId otherwise);
  ExprId zext(ExprId a, unsigned width);
  ExprId sext(ExprId a, unsigned width);
  ExprId extract(ExprId a, unsigned low, unsigned width);
  ExprId concat(ExprId high, ExprId low); // width: the sum, at most 64
  ExprId negate(ExprId condition);        // of one bit
  ExprId truth(bool value) { return constant(value, 1); }

  const ExprNode& node(ExprId id) const { return assert(id < nodes_.size()), nodes_[id]; }
  unsigned width(ExprId id) const { return node(id).width; }
  bool isConstant(ExprId id) const { return node(id).op == ExprOp::constant; }
  uint64_t constantValue(ExprId id) const { return assert(isConstant(id)), node(id).value; }
  size_t size() const { return nodes_.size(); }

  // Numbers of the symbols that occur in `id`, ascending, without repetition.
  std::vector<uint32_t> symbolsIn(ExprId id) const;

private:
  ExprId equalsConstant(ExprId a, uint64_t k);
  ExprId intern(const ExprNode& node);
  static size_t hashOf(const ExprNode& node);
  void growTable();
  std::vector<ExprNode> nodes_;
  std::vector<ExprId>
      table_; // by hash, then the next free place; kNoExpr: free; a power of two, at most half full
};

// Values of expressions under one assignment of symbols; each expression is computed at most once per assignment.
class ExprEvaluator {
public:
  explicit ExprEvaluator(const ExprPool& pool) : pool_(&pool) {}

  // Forgets the assignment.
  void reset();
  void assign(uint32_t symbol, uint64_t bits);
  bool isAssigned(uint32_t symbol) const { return symbol < stamp_.size() && stamp_[symbol] == run_; }
  uint64_t symbolValue(uint32_t symbol) const { return assert(isAssigned(symbol)), symbols_[symbol]; }
  // Every symbol in `id` must have been assigned.
  uint64_t value(ExprId id);

private:
  const ExprPool* pool_;
  uint32_t run_ = 1;
  std::vector<uint64_t> symbols_;
  std::vector<uint32_t> stamp_; // == run_: assigned
  std::vector<uint64_t> cache_;
  std::vector<uint32_t> cacheStamp_; // == run_: computed
  std::vector<ExprId> stack_;
};

} // namespace symbiosis
