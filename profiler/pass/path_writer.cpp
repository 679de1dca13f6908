#include "profiler/pass/path_writer.h"
#include "trace/format.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace symbiosis {

static MDNode* unlikely(LLVMContext& context) { return MDBuilder(context).createBranchWeights(1, 10000); }

PathWriter::PathWriter(Function& body, RuntimeInterface& runtime) : runtime_(runtime) {
  BasicBlock& entry = body.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  pointer_ = builder.CreateAlloca(runtime.pointer);
  word_ = builder.CreateAlloca(runtime.i64);
  slots[0] = pointer_;
  slots[1] = word_;
  reload(builder);
}

void PathWriter::reload(IRBuilder<>& builder) {
  Value* pointer = builder.CreateLoad(runtime_.pointer, runtime_.pathAddress(builder));
  builder.CreateStore(pointer, pointer_);
  builder.CreateStore(builder.CreateLoad(runtime_.i64, pointer), word_);
}

void PathWriter::beginWord(IRBuilder<>& builder, Value* next) {
  builder.CreateStore(runtime_.nextWord(builder, next), pointer_);
  builder.CreateStore(builder.getInt64(1), word_);
}

void PathWriter::append(Instruction* at, Value* bits, unsigned count) {
  IRBuilder<> builder(at);
  Value* word = builder.CreateOr(builder.CreateShl(builder.CreateLoad(runtime_.i64, word_), count),
                                 builder.CreateZExt(bits, runtime_.i64));
  Value* pointer = builder.CreateLoad(runtime_.pointer, pointer_);
  builder.CreateStore(word, pointer);
  builder.CreateStore(word, word_);
}

void PathWriter::makeRoom(Instruction* at) {
  IRBuilder<> builder(at);
  Value* word = builder.CreateLoad(runtime_.i64, word_);
  Value* pointer = builder.CreateLoad(runtime_.pointer, pointer_);
  Value* full = builder.CreateICmpUGE(word, builder.getInt64(format::kFullWord));
  Instruction* end = SplitBlockAndInsertIfThen(full, at, false, unlikely(builder.getContext()));
  IRBuilder<> rare(end);
  beginWord(rare, rare.CreateConstGEP1_64(runtime_.i8, pointer, 8));
}

// Where markers go: the word after the current one; the site that was last left stands in the low half.
static Value* storeMarker(IRBuilder<>& builder, Value* pointer, uint64_t kind, uint32_t target,
                          RuntimeInterface& runtime) {
  Value* site = builder.CreateZExt(builder.CreateLoad(runtime.i32, runtime.siteAddress(builder)), runtime.i64);
  Value* word = builder.CreateOr(site, builder.getInt64(kind | uint64_t(target) << 32));
  builder.CreateStore(word, builder.CreateConstGEP1_64(runtime.i8, pointer, 8));
  return builder.CreateConstGEP1_64(runtime.i8, pointer, 16);
}

void PathWriter::marker(Instruction* at, uint64_t kind, uint32_t target) {
  IRBuilder<> builder(at);
  beginWord(builder, storeMarker(builder, builder.CreateLoad(runtime_.pointer, pointer_), kind, target, runtime_));
}

void writeMarker(IRBuilder<>& builder, uint64_t kind, uint32_t target, RuntimeInterface& runtime) {
  Value* pointer = builder.CreateLoad(runtime.pointer, runtime.pathAddress(builder));
  runtime.nextWord(builder, storeMarker(builder, pointer, kind, target, runtime));
}

} // namespace symbiosis
