#include "symexec/plan.h"
#include "symexec/test_reports.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace symbiosis {

const TypeLayouts::Known& TypeLayouts::look(Type* type) {
  if (auto at = known_.find(type); at != known_.end()) return at->second;
  Known known;
  append(type, 0, known.scalars);
  if (type->isSized()) known.storeSize = layout_.getTypeStoreSize(type);
  return known_[type] = std::move(known);
}

void TypeLayouts::append(Type* type, uint64_t offset, std::vector<ScalarLayout>& out) {
  if (auto* structure = dyn_cast<StructType>(type)) {
    const StructLayout* fields = layout_.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      append(structure->getElementType(i), offset + fields->getElementOffset(i), out);
    return;
  }
  if (auto* array = dyn_cast<ArrayType>(type)) {
    const uint64_t step = layout_.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i) append(array->getElementType(), offset + i * step, out);
    return;
  }
  if (auto* vector = dyn_cast<FixedVectorType>(type)) {
    // Elements of whole bytes are packed without gaps; vectors of bits never lie in memory here.
    const uint64_t step = std::max<uint64_t>(1, layout_.getTypeSizeInBits(vector->getElementType()) / 8);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      append(vector->getElementType(), offset + i * step, out);
    return;
  }
  if (!type->isSized()) return; // void, label, metadata, token
  uint64_t bits = layout_.getTypeSizeInBits(type);
  for (; bits > 0; offset += 8) {
    const uint64_t now = std::min<uint64_t>(bits, 64);
    out.push_back({uint8_t(now), uint8_t((now + 7) / 8), offset});
    bits -= now;
  }
}

std::vector<Scalar> Planner::constant(const Constant* value) {
  std::vector<Scalar> scalars;
  appendConstant(value, scalars);
  return scalars;
}

void Planner::appendConstant(const Constant* value, std::vector<Scalar>& out) {
  const size_t count = layouts.of(value->getType()).size();
  if (const auto* integer = dyn_cast<ConstantInt>(value)) {
    for (size_t i = 0; i < count; ++i) out.push_back({integer->getValue().getRawData()[i]});
    return;
  }
  if (const auto* real = dyn_cast<ConstantFP>(value)) {
    const APInt bits = real->getValueAPF().bitcastToAPInt();
    for (size_t i = 0; i < count; ++i) out.push_back({bits.getRawData()[i]});
    return;
  }
  if (const auto* global = dyn_cast<GlobalValue>(value)) {
    const auto* alias = dyn_cast<GlobalAlias>(global);
    const uint64_t address = addresses_.addressOf(alias ? alias->getAliaseeObject() : global);
    out.push_back({.bits = address, .known = address != 0});
    return;
  }
  if (isa<ConstantAggregateZero, UndefValue, ConstantPointerNull, ConstantTokenNone>(value)) {
    out.resize(out.size() + count);
    return;
  }
  if (const auto* data = dyn_cast<ConstantDataSequential>(value)) {
    for (unsigned i = 0; i < data->getNumElements(); ++i) appendConstant(data->getElementAsConstant(i), out);
    return;
  }
  if (isa<ConstantStruct, ConstantArray, ConstantVector>(value)) {
    for (const Use& element : value->operands()) appendConstant(cast<Constant>(element), out);
    return;
  }
  if (const auto* expression = dyn_cast<ConstantExpr>(value)) {
    if (const auto* gep = dyn_cast<GEPOperator>(expression)) {
      APInt offset(64, 0);
      if (gep->accumulateConstantOffset(snapshot_.layout(), offset)) {
        std::vector<Scalar> base = constant(cast<Constant>(gep->getPointerOperand()));
        out.push_back({.bits = base[0].bits + uint64_t(offset.getSExtValue()), .known = base[0].known});
        return;
      }
    }
    std::vector<Scalar> a = constant(expression->getOperand(0));
    if (expression->isCast() && a.size() == 1) {
      const unsigned bits = layouts.of(value->getType())[0].bits;
      out.push_back({.bits = a[0].bits & maskOf(bits), .known = a[0].known});
      return;
    }
    if (expression->getNumOperands() == 2 && a.size() == 1) {
      std::vector<Scalar> b = constant(expression->getOperand(1));
      const bool known = a[0].known && b[0].known;
      switch (expression->getOpcode()) {
      case Instruction::Add: out.push_back({.bits = a[0].bits + b[0].bits, .known = known}); return;
      case Instruction::Sub: out.push_back({.bits = a[0].bits - b[0].bits, .known = known}); return;
      case Instruction::Xor: out.push_back({.bits = a[0].bits ^ b[0].bits, .known = known}); return;
      default: break;
      }
    }
  }
  for (size_t i = 0; i < count; ++i) out.push_back({.bits = 0, .known = false});
}

uint32_t Planner::operand(FunctionPlan& plan, const Value* value) {
  if (auto at = plan.scalarOf.find(value); at != plan.scalarOf.end()) return at->second;
  const uint32_t position = plan.scalars + uint32_t(plan.constants.size());
  if (const auto* constantValue = dyn_cast<Constant>(value)) {
    appendConstant(constantValue, plan.constants);
    plan.scalarOf[value] = position;
  }
  return position;
}

const FunctionPlan& Planner::plan(const Function& function) {
  std::unique_ptr<FunctionPlan>& known = plans_[&function];
  if (known) return *known;
  known = std::make_unique<FunctionPlan>();
  FunctionPlan& plan = *known;
  plan.function = &function;
  auto place = [&](const Value& value) {
    plan.scalarOf[&value] = plan.scalars;
    plan.scalars += uint32_t(layouts.of(value.getType()).size());
  };
  for (const Argument& argument : function.args()) place(argument);
  plan.arguments = plan.scalars;
  for (const BasicBlock& block : function) {
    plan.blockIndex[&block] = uint32_t(plan.blocks.size());
    plan.blocks.push_back({&block, 0, {}});
    for (const Instruction& instruction : block) place(instruction);
  }
  for (BlockPlan& block : plan.blocks) {
    block.firstStep = uint32_t(plan.steps.size());
    for (const Instruction& instruction : *block.block)
      if (!isa<PHINode>(instruction) && !isa<DbgInfoIntrinsic>(instruction)) // phis: when the block is entered
        plan.steps.push_back(makeStep(plan, instruction));
    if (!block.block->phis().empty()) addMoves(plan, block);
  }
  return plan;
}

static uint8_t widthOf(const Type* type, const std::vector<ScalarLayout>& layout) {
  return (type->isIntegerTy() || type->isPointerTy()) && layout.size() == 1 ? layout[0].bits : 0;
}

Step Planner::makeStep(FunctionPlan& plan, const Instruction& instruction) {
  Step step;
  step.instruction = &instruction;
  step.opcode = uint8_t(instruction.getOpcode());
  step.result = plan.scalarOf[&instruction];
  step.operands = uint32_t(plan.operands.size());
  step.site = metadataNumber(instruction, kSiteMetadata).value_or(0);
  step.given = instruction.hasMetadata(kGivenMetadata);
  step.point = instruction.hasMetadata(kPointMetadata) && !step.given;
  step.inSlice = instruction.hasMetadata(kAddressMetadata);
  step.isText = instruction.hasMetadata(kTextMetadata);
  if (const auto* call = dyn_cast<CallBase>(&instruction)) step.isReport = reportsFailedCheck(*call);
  step.round = instruction.hasMetadata(kRoundMetadata);
  step.width = widthOf(instruction.getType(), layouts.of(instruction.getType()));
  if (instruction.getNumOperands() > 0)
    if (Type* type = instruction.getOperand(0)->getType(); type->isSized())
      step.operandWidth = widthOf(type, layouts.of(type));
  for (const Use& use : instruction.operands()) plan.operands.push_back(operand(plan, use.get()));
  step.targets = uint32_t(plan.targets.size());
  if (instruction.isTerminator())
    for (const BasicBlock* successor : successors(&instruction))
      plan.targets.push_back(plan.blockIndex.at(successor));
  return step;
}

void Planner::addMoves(FunctionPlan& plan, BlockPlan& block) {
  for (const BasicBlock* from : block.block->phis().begin()->blocks()) {
    PhiMoves moves{plan.blockIndex.at(from), {}};
    for (const PHINode& phi : block.block->phis()) {
      const uint32_t value = operand(plan, phi.getIncomingValueForBlock(from)), result = plan.scalarOf.at(&phi);
      for (uint32_t i = 0; i < layouts.of(phi.getType()).size(); ++i)
        moves.scalars.push_back({value + i, result + i});
    }
    block.moves.push_back(std::move(moves));
  }
}

} // namespace symbiosis
