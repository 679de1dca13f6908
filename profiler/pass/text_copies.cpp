#include "profiler/pass/text_copies.h"
#include "trace/metadata.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;

namespace symbiosis {
namespace {

struct TextCopy {
  bool appends = false;    // behind the text that is there
  bool isBounded = false;  // by its last argument
  bool pads = false;       // with zeros up to the bound
  bool allocates = false;  // where it copies to
  bool returnsEnd = false; // of the copy, not its beginning
};

std::optional<TextCopy> textCopyNamed(StringRef name) {
  return StringSwitch<std::optional<TextCopy>>(name)
      .Case("strcpy", TextCopy{})
      .Case("stpcpy", TextCopy{.returnsEnd = true})
      .Case("strncpy", TextCopy{.isBounded = true, .pads = true})
      .Case("stpncpy", TextCopy{.isBounded = true, .pads = true, .returnsEnd = true})
      .Case("strcat", TextCopy{.appends = true})
      .Case("strncat", TextCopy{.appends = true, .isBounded = true})
      .Cases("strdup", "__strdup", TextCopy{.allocates = true})
      .Cases("strndup", "__strndup", TextCopy{.isBounded = true, .allocates = true})
      .Default(std::nullopt);
}

struct TextCall {
  CallInst* call;
  TextCopy copy;
  bool isChecked; // the last argument is the size of the object that is written
};

std::optional<TextCall> textCallOf(Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration() || call->isMustTailCall() || !call->getType()->isPointerTy())
    return std::nullopt;
  StringRef name = callee->getName();
  const bool isChecked = name.ends_with("_chk") && name.consume_front("__") && name.consume_back("_chk");
  const std::optional<TextCopy> copy = textCopyNamed(name);
  if (!copy) return std::nullopt;
  const unsigned pointers = copy->allocates ? 1 : 2, numbers = unsigned(copy->isBounded) + unsigned(isChecked);
  if (call->arg_size() != pointers + numbers) return std::nullopt;
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    Type* type = call->getArgOperand(i)->getType();
    if (i < pointers ? !type->isPointerTy() : !type->isIntegerTy(64)) return std::nullopt;
  }
  return TextCall{call, *copy, isChecked};
}

class Speller {
public:
  explicit Speller(const TextCall& text) : text_(text), call_(*text.call), builder_(text.call) {}

  void run() {
    const TextCopy& copy = text_.copy;
    Value* source = call_.getArgOperand(copy.allocates ? 0 : 1);
    Value* bound = copy.isBounded ? call_.getArgOperand(copy.allocates ? 1 : 2) : nullptr;
    for (Value* argument : {call_.getArgOperand(0), source, bound}) tell(argument);
    Value* length = bound ? look("strnlen", {source, bound}) : lengthOf(source);
    Value* room = copy.pads ? bound : plus(length, 1);
    // The zero of a constant comes along. So does strdup's, whatever became of the text meanwhile: as in glibc.
    const bool takesZero = !bound && (copy.allocates || isa<Constant>(length));
    Value* copied = takesZero ? room : length;
    Value* zeros = takesZero ? nullptr : builder_.CreateSub(room, length);
    Value* begin = copy.allocates ? callLibc("malloc", call_.getType(), {room}) : call_.getArgOperand(0);
    Value* to = begin;
    if (copy.allocates) {
      Value *isNull = builder_.CreateIsNull(begin), *nothing = builder_.getInt64(0);
      copied = builder_.CreateSelect(isNull, nothing, copied);
      if (zeros) zeros = builder_.CreateSelect(isNull, nothing, zeros);
    }
    Value* end = copy.appends ? lengthOf(begin) : nullptr;
    if (text_.isChecked) check(end ? builder_.CreateAdd(end, room) : room);
    if (end) to = at(begin, end);
    mark(builder_.CreateMemCpy(to, MaybeAlign(), source, MaybeAlign(), copied));
    if (zeros) builder_.CreateMemSet(at(to, length), builder_.getInt8(0), zeros, MaybeAlign());
    call_.replaceAllUsesWith(copy.returnsEnd ? at(to, length) : begin);
    call_.eraseFromParent();
  }

private:
  Value* plus(Value* value, uint64_t more) { return builder_.CreateAdd(value, builder_.getInt64(more)); }
  Value* at(Value* text, Value* offset) { return builder_.CreateGEP(builder_.getInt8Ty(), text, offset); }

  void mark(Instruction* made) { made->setMetadata(kTextMetadata, MDNode::get(call_.getContext(), {})); }

  // An assembler statement that does nothing: its result, the argument itself, is logged. The text may come from
  // where no level but `full` knows anything: from argv, or from the environment.
  void tell(Value* argument) {
    if (!argument || !told_.insert(argument).second) return;
    if (isa<AllocaInst, Constant>(argument->stripInBoundsConstantOffsets())) return;
    Type* type = argument->getType();
    mark(
        builder_.CreateCall(InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0", true), {argument}));
  }

  CallInst* callLibc(StringRef name, Type* result, ArrayRef<Value*> arguments) {
    SmallVector<Type*, 2> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    FunctionCallee function =
        call_.getModule()->getOrInsertFunction(name, FunctionType::get(result, types, false));
    CallInst* made = builder_.CreateCall(function, arguments);
    made->setDoesNotThrow();
    return made;
  }

  Value* look(StringRef name, ArrayRef<Value*> arguments) {
    CallInst* made = callLibc(name, builder_.getInt64Ty(), arguments);
    made->setOnlyReadsMemory();
    made->setOnlyAccessesArgMemory();
    return made;
  }

  Value* lengthOf(Value* text) {
    if (const uint64_t known = GetStringLength(text)) return builder_.getInt64(known - 1);
    return look("strlen", {text});
  }

  void check(Value* needed) {
    Value* tooMuch = builder_.CreateICmpUGT(needed, call_.getArgOperand(call_.arg_size() - 1));
    Instruction* end = SplitBlockAndInsertIfThen(tooMuch, &call_, true);
    builder_.SetInsertPoint(end);
    callLibc("__chk_fail", builder_.getVoidTy(), {})->setDoesNotReturn();
    builder_.SetInsertPoint(&call_);
  }

  const TextCall& text_;
  CallInst& call_;
  IRBuilder<> builder_;
  SmallPtrSet<Value*, 4> told_;
};

} // namespace

void spellOutTextCopies(Module& module) {
  SmallVector<TextCall, 16> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (const std::optional<TextCall> call = textCallOf(instruction)) calls.push_back(*call);
  for (const TextCall& call : calls) Speller(call).run();
}

} // namespace symbiosis
