#include "profiler/pass/outside_calls.h"
#include "profiler/pass/allocations.h"
#include "profiler/pass/numbering.h"
#include "trace/text_readers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace symbiosis {
namespace {

// They announce themselves (profiler/runtime), or work on nothing but objects of their own.
bool isAnnouncedElsewhere(StringRef name) {
  static constexpr StringRef families[] = {
      "__symbiosis_",   "pthread_",      "sem_",     "mtx_",         "cnd_",        "thrd_",
      "tss_",           "__cxa_",        "_Unwind_", "_ZNSt6thread", "_ZNSt5mutex", "_ZNSt18condition_variable",
      "_ZSt9terminate", "_ZSt17__throw_"};
  static constexpr StringRef names[] = {"__assert_fail",
                                        "__gxx_personality_v0",
                                        "read",
                                        "write",
                                        "recv",
                                        "recvfrom",
                                        "send",
                                        "sendto",
                                        "poll",
                                        "epoll_wait",
                                        "fread",
                                        "fgets",
                                        "getline",
                                        "getdelim",
                                        "getrandom",
                                        "getentropy",
                                        "snprintf",
                                        "sprintf",
                                        "vsnprintf",
                                        "vsprintf",
                                        "__snprintf_chk",
                                        "__sprintf_chk",
                                        "__vsnprintf_chk",
                                        "__vsprintf_chk",
                                        "memcmp",
                                        "bcmp",
                                        "memchr",
                                        "strlen",
                                        "strnlen",
                                        "strcmp",
                                        "strncmp",
                                        "strchr",
                                        "syscall",
                                        "clock_gettime",
                                        "nanosleep",
                                        "gettimeofday",
                                        "time",
                                        "timespec_get",
                                        "call_once",
                                        "setjmp",
                                        "_setjmp",
                                        "__sigsetjmp",
                                        "longjmp",
                                        "siglongjmp",
                                        "pipe",
                                        "pipe2",
                                        "socketpair"};
  return is_contained(names, name) || allocationCall(name) ||
         any_of(families, [&](StringRef family) { return name.starts_with(family); });
}

// A stack slot of which nobody else has heard before the call is its thread's own.
bool mayBeOthers(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, 0);
  if (const auto* slot = dyn_cast<AllocaInst>(object))
    return !isPrivateSlot(*slot) && PointerMayBeCaptured(slot, false, true);
  if (const auto* global = dyn_cast<GlobalVariable>(object))
    return !global->isConstant() && !global->isThreadLocal();
  return !isa<ConstantPointerNull, UndefValue, Function>(object);
}

bool handsOverMemory(const CallBase& call) {
  return any_of(call.args(), [](const Use& argument) {
    return argument->getType()->isPointerTy() && mayBeOthers(argument.get());
  });
}

bool needsPoint(const CallBase& call) {
  if (isa<IntrinsicInst>(call) || call.isInlineAsm() || call.doesNotAccessMemory()) return false;
  if (call.onlyAccessesInaccessibleMemory()) return false;
  const auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
  // Through a pointer it is mostly a function of the program's own that is called, which has points itself.
  if (!callee || !callee->isDeclaration() || isAnnouncedElsewhere(callee->getName())) return false;
  return handsOverMemory(call);
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
    builder_.CreateMemCpy(copy, MaybeAlign(), text_, MaybeAlign(), size);
  }

private:
  static constexpr uint64_t kPage = 4096;

  Value* smaller(Value* a, Value* b) { return builder_.CreateSelect(builder_.CreateICmpULT(a, b), a, b); }

  IRBuilder<> builder_;
  CallBase& call_;
  Value* text_;
};

void placeFence(CallBase& call) { IRBuilder<>(&call).CreateFence(AtomicOrdering::Acquire); }

void placePoint(CallBase& call) {
  const Function* callee = call.getCalledFunction();
  const std::optional<unsigned> text = callee ? textReadBy(callee->getName()) : std::nullopt;
  if (text && *text < call.arg_size() && mayBeOthers(call.getArgOperand(*text)))
    TextLook(call, *text).place();
  else
    placeFence(call);
}

} // namespace

void placePointsBeforeOutsideCalls(Module& module) {
  SmallVector<CallBase*, 32> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && needsPoint(*call)) calls.push_back(call);
  for (CallBase* call : calls) placePoint(*call);
}

} // namespace symbiosis
