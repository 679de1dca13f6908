#include "profiler/pass/text_looks.h"
#include "profiler/pass/numbering.h"
#include "trace/metadata.h"
#include "trace/text_readers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace symbiosis {
namespace {

// A stack slot of which nobody else has heard before the call is its thread's own.
bool mayBeOthers(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, 0);
  if (const auto* slot = dyn_cast<AllocaInst>(object))
    return !isPrivateSlot(*slot) && PointerMayBeCaptured(slot, false, true);
  if (const auto* global = dyn_cast<GlobalVariable>(object))
    return !global->isConstant() && !global->isThreadLocal();
  return !isa<ConstantPointerNull, UndefValue, Function>(object);
}

// The argument with the text, where the call is of a function that reads one which others may reach; nothing: it
// is not.
std::optional<unsigned> sharedTextOf(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.isMustTailCall()) return std::nullopt;
  const std::optional<unsigned> text = textReadBy(callee->getName());
  return text && *text < call.arg_size() && mayBeOthers(call.getArgOperand(*text)) ? text : std::nullopt;
}

// The text that a function of libc is about to read is read by the thread: its length, and its first bytes.
// Between that and the call there is no point, so that under control both see the same.
class TextLook {
public:
  explicit TextLook(CallBase& call, unsigned argument)
      : builder_(&call), call_(call), text_(call.getArgOperand(argument)) {}

  void place() {
    Function& function = *call_.getFunction();
    auto* type = ArrayType::get(builder_.getInt8Ty(), kMostTextRead);
    AllocaInst* copy =
        IRBuilder<>(&function.getEntryBlock(), function.getEntryBlock().getFirstInsertionPt()).CreateAlloca(type);
    Value* inPage = builder_.CreateAnd(builder_.CreatePtrToInt(text_, builder_.getInt64Ty()), kPage - 1);
    Value* bound = smaller(builder_.CreateSub(builder_.getInt64(kPage), inPage), builder_.getInt64(kMostTextRead));
    FunctionCallee strnlen = call_.getModule()->getOrInsertFunction(
        "strnlen", FunctionType::get(builder_.getInt64Ty(), {text_->getType(), builder_.getInt64Ty()}, false));
    CallInst* length = builder_.CreateCall(strnlen, {text_, bound});
    length->setDoesNotThrow();
    length->setOnlyReadsMemory();
    Value* size = smaller(builder_.CreateAdd(length, builder_.getInt64(1)), bound);
    // What the function makes of the text is known only from what the text was.
    builder_.CreateMemCpy(copy, MaybeAlign(), text_, MaybeAlign(), size)
        ->setMetadata(kTextMetadata, MDNode::get(call_.getContext(), {}));
  }

private:
  static constexpr uint64_t kPage = 4096;

  Value* smaller(Value* a, Value* b) { return builder_.CreateSelect(builder_.CreateICmpULT(a, b), a, b); }

  IRBuilder<> builder_;
  CallBase& call_;
  Value* text_;
};

} // namespace

void lookAtTexts(Module& module) {
  SmallVector<std::pair<CallBase*, unsigned>, 32> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        if (const std::optional<unsigned> text = sharedTextOf(*call)) calls.push_back({call, *text});
  for (const auto& [call, text] : calls) {
    TextLook(*call, text).place();
    call->setMetadata(kLookedMetadata, MDNode::get(module.getContext(), {}));
  }
}

} // namespace symbiosis
