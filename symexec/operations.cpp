// Instructions that only compute: each scalar concretely, and as an expression where an operand has one.
#include "symexec/arithmetic.h"
#include "llvm/ADT/APInt.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

void Arithmetic::loseResult(const Step& step) {
  takeLost();
  const std::vector<ScalarLayout>& layout = layoutOf(step.instruction->getType());
  for (size_t i = 0; i < layout.size(); ++i) result(step)[i] = unknown(layout[i].bits, Unknowns::lost);
}

void Arithmetic::operate(const Step& step) {
  const Instruction& instruction = *step.instruction;
  if (Instruction::isBinaryOp(step.opcode)) return binaryOperation(step, cast<BinaryOperator>(instruction));
  if (Instruction::isCast(step.opcode)) return castOperation(step, cast<CastInst>(instruction));
  switch (step.opcode) {
  case Instruction::ICmp: return compareIntegers(step, cast<ICmpInst>(instruction));
  case Instruction::FCmp:
  case Instruction::FNeg: return floatOperation(step);
  case Instruction::GetElementPtr: return elementPointer(step, cast<GetElementPtrInst>(instruction));
  case Instruction::Select: return choose(step, cast<SelectInst>(instruction));
  case Instruction::Freeze:
    std::copy_n(operand(step, 0), layoutOf(instruction.getType()).size(), result(step));
    return;
  case Instruction::LandingPad: return; // set when the exception arrived
  default: break;
  }
  // Elements of aggregates and vectors: copies of scalars.
  auto elementOffset = [&](Type* type, ArrayRef<unsigned> indices) {
    size_t offset = 0;
    for (unsigned index : indices) {
      for (unsigned i = 0; i < index; ++i)
        offset +=
            layoutOf(isa<StructType>(type) ? type->getStructElementType(i) : type->getArrayElementType()).size();
      type = isa<StructType>(type) ? type->getStructElementType(index) : type->getArrayElementType();
    }
    return offset;
  };
  if (const auto* extract = dyn_cast<ExtractValueInst>(&instruction)) {
    const size_t offset = elementOffset(extract->getAggregateOperand()->getType(), extract->getIndices());
    std::copy_n(operand(step, 0) + offset, layoutOf(instruction.getType()).size(), result(step));
    return;
  }
  if (const auto* insert = dyn_cast<InsertValueInst>(&instruction)) {
    std::copy_n(operand(step, 0), layoutOf(instruction.getType()).size(), result(step));
    const size_t offset = elementOffset(instruction.getType(), insert->getIndices());
    std::copy_n(operand(step, 1), layoutOf(insert->getInsertedValueOperand()->getType()).size(),
                result(step) + offset);
    return;
  }
  if (isa<ExtractElementInst>(instruction)) {
    const size_t each = layoutOf(instruction.getType()).size();
    const uint64_t index = concrete(*operand(step, 1), 32);
    std::copy_n(operand(step, 0) + index * each, each, result(step));
    return;
  }
  if (isa<InsertElementInst>(instruction)) {
    const size_t all = layoutOf(instruction.getType()).size(),
                 each = layoutOf(instruction.getOperand(1)->getType()).size();
    const uint64_t index = concrete(*operand(step, 2), 32);
    std::copy_n(operand(step, 0), all, result(step));
    std::copy_n(operand(step, 1), each, result(step) + index * each);
    return;
  }
  if (const auto* shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
    const unsigned inputs = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
    const size_t each = layoutOf(shuffle->getOperand(0)->getType()).size() / inputs;
    Scalar* out = result(step);
    for (int lane : shuffle->getShuffleMask()) {
      if (lane < 0)
        std::fill_n(out, each, Scalar{});
      else
        std::copy_n(operand(step, unsigned(lane) < inputs ? 0 : 1) + (unsigned(lane) % inputs) * each, each, out);
      out += each;
    }
    return;
  }
  fail("an instruction that is not supported", &instruction);
}

static std::optional<ExprOp> integerOp(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add: return ExprOp::add;
  case Instruction::Sub: return ExprOp::sub;
  case Instruction::Mul: return ExprOp::mul;
  case Instruction::UDiv: return ExprOp::udiv;
  case Instruction::SDiv: return ExprOp::sdiv;
  case Instruction::URem: return ExprOp::urem;
  case Instruction::SRem: return ExprOp::srem;
  case Instruction::And: return ExprOp::bitAnd;
  case Instruction::Or: return ExprOp::bitOr;
  case Instruction::Xor: return ExprOp::bitXor;
  case Instruction::Shl: return ExprOp::shl;
  case Instruction::LShr: return ExprOp::lshr;
  case Instruction::AShr: return ExprOp::ashr;
  default: return std::nullopt;
  }
}

APInt Arithmetic::wide(const Scalar* words, unsigned width) {
  std::vector<uint64_t> bits((width + 63) / 64);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = words[i].bits;
  return APInt(width, bits);
}

static APInt wideOperation(unsigned opcode, const APInt& a, const APInt& b) {
  switch (opcode) {
  case Instruction::Add: return a + b;
  case Instruction::Sub: return a - b;
  case Instruction::Mul: return a * b;
  case Instruction::UDiv: return b.isZero() ? APInt::getAllOnes(a.getBitWidth()) : a.udiv(b);
  case Instruction::SDiv: return b.isZero() ? a : a.sdiv(b);
  case Instruction::URem: return b.isZero() ? a : a.urem(b);
  case Instruction::SRem: return b.isZero() ? a : a.srem(b);
  case Instruction::And: return a & b;
  case Instruction::Or: return a | b;
  case Instruction::Xor: return a ^ b;
  case Instruction::Shl: return a.shl(b.getLimitedValue(a.getBitWidth()));
  case Instruction::LShr: return a.lshr(b.getLimitedValue(a.getBitWidth()));
  default: return a.ashr(b.getLimitedValue(a.getBitWidth()));
  }
}

void Arithmetic::binaryOperation(const Step& step, const BinaryOperator& operation) {
  std::optional<ExprOp> op = integerOp(step.opcode);
  if (!op) return floatOperation(step);
  const bool divides = *op == ExprOp::udiv || *op == ExprOp::sdiv || *op == ExprOp::urem || *op == ExprOp::srem;
  auto compute = [&](size_t lane, unsigned width) {
    const Scalar a = operand(step, 0)[lane], b = operand(step, 1)[lane];
    if (divides && b.isSymbolic()) // the program went on, so it did not divide by zero
      events_.addCondition(
          context_.exprs.negate(context_.exprs.binary(ExprOp::eq, b.expr, context_.exprs.constant(0, width))),
          false, &operation);
    result(step)[lane] = binary(*op, a, b, width);
  };
  if (step.width) return compute(0, step.width);
  Type* element = operation.getType()->getScalarType();
  const unsigned width = element->getIntegerBitWidth();
  const std::vector<ScalarLayout>& layout = layoutOf(operation.getType());
  if (width > 64) {
    // Integers of several words are computed concretely; symbolic words are fixed by conditions.
    const size_t words = layoutOf(element).size();
    for (size_t at = 0; at < layout.size(); at += words) {
      for (size_t i = 0; i < words; ++i)
        for (unsigned side : {0u, 1u}) concrete(operand(step, side)[at + i], 64);
      const APInt value = wideOperation(operation.getOpcode(), wide(operand(step, 0) + at, width),
                                        wide(operand(step, 1) + at, width));
      for (size_t i = 0; i < words; ++i) result(step)[at + i] = {.bits = value.getRawData()[i]};
    }
    return;
  }
  for (size_t lane = 0; lane < layout.size(); ++lane) compute(lane, width);
}

Scalar Arithmetic::compared(ICmpInst::Predicate predicate, Scalar a, Scalar b, unsigned width) {
  if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
    std::swap(a, b);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  ExprOp op = ExprOp::eq;
  if (predicate == ICmpInst::ICMP_ULT) op = ExprOp::ult;
  if (predicate == ICmpInst::ICMP_ULE) op = ExprOp::ule;
  if (predicate == ICmpInst::ICMP_SLT) op = ExprOp::slt;
  if (predicate == ICmpInst::ICMP_SLE) op = ExprOp::sle;
  const Scalar value = binary(op, a, b, width);
  return predicate == ICmpInst::ICMP_NE ? binary(ExprOp::bitXor, value, {.bits = 1}, 1) : value;
}

void Arithmetic::compareIntegers(const Step& step, const ICmpInst& compare) {
  if (step.operandWidth) {
    *result(step) = compared(compare.getPredicate(), *operand(step, 0), *operand(step, 1), step.operandWidth);
    return;
  }
  Type* type = compare.getOperand(0)->getType();
  const std::vector<ScalarLayout>& layout = layoutOf(type);
  const size_t lanes = layoutOf(compare.getType()).size(), words = layout.size() / lanes;
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Scalar *left = operand(step, 0) + lane * words, *right = operand(step, 1) + lane * words;
    if (words > 1) {
      const unsigned width = type->getScalarType()->getIntegerBitWidth();
      for (size_t i = 0; i < words; ++i) concrete(left[i], 64), concrete(right[i], 64);
      result(step)[lane] = {.bits =
                                ICmpInst::compare(wide(left, width), wide(right, width), compare.getPredicate())};
      continue;
    }
    result(step)[lane] = compared(compare.getPredicate(), *left, *right, layout[lane].bits);
  }
}

// Reads the scalars as the bytes that they would be in memory, and those as the other type.
void Arithmetic::repack(const Step& step, Type* from, Type* to) {
  const Scalar* value = operand(step, 0);
  for (const ScalarLayout& scalar : layoutOf(from))
    scratch_.store(scalar.offset, scalar.bytes,
                   widen(storable(*value++, scalar.bits), scalar.bits, scalar.bytes * 8u, false));
  Scalar* out = result(step);
  for (const ScalarLayout& scalar : layoutOf(to))
    *out++ = narrow(scratch_.load(scalar.offset, scalar.bytes), scalar.bits);
}

void Arithmetic::castOperation(const Step& step, const CastInst& cast) {
  if (step.width && step.operandWidth) {
    const Scalar value = *operand(step, 0);
    *result(step) = step.width < step.operandWidth
                        ? narrow(value, step.width)
                        : widen(value, step.operandWidth, step.width, step.opcode == Instruction::SExt);
    return;
  }
  Type *from = cast.getSrcTy(), *to = cast.getDestTy();
  const std::vector<ScalarLayout>&in = layoutOf(from), &out = layoutOf(to);
  const auto opcode = cast.getOpcode();
  if (opcode == Instruction::BitCast) {
    if (in.size() == out.size() && in[0].bits == out[0].bits)
      std::copy_n(operand(step, 0), in.size(), result(step));
    else
      repack(step, from, to);
    return;
  }
  Type *fromElement = from->getScalarType(), *toElement = to->getScalarType();
  const size_t inWords = layoutOf(fromElement).size(), outWords = layoutOf(toElement).size();
  for (size_t lane = 0; lane * outWords < out.size(); ++lane) {
    const Scalar* value = operand(step, 0) + lane * inWords;
    Scalar* target = result(step) + lane * outWords;
    const bool whole = opcode == Instruction::Trunc || opcode == Instruction::ZExt ||
                       opcode == Instruction::SExt || opcode == Instruction::PtrToInt ||
                       opcode == Instruction::IntToPtr;
    if (whole && inWords == 1 && outWords == 1) {
      const unsigned a = in[lane].bits, b = out[lane].bits;
      *target = b < a ? narrow(*value, b) : widen(*value, a, b, opcode == Instruction::SExt);
      continue;
    }
    if (whole) {
      const unsigned a = fromElement->isPointerTy() ? 64 : fromElement->getIntegerBitWidth();
      const unsigned b = toElement->isPointerTy() ? 64 : toElement->getIntegerBitWidth();
      if (b < a && outWords == 1) { // the low word is enough, and stays symbolic
        *target = narrow(*value, b);
        continue;
      }
      if (inWords == 1 && opcode != Instruction::SExt) {
        target[0] = widen(*value, a, 64, false);
        std::fill_n(target + 1, outWords - 1, Scalar{});
        continue;
      }
      for (size_t i = 0; i < inWords; ++i) concrete(value[i], 64);
      APInt bits = wide(value, a);
      bits = b < a ? bits.trunc(b) : opcode == Instruction::SExt ? bits.sext(b) : bits.zext(b);
      for (size_t i = 0; i < outWords; ++i) target[i] = {.bits = bits.getRawData()[i]};
      continue;
    }
    castFloat(cast, value, target);
  }
}

void Arithmetic::elementPointer(const Step& step, const GetElementPtrInst& gep) {
  if (gep.getType()->isVectorTy()) fail("a vector of pointers is computed, which is not supported", &gep);
  Scalar pointer = asFixed(*operand(step, 0));
  unsigned number = 1;
  for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end; ++type, ++number) {
    if (StructType* structure = type.getStructTypeOrNull()) {
      const uint64_t field = operand(step, number)->bits;
      const uint64_t offset =
          context_.snapshot.layout().getStructLayout(structure)->getElementOffset(unsigned(field));
      pointer = binary(ExprOp::add, pointer, {.bits = offset}, 64);
      continue;
    }
    const uint64_t size = type.getSequentialElementStride(context_.snapshot.layout());
    const unsigned width = gep.getOperand(number)->getType()->getIntegerBitWidth();
    const Scalar index = widen(asFixed(*operand(step, number)), width, 64, true);
    pointer = binary(ExprOp::add, pointer, binary(ExprOp::mul, index, {.bits = size}, 64), 64);
  }
  *result(step) = pointer;
}

void Arithmetic::choose(const Step& step, const SelectInst& select) {
  const std::vector<ScalarLayout>& layout = layoutOf(select.getType());
  const bool perLane = select.getCondition()->getType()->isVectorTy();
  const size_t lanes = perLane ? layoutOf(select.getCondition()->getType()).size() : 1;
  for (size_t i = 0; i < layout.size(); ++i) {
    const Scalar condition = operand(step, 0)[perLane ? i / (layout.size() / lanes) : 0];
    result(step)[i] = pick(condition, operand(step, 1)[i], operand(step, 2)[i], layout[i].bits);
  }
}

} // namespace symbiosis
