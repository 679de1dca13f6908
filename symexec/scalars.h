#pragma once
// Computing with scalars: concretely, and as an expression where an operand has one. What needs the concrete bits
// of a symbolic value fixes it to them by a condition.
#include "symexec/event_maker.h"
#include <unordered_set>

namespace symbiosis {

class ScalarMath {
public:
  ScalarMath(WalkContext& context, CallStack& stack, EventMaker& events)
      : context_(context), stack_(stack), events_(events) {}

  Scalar binary(ExprOp op, Scalar a, Scalar b, unsigned width);
  Scalar widen(Scalar value, unsigned from, unsigned to, bool isSigned);
  Scalar narrow(Scalar value, unsigned to);
  Scalar pick(const Scalar& condition, const Scalar& then, const Scalar& otherwise, unsigned width);
  ExprId exprOf(const Scalar& value, unsigned width);
  Scalar fromExpr(ExprId expr, uint64_t bits, bool known);

  // In memory an unknown value is an expression, except in the first walk, which has none.
  Scalar storable(const Scalar& value, unsigned width) {
    if (value.known || value.isSymbolic() || context_.discovering) return value;
    return {.expr = exprOf(value, width), .known = false};
  }

  // A value that the recording does not have (unknowns.h).
  Scalar unknown(unsigned width, Unknowns::Kind kind);
  // Depends on what other threads did.
  bool dependsOnShared(const Scalar& value) {
    return value.isSymbolic() && !context_.unknowns.isFixed(value.expr);
  }

  // The concrete bits; a symbolic value is fixed to them by a condition. If they were not recorded, the result of
  // the current instruction is lost.
  uint64_t concrete(const Scalar& value, unsigned width);
  // Of a long run, what a condition has fixed is a number from there on, and so is what is made of it by adding
  // and multiplying constants: millions of addresses may be made of one index.
  Scalar asFixed(const Scalar& value);
  // The address is where it was: of a long run, because what it is made of was.
  void fixAddress(const Scalar& pointer);
  // The same where there is no going on without them: sizes and addresses. Throws NotRecorded.
  uint64_t required(const Scalar& value);
  uint64_t requiredAddress(const Scalar& pointer);

  // Whether the current instruction needed a value that was not recorded; not any more.
  bool takeLost() { return std::exchange(lost_, false); }
  void setLost(bool lost) { lost_ = lost; }
  bool isLost() const { return lost_; }

  // What was logged of a value, and the expression that we computed for it.
  static Scalar merged(const Scalar& logged, const Scalar& computed) {
    return {.bits = logged.bits, .expr = computed.expr};
  }

protected:
  [[noreturn]] void addressUnknown() const;

  WalkContext& context_;
  CallStack& stack_;
  EventMaker& events_;

private:
  bool lost_ = false;
  std::unordered_set<ExprId> fixed_; // by conditions of this thread, to what was observed
};

} // namespace symbiosis
