// Simplification preserves value: random expressions are built twice, through the pool (which folds and rewrites)
// and as plain values by the reference semantics, under several assignments at once. Operands come from what was
// built before, constants are mostly edges, and the widths are few, so that rewrites meet each other.
#include "tests/support/scale.h"
#include "tests/trace/expr_reference.h"
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>

namespace symbiosis {
namespace {

using testing::kBinaryOps;
using testing::reference;

constexpr size_t kAssignments = 6;
constexpr uint32_t kSymbols = 8;
constexpr unsigned kWidths[] = {1, 1, 2, 4, 8, 16, 32, 64, 7, 33};
using Values = std::array<uint64_t, kAssignments>;

struct Built {
  ExprId id = kNoExpr;
  unsigned width = 1;
  Values values{}; // by the reference
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {
    for (Values& values : symbols_)
      for (uint64_t& value : values) value = interesting(64);
    for (size_t i = 0; i < kAssignments; ++i) {
      evaluators_.emplace_back(pool_);
      for (uint32_t s = 0; s < kSymbols; ++s) evaluators_[i].assign(s, symbols_[s][i]);
    }
  }

  // One more expression, compared with its reference values.
  void grow() {
    Built next = make();
    ASSERT_EQ(pool_.width(next.id), next.width);
    const ExprNode& node = pool_.node(next.id);
    for (ExprId operand : {node.a, node.b, node.c}) ASSERT_LT(operand, next.id) << "operands come first";
    for (size_t i = 0; i < kAssignments; ++i)
      ASSERT_EQ(evaluators_[i].value(next.id), next.values[i])
          << toText(node.op) << " of width " << next.width << ", assignment " << i;
    for (uint32_t symbol : pool_.symbolsIn(next.id)) ASSERT_LT(symbol, kSymbols);
    built_.push_back(next);
  }

private:
  uint64_t below(uint64_t bound) { return random_() % bound; }

  uint64_t interesting(unsigned width) {
    const uint64_t mask = maskOf(width), sign = uint64_t{1} << (width - 1);
    const uint64_t edges[] = {0, 0, 1, 1, mask, sign, sign - 1, width, 2, 8, 0xff};
    return (below(3) == 0 ? random_() : edges[below(std::size(edges))]) & mask;
  }

  unsigned anyWidth() { return kWidths[below(std::size(kWidths))]; }

  Built constant(unsigned width) {
    const uint64_t bits = interesting(width);
    Built leaf{pool_.constant(bits, width), width, {}};
    leaf.values.fill(bits);
    return leaf;
  }
  Built symbol(unsigned width) {
    const uint32_t number = uint32_t(below(kSymbols));
    Built leaf{pool_.symbol(number, width), width, symbols_[number]};
    for (uint64_t& value : leaf.values) value &= maskOf(width);
    return leaf;
  }

  // Something of this width that exists already, or a leaf.
  Built operand(unsigned width) {
    const uint64_t dice = below(10);
    if (dice < 3) return constant(width);
    if (dice < 5) return symbol(width);
    for (int tries = 0; tries < 40 && !built_.empty(); ++tries) {
      const Built& candidate = built_[below(built_.size())];
      if (candidate.width == width) return candidate;
    }
    return symbol(width);
  }
  Built anyOperand(unsigned most = 64) {
    if (below(4) != 0 && !built_.empty()) {
      const Built& candidate = built_[below(built_.size())];
      if (candidate.width <= most) return candidate;
    }
    return operand(std::min(anyWidth(), most));
  }

  // `low` as in ExprNode; operands of an ite are (condition, then, otherwise).
  Built combined(ExprId id, ExprOp op, unsigned width, unsigned low, const Built& a, const Built& b,
                 const Built& c) {
    Built result{id, width, {}};
    for (size_t i = 0; i < kAssignments; ++i)
      result.values[i] = reference(op, a.width, width, low, a.values[i], b.values[i], c.values[i]);
    return result;
  }

  Built make() {
    switch (below(9)) {
    case 0: {
      const Built a = anyOperand();
      const unsigned width = a.width + unsigned(below(65 - a.width));
      return combined(pool_.zext(a.id, width), ExprOp::zext, width, 0, a, {}, {});
    }
    case 1: {
      const Built a = anyOperand();
      const unsigned width = a.width + unsigned(below(65 - a.width));
      return combined(pool_.sext(a.id, width), ExprOp::sext, width, 0, a, {}, {});
    }
    case 2: {
      const Built a = anyOperand();
      const unsigned low = unsigned(below(a.width));
      return piece(a, low, 1 + unsigned(below(a.width - low)));
    }
    case 3: return makeConcat();
    case 4: {
      const Built a = operand(1), b = anyOperand(), c = operand(b.width);
      return combined(pool_.ite(a.id, b.id, c.id), ExprOp::ite, b.width, 0, a, b, c);
    }
    default: {
      const ExprOp op = kBinaryOps[below(std::size(kBinaryOps))];
      const Built a = anyOperand(), b = below(8) == 0 ? a : operand(a.width);
      const bool swapped = below(2) == 0;
      const Built &left = swapped ? b : a, &right = swapped ? a : b;
      const ExprId id = pool_.binary(op, left.id, right.id);
      return combined(id, op, op >= ExprOp::eq && op <= ExprOp::sle ? 1 : a.width, 0, left, right, {});
    }
    }
  }

  Built piece(const Built& whole, unsigned low, unsigned width) {
    return combined(pool_.extract(whole.id, low, width), ExprOp::extract, width, low, whole, {}, {});
  }

  // Often two pieces of one value, as memory gives them; mostly neighbours.
  Built makeConcat() {
    const Built whole = anyOperand();
    if (below(2) == 0 && whole.width >= 2) {
      const unsigned low = unsigned(below(whole.width - 1));
      const unsigned lowWidth = 1 + unsigned(below(whole.width - low - 1));
      const unsigned high = below(4) == 0 ? unsigned(below(whole.width)) : low + lowWidth;
      const unsigned most = std::min(whole.width - high, 64 - lowWidth);
      const Built lower = piece(whole, low, lowWidth), upper = piece(whole, high, 1 + unsigned(below(most)));
      return concat(upper, lower);
    }
    const Built high = anyOperand(63), low = anyOperand(64 - high.width);
    return concat(high, low);
  }
  Built concat(const Built& high, const Built& low) {
    const unsigned width = high.width + low.width;
    return combined(pool_.concat(high.id, low.id), ExprOp::concat, width, low.width, high, low, {});
  }

  std::mt19937_64 random_;
  ExprPool pool_;
  std::array<Values, kSymbols> symbols_{};
  std::vector<ExprEvaluator> evaluators_;
  std::vector<Built> built_;
};

TEST(ExprProperty, simplificationPreservesValue) {
  constexpr size_t kCasesPerPool = 400;
  const size_t pools = 500 * testing::testScale(); // 200,000 expressions, each under six assignments
  for (uint64_t seed = 1; seed <= pools; ++seed) {
    Generator generator(seed);
    for (size_t i = 0; i < kCasesPerPool; ++i) {
      generator.grow();
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", case " << i;
    }
  }
}

} // namespace
} // namespace symbiosis
