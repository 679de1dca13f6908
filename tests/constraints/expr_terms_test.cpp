// One semantics, said twice: the evaluator's and Z3's must agree on every operator and width.
#include "constraints/expr_terms.h"
#include <gmock/gmock.h>
#include <random>

namespace symbiosis {
namespace {

constexpr uint32_t kSymbols = 4;

class RandomExprs {
public:
  explicit RandomExprs(unsigned seed) : random_(seed) {}

  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }
  // Small, huge and negative numbers are where semantics differ.
  uint64_t bits() {
    const uint64_t interesting[] = {0, 1, 2, 7, 63, 64, ~0ull, 1ull << 63, random_(), ~0ull - below(4)};
    return interesting[below(10)];
  }
  unsigned width() {
    constexpr unsigned kWidths[] = {1, 3, 8, 16, 32, 33, 64};
    return kWidths[below(7)];
  }

  ExprId expr(unsigned w, unsigned depth) {
    if (depth == 0) return below(3) ? pool.symbol(below(kSymbols), w) : pool.constant(bits(), w);
    switch (below(10)) {
    case 0: return pool.ite(expr(1, depth - 1), expr(w, depth - 1), expr(w, depth - 1));
    case 1: return w == 1 ? test(depth) : pool.zext(expr(1 + below(w - 1), depth - 1), w);
    case 2: return w == 1 ? test(depth) : pool.sext(expr(1 + below(w - 1), depth - 1), w);
    case 3: return extract(w, depth);
    case 4: {
      if (w == 1) return test(depth);
      const unsigned high = 1 + below(w - 1);
      return pool.concat(expr(high, depth - 1), expr(w - high, depth - 1));
    }
    default: return w == 1 && below(2) ? test(depth) : arithmetic(w, depth);
    }
  }

  ExprPool pool;

private:
  ExprId arithmetic(unsigned w, unsigned depth) {
    constexpr ExprOp kOps[] = {ExprOp::add,  ExprOp::sub,  ExprOp::mul,    ExprOp::udiv,  ExprOp::sdiv,
                               ExprOp::urem, ExprOp::srem, ExprOp::bitAnd, ExprOp::bitOr, ExprOp::bitXor,
                               ExprOp::shl,  ExprOp::lshr, ExprOp::ashr};
    return pool.binary(kOps[below(13)], expr(w, depth - 1), expr(w, depth - 1));
  }
  ExprId test(unsigned depth) {
    constexpr ExprOp kTests[] = {ExprOp::eq, ExprOp::ult, ExprOp::ule, ExprOp::slt, ExprOp::sle};
    const unsigned w = width();
    return pool.binary(kTests[below(5)], expr(w, depth - 1), expr(w, depth - 1));
  }
  ExprId extract(unsigned w, unsigned depth) {
    const unsigned whole = w + below(64 - w + 1);
    return pool.extract(expr(whole, depth - 1), below(whole - w + 1), w);
  }

  std::mt19937_64 random_;
};

// Expressions over four symbols with values, in both worlds.
class TwoWorlds {
public:
  explicit TwoWorlds(unsigned seed)
      : exprs(seed), ours(exprs.pool), terms(context, exprs.pool, [this](uint32_t s) {
          return context.bv_const(("s" + std::to_string(s)).c_str(), 64);
        }) {
    for (uint32_t s = 0; s < kSymbols; ++s) {
      values.push_back(exprs.bits());
      ours.assign(s, values[s]);
    }
  }

  RandomExprs exprs;
  z3::context context;
  ExprEvaluator ours;
  ExprTerms terms;
  std::vector<uint64_t> values;
};

TEST(ExprTerms, Z3AgreesWithTheEvaluator) {
  constexpr unsigned kAssignments = 600, kExpressions = 20;
  for (unsigned seed = 0; seed < kAssignments; ++seed) {
    TwoWorlds worlds(seed);
    z3::expr_vector symbols(worlds.context), values(worlds.context);
    for (uint32_t s = 0; s < kSymbols; ++s) {
      symbols.push_back(worlds.terms.symbol(s));
      values.push_back(worlds.context.bv_val(worlds.values[s], 64));
    }
    for (unsigned i = 0; i < kExpressions; ++i) {
      const ExprId id = worlds.exprs.expr(worlds.exprs.width(), 1 + worlds.exprs.below(4));
      const z3::expr value = worlds.terms.term(id).substitute(symbols, values).simplify();
      const z3::expr truth = worlds.terms.truth(id).substitute(symbols, values).simplify();
      ASSERT_TRUE(value.is_numeral()) << value;
      ASSERT_EQ(value.get_numeral_uint64(), worlds.ours.value(id))
          << "seed " << seed << " " << worlds.terms.term(id);
      ASSERT_EQ(truth.is_true(), worlds.ours.value(id) != 0) << "seed " << seed << " " << worlds.terms.term(id);
    }
  }
}

// The same through the bit-blaster instead of the simplifier: no expression can have another value.
TEST(ExprTerms, TheSolverAgreesToo) {
  for (unsigned seed = 1000; seed < 1060; ++seed) {
    TwoWorlds worlds(seed);
    z3::solver solver(worlds.context, z3::solver::simple());
    for (uint32_t s = 0; s < kSymbols; ++s)
      solver.add(worlds.terms.symbol(s) == worlds.context.bv_val(worlds.values[s], 64));
    z3::expr_vector differences(worlds.context);
    for (unsigned i = 0; i < 10; ++i) {
      const ExprId id = worlds.exprs.expr(8, 1 + worlds.exprs.below(3));
      differences.push_back(worlds.terms.term(id) != worlds.context.bv_val(worlds.ours.value(id), 8));
    }
    solver.add(z3::mk_or(differences));
    ASSERT_EQ(solver.check(), z3::unsat) << "seed " << seed;
  }
}

TEST(ExprTerms, DeepExpressionsDoNotExhaustTheStack) {
  ExprPool pool;
  ExprId sum = pool.symbol(0, 32);
  for (int i = 0; i < 200'000; ++i)
    sum = pool.binary(ExprOp::add, pool.binary(ExprOp::mul, sum, sum), pool.constant(3, 32));
  z3::context context;
  ExprTerms terms(context, pool, [&](uint32_t) { return context.bv_const("s", 32); });
  EXPECT_EQ(terms.term(sum).get_sort().bv_size(), 32u);
}

} // namespace
} // namespace symbiosis
