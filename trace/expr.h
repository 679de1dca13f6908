#pragma once
// Bit-vector expressions of 1 to 64 bits over symbols, hash-consed: equal expressions have equal ids, and an
// operand's id is smaller than its user's. Semantics are SMT-LIB's (x/0 is all ones, shifts past the width give 0
// or the sign), so that the evaluator and Z3 cannot disagree.
//
// A float is its IEEE 754 bits, 32 or 64 of them; the operators that begin with f compute with the number that
// they stand for (trace/floats.h).
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
  X(ite, "ite") X(zext, "zext") X(sext, "sext") X(extract, "extract") X(concat, "concat")                         \
  X(fadd, "fadd") X(fsub, "fsub") X(fmul, "fmul") X(fdiv, "fdiv") X(fma, "fma") X(fsqrt, "fsqrt")                 \
  X(fmin, "fmin") X(fmax, "fmax") X(fneg, "fneg") X(fabs, "fabs") X(fround, "fround")                             \
  X(feq, "feq") X(flt, "flt") X(fle, "fle") X(funo, "funo")                                                       \
  X(fext, "fext") X(ftrunc, "ftrunc") X(sitof, "sitof") X(uitof, "uitof") X(ftosi, "ftosi") X(ftoui, "ftoui")
// clang-format on

enum class ExprOp : uint8_t {
#define SYMBIOSIS_OP(name, text) name,
  SYMBIOSIS_EXPR_OPS(SYMBIOSIS_OP)
#undef SYMBIOSIS_OP
};
const char* toText(ExprOp op);

// Yields one bit from two operands of equal width.
constexpr bool isComparison(ExprOp op) {
  return (op >= ExprOp::eq && op <= ExprOp::sle) || (op >= ExprOp::feq && op <= ExprOp::funo);
}
// Its operands are floats; its result is one.
constexpr bool takesFloats(ExprOp op) {
  return (op >= ExprOp::fadd && op <= ExprOp::ftrunc) || op == ExprOp::ftosi || op == ExprOp::ftoui;
}
constexpr bool yieldsFloat(ExprOp op) { return op >= ExprOp::fadd && op <= ExprOp::uitof && !isComparison(op); }

struct ExprNode {
  ExprOp op = ExprOp::constant;
  uint8_t width = 1; // 1..64
  uint8_t low = 0;   // extract: lowest bit taken; fround: a Rounding
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
  // Floating point with one operand and a result of `width` bits; `low`: see ExprNode.
  ExprId unaryFloat(ExprOp op, ExprId a, unsigned width, unsigned low = 0);
  ExprId fusedMultiplyAdd(ExprId a, ExprId b, ExprId c); // a * b + c, rounded once
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
