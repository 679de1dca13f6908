#include "profiler/pass/value_writer.h"
#include "trace/format.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace symbiosis {

ValueWriter::ValueWriter(Function& body, RuntimeInterface& runtime) : runtime_(runtime) {
  BasicBlock& entry = body.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  slot = builder.CreateAlloca(runtime.pointer);
  reload(builder);
}

void ValueWriter::save(IRBuilder<>& builder) {
  builder.CreateStore(builder.CreateLoad(runtime_.pointer, slot), runtime_.valuesAddress(builder));
}

void ValueWriter::reload(IRBuilder<>& builder) {
  builder.CreateStore(builder.CreateLoad(runtime_.pointer, runtime_.valuesAddress(builder)), slot);
}

// Stores the value at `position`; returns the position behind it.
static Value* store(IRBuilder<>& builder, Value* position, Value* value, RuntimeInterface& runtime) {
  const DataLayout& layout = builder.GetInsertBlock()->getDataLayout();
  builder.CreateAlignedStore(value, position, Align(1));
  return builder.CreateConstGEP1_64(runtime.i8, position, layout.getTypeStoreSize(value->getType()));
}

static Value* isFull(IRBuilder<>& builder, Value* position, RuntimeInterface& runtime) {
  Value* bit =
      builder.CreateAnd(builder.CreatePtrToInt(position, runtime.i64), builder.getInt64(format::kValueBuffer));
  return builder.CreateICmpNE(bit, builder.getInt64(0));
}

void ValueWriter::log(IRBuilder<>& builder, Value* value) {
  builder.CreateStore(store(builder, builder.CreateLoad(runtime_.pointer, slot), value, runtime_), slot);
}

void ValueWriter::copy(MemTransferInst* copy) {
  IRBuilder<> builder(copy);
  Value* length = builder.CreateZExtOrTrunc(copy->getLength(), runtime_.i64);
  builder.CreateStore(builder.CreateCall(runtime_.copy, {builder.CreateLoad(runtime_.pointer, slot),
                                                         copy->getRawDest(), copy->getRawSource(), length}),
                      slot);
  copy->eraseFromParent();
}

void ValueWriter::check(Instruction* at) {
  IRBuilder<> builder(at);
  Value* position = builder.CreateLoad(runtime_.pointer, slot);
  Instruction* end = SplitBlockAndInsertIfThen(isFull(builder, position, runtime_), at, false,
                                               MDBuilder(builder.getContext()).createBranchWeights(1, 100000));
  IRBuilder<> rare(end);
  rare.CreateStore(runtime_.drain(rare, position), slot);
}

void writeArguments(IRBuilder<>& builder, Function& door, RuntimeInterface& runtime) {
  if (door.arg_empty()) return;
  Value* position = builder.CreateLoad(runtime.pointer, runtime.valuesAddress(builder));
  for (Argument& argument : door.args()) position = store(builder, position, &argument, runtime);
  builder.CreateStore(position, runtime.valuesAddress(builder));
  auto* rare = BasicBlock::Create(builder.getContext(), "", &door);
  auto* rest = BasicBlock::Create(builder.getContext(), "", &door);
  builder.CreateCondBr(isFull(builder, position, runtime), rare, rest);
  builder.SetInsertPoint(rare);
  builder.CreateStore(runtime.drain(builder, position), runtime.valuesAddress(builder));
  builder.CreateBr(rest);
  builder.SetInsertPoint(rest);
}

} // namespace symbiosis
