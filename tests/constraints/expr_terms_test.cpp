// One semantics, said twice: the evaluator's and Z3's must agree on every operator and width.
#include "constraints/expr_terms.h"
#include <bit>
#include <gmock/gmock.h>
#include <random>
#include <set>

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
    return below(3) ? interesting[below(10)] : floats();
  }
  // As float and as double at once, as far as that goes.
  uint64_t floats() {
    constexpr double kNumbers[] = {0.0,    1.0,          0.1,   0.5,    2.5,    3.0,  1e300, 1e-310,
                                   5e-324, 4294967296.0, 2.0e9, 9.3e18, 1.9e19, 1e38, 1e-40, 0.0};
    const double number = kNumbers[below(16)] * (below(2) ? 1 : -1);
    const uint64_t special[] = {0x7ff0000000000000, 0xfff8000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
                                0x7f800000,         0xffc00000,         0x7fc00001,         0x7f800001};
    switch (below(4)) {
    case 0: return special[below(8)];
    case 1: return std::bit_cast<uint32_t>(float(number));
    default: return std::bit_cast<uint64_t>(number);
    }
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
    case 5:
      if (w == 32 || w == 64) return floatingPoint(w, depth);
      return arithmetic(w, depth);
    case 6:
      if (w == 32 || w == 64) return fromFloat(w, depth);
      return w == 1 ? floatTest(depth) : arithmetic(w, depth);
    default: return w == 1 && below(2) ? test(depth) : arithmetic(w, depth);
    }
  }

  // `w` is 32 or 64.
  ExprId floatingPoint(unsigned w, unsigned depth) {
    if (depth == 0) return expr(w, 0);
    constexpr ExprOp kOps[] = {ExprOp::fadd, ExprOp::fsub, ExprOp::fmul, ExprOp::fdiv, ExprOp::fmin, ExprOp::fmax};
    constexpr ExprOp kUnary[] = {ExprOp::fsqrt, ExprOp::fneg, ExprOp::fabs};
    const ExprId a = floatingPoint(w, depth - 1);
    switch (below(6)) {
    case 0: return pool.unaryFloat(kUnary[below(3)], a, w);
    case 1: return pool.unaryFloat(ExprOp::fround, a, w, below(5));
    case 2:
      if (w == 32) return pool.unaryFloat(ExprOp::ftrunc, floatingPoint(64, depth - 1), 32);
      return pool.unaryFloat(ExprOp::fext, floatingPoint(32, depth - 1), 64);
    case 3: return pool.unaryFloat(below(2) ? ExprOp::sitof : ExprOp::uitof, expr(width(), depth - 1), w);
    case 4: return pool.fusedMultiplyAdd(a, floatingPoint(w, depth - 1), floatingPoint(w, depth - 1));
    default: return pool.binary(kOps[below(6)], a, floatingPoint(w, depth - 1));
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
  ExprId floatTest(unsigned depth) {
    constexpr ExprOp kTests[] = {ExprOp::feq, ExprOp::flt, ExprOp::fle, ExprOp::funo};
    const unsigned w = below(2) ? 32 : 64;
    return pool.binary(kTests[below(4)], floatingPoint(w, depth - 1), floatingPoint(w, depth - 1));
  }
  ExprId fromFloat(unsigned w, unsigned depth) {
    const ExprId a = floatingPoint(below(2) ? 32 : 64, depth - 1);
    return pool.unaryFloat(below(2) ? ExprOp::ftosi : ExprOp::ftoui, a, w);
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
  explicit TwoWorlds(unsigned seed, FloatsAs floats = FloatsAs::theory)
      : exprs(seed), ours(exprs.pool),
        terms(
            context, exprs.pool,
            [this](uint32_t s) { return context.bv_const(("s" + std::to_string(s)).c_str(), 64); }, floats) {
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
  std::set<ExprOp> seen;
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
    for (ExprId id = 1; id < worlds.exprs.pool.size(); ++id) seen.insert(worlds.exprs.pool.node(id).op);
  }
  EXPECT_EQ(seen.size(), size_t(ExprOp::ftoui) + 1) << "every operator has been tried";
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

// Each symbol has one of two values, as a read has that sees one of two writes. Floating-point operations are
// functions that Z3 learns about until it has no wrong model left.
TEST(ExprTerms, WhatFunctionsYieldIsLearnt) {
  for (unsigned seed = 2000; seed < 2060; ++seed) {
    TwoWorlds worlds(seed, FloatsAs::functions);
    ExprEvaluator others(worlds.exprs.pool);
    z3::solver solver(worlds.context, z3::solver::simple());
    const z3::expr first = worlds.context.bool_const("first");
    auto oneOf = [&](uint64_t a, uint64_t b, unsigned width) {
      return z3::ite(first, worlds.context.bv_val(a, width), worlds.context.bv_val(b, width));
    };
    for (uint32_t s = 0; s < kSymbols; ++s) {
      const uint64_t other = worlds.exprs.floats();
      others.assign(s, other);
      solver.add(worlds.terms.symbol(s) == oneOf(worlds.values[s], other, 64));
    }
    z3::expr_vector differences(worlds.context), equalities(worlds.context);
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned width = i % 2 ? 64 : 32;
      const ExprId id = worlds.exprs.floatingPoint(width, 3);
      const z3::expr expected = oneOf(worlds.ours.value(id), others.value(id), width);
      differences.push_back(worlds.terms.term(id) != expected);
      equalities.push_back(worlds.terms.term(id) == expected);
    }
    auto check = [&] {
      for (int round = 0; round < 100; ++round) {
        const z3::check_result result = solver.check();
        if (result != z3::sat) return result;
        if (worlds.terms.accept(solver.get_model(), [&](const z3::expr& fact) { solver.add(fact); }))
          return result;
      }
      return z3::unknown;
    };
    solver.push();
    solver.add(z3::mk_and(equalities));
    ASSERT_EQ(check(), z3::sat) << "seed " << seed;
    solver.pop();
    solver.add(z3::mk_or(differences));
    ASSERT_EQ(check(), z3::unsat) << "seed " << seed;
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
