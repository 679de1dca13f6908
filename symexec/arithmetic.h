#pragma once
// Instructions that only compute (operations.cpp), on floats (floats.cpp), and the intrinsics that do
// (intrinsics.cpp): from the operands in the top frame to the result there. They know nothing of memory.
#include "symexec/scalars.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace symbiosis {

class Arithmetic : public ScalarMath {
public:
  Arithmetic(WalkContext& context, CallStack& stack, EventMaker& events)
      : ScalarMath(context, stack, events), scratch_(context.exprs) {}

  void operate(const Step& step);
  void intrinsic(const Step& step, const llvm::IntrinsicInst& call);
  // If the instruction needed a value that was not recorded, its result is unknown.
  void loseResultIfLost(const Step& step) {
    if (isLost()) loseResult(step);
  }

private:
  // --- integers and aggregates (operations.cpp) ---
  void binaryOperation(const Step& step, const llvm::BinaryOperator& operation);
  Scalar compared(llvm::ICmpInst::Predicate predicate, Scalar a, Scalar b, unsigned width);
  void compareIntegers(const Step& step, const llvm::ICmpInst& compare);
  void castOperation(const Step& step, const llvm::CastInst& cast);
  void repack(const Step& step, llvm::Type* from, llvm::Type* to);
  static llvm::APInt wide(const Scalar* words, unsigned width);
  void elementPointer(const Step& step, const llvm::GetElementPtrInst& gep);
  void choose(const Step& step, const llvm::SelectInst& select);
  void loseResult(const Step& step);

  // --- intrinsics (intrinsics.cpp) ---
  bool reduceVector(const Step& step, const llvm::IntrinsicInst& call);
  void overflowIntrinsic(const Step& step, const llvm::IntrinsicInst& call);

  // --- floating point (floats.cpp) ---
  void floatOperation(const Step& step);
  void otherFloatOperation(const Step& step);
  Scalar compareFloats(llvm::FCmpInst::Predicate predicate, const Scalar& a, const Scalar& b, unsigned width);
  void castFloat(const llvm::CastInst& cast, const Scalar* value, Scalar* target);
  void castOtherFloat(const llvm::CastInst& cast, const Scalar* value, Scalar* target);
  static llvm::APFloat toFloat(const Scalar* words, llvm::Type* type);
  Scalar unaryFloat(ExprOp op, const Scalar& a, unsigned from, unsigned to, unsigned low = 0);
  Scalar fusedMultiplyAdd(const Scalar& a, const Scalar& b, const Scalar& c, unsigned width);
  bool floatIntrinsic(const Step& step, const llvm::IntrinsicInst& call);
  std::optional<Scalar> floatInstruction(const llvm::IntrinsicInst& call, const Scalar* const* x, unsigned width);
  void floatClass(const Step& step, const llvm::IntrinsicInst& call);

  const Scalar* operand(const Step& step, unsigned number) const { return stack_.operand(step, number); }
  Scalar* result(const Step& step) { return stack_.result(step); }
  const std::vector<ScalarLayout>& layoutOf(llvm::Type* type) const { return stack_.layoutOf(type); }
  [[noreturn]] void fail(const char* what, const llvm::Instruction* at) const { stack_.fail(what, at); }

  Memory scratch_; // in which values are seen as bytes
};

} // namespace symbiosis
