#pragma once
// What expressions were worth in the recorded run, as far as it is known: a read that was not logged, or that
// could have been elsewhere and was not, has no value; what was not chosen need not have one.
#include "trace/expr.h"
#include <optional>
#include <vector>

namespace symbiosis {

class ObservedValues {
public:
  explicit ObservedValues(const ExprPool& exprs) : exprs_(exprs) {}

  // Of every symbol, in the order of their numbers, before it is used.
  void add(std::optional<uint64_t> observed) { symbols_.push_back(observed); }
  std::optional<uint64_t> of(ExprId expr);
  // It was recorded what the expression was worth, though not of which values.
  void know(ExprId expr, uint64_t value) {
    (void)of(expr);
    values_[expr] = value;
  }
  // The expressions are others now.
  void reset() {
    symbols_.clear();
    values_.clear();
  }

private:
  std::optional<uint64_t> compute(const ExprNode& node) const;

  const ExprPool& exprs_;
  std::vector<std::optional<uint64_t>> symbols_;
  std::vector<std::optional<uint64_t>> values_; // by expression, of a beginning of the pool
};

} // namespace symbiosis
