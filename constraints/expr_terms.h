#pragma once
// Expressions of trace/expr.h as SMT bit-vectors, one for one: both have SMT-LIB's semantics. Floats are
// bit-vectors too; how one computes with them is in float_terms.cpp.
#include "constraints/z3_session.h"
#include "trace/expr.h"
#include <functional>
#include <optional>

namespace symbiosis {

// The lowest bits of `term`, or `term` with zeros above, so that it has `width` bits.
z3::expr resized(const z3::expr& term, unsigned width);

// How Z3 is told about floating-point arithmetic.
enum class FloatsAs : uint8_t {
  functions, // of which it learns what they yield as far as it turns out to matter: see `accept`
  theory,    // in terms of its own theory, which is complete, and slow
};

class ExprTerms {
public:
  // `symbolTerm` gives the bit-vector of a symbol; its width may differ from the width at which it is used.
  ExprTerms(z3::context& context, const ExprPool& pool, std::function<z3::expr(uint32_t symbol)> symbolTerm,
            FloatsAs floats = FloatsAs::functions);

  z3::expr term(ExprId id);
  z3::expr symbol(uint32_t number) { return symbolTerm_(number); }
  // "The value is not zero", as a Boolean.
  z3::expr truth(ExprId id);

  // Whether the model computes with floats as the evaluator does. If not, what it got wrong is told to `require`,
  // and it is to be asked again.
  bool accept(const z3::model& model, const std::function<void(const z3::expr& fact)>& require);

private:
  z3::expr translate(ExprId id);
  z3::expr comparison(const ExprNode& node);
  const z3::expr& known(ExprId id) const { return *terms_[id]; }

  // --- floating point (float_terms.cpp) ---
  z3::expr floatOperation(ExprId id, const ExprNode& node);
  z3::expr floatComparison(const ExprNode& node);
  z3::expr isNan(ExprId id);
  z3::expr function(ExprId id, const ExprNode& node);
  z3::expr number(ExprId id); // the float that the bits of a known term mean, in Z3's theory
  z3::expr inTheory(const ExprNode& node);
  z3::expr toInteger(const ExprNode& node);
  z3::expr rounding(unsigned how);

  z3::context& context_;
  const ExprPool& pool_;
  std::function<z3::expr(uint32_t)> symbolTerm_;
  std::vector<std::optional<z3::expr>> terms_; // by ExprId
  const FloatsAs floats_;
  std::vector<std::optional<z3::expr>> numbers_; // by ExprId, in Z3's theory: those that were asked for
  struct Computed {
    ExprId id = kNoExpr;
    z3::func_decl function;
  };
  std::vector<Computed> computed_; // operations that are functions
};

} // namespace symbiosis
