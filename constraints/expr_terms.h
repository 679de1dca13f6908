#pragma once
// Expressions of trace/expr.h as SMT bit-vectors, one for one: both have SMT-LIB's semantics.
#include "constraints/z3_session.h"
#include "trace/expr.h"
#include <functional>
#include <optional>

namespace symbiosis {

// The lowest bits of `term`, or `term` with zeros above, so that it has `width` bits.
z3::expr resized(const z3::expr& term, unsigned width);

class ExprTerms {
public:
  // `symbolTerm` gives the bit-vector of a symbol; its width may differ from the width at which it is used.
  ExprTerms(z3::context& context, const ExprPool& pool, std::function<z3::expr(uint32_t symbol)> symbolTerm);

  z3::expr term(ExprId id);
  z3::expr symbol(uint32_t number) { return symbolTerm_(number); }
  // "The value is not zero", as a Boolean.
  z3::expr truth(ExprId id);

private:
  z3::expr translate(const ExprNode& node);
  z3::expr comparison(const ExprNode& node);
  const z3::expr& known(ExprId id) const { return *terms_[id]; }

  z3::context& context_;
  const ExprPool& pool_;
  std::function<z3::expr(uint32_t)> symbolTerm_;
  std::vector<std::optional<z3::expr>> terms_; // by ExprId
};

} // namespace symbiosis
