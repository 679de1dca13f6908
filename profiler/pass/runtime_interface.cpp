#include "profiler/pass/runtime_interface.h"

using namespace llvm;

namespace symbiosis {

// The runtime is part of the executable, and so is all instrumented code.
static GlobalVariable* threadLocal(Module& module, Type* type, const char* name) {
  return new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                            GlobalValue::LocalExecTLSModel);
}

RuntimeInterface::Gate RuntimeInterface::makeGate(Module& module, const std::string& name, FunctionType* type) {
  auto declare = [&](const std::string& as, CallingConv::ID convention) {
    FunctionCallee callee = module.getOrInsertFunction(as, type);
    auto* function = cast<Function>(callee.getCallee());
    function->setCallingConv(convention);
    function->setDoesNotThrow();
    function->setDSOLocal(true);
    return callee;
  };
  return {declare(name, CallingConv::PreserveAll), declare(name + "_avx", CallingConv::PreserveMost)};
}

Value* RuntimeInterface::call(IRBuilder<>& builder, const Gate& gate, ArrayRef<Value*> arguments) {
  const Attribute features = builder.GetInsertBlock()->getParent()->getFnAttribute("target-features");
  const bool usesAvx = features.isValid() && features.getValueAsString().contains("+avx");
  FunctionCallee callee = usesAvx ? gate.avx : gate.plain;
  CallInst* call = builder.CreateCall(callee, arguments);
  call->setCallingConv(cast<Function>(callee.getCallee())->getCallingConv());
  return call;
}

Value* RuntimeInterface::nextWord(IRBuilder<>& builder, Value* position) const {
  return call(builder, nextWord_, {position});
}
Value* RuntimeInterface::drain(IRBuilder<>& builder, Value* position) const {
  return call(builder, drain_, {position});
}
void RuntimeInterface::passPoint(IRBuilder<>& builder, Value* address, uint64_t kindAndNumber) const {
  call(builder, point_, {address, builder.getInt64(kindAndNumber)});
}

RuntimeInterface::RuntimeInterface(Module& module) {
  LLVMContext& context = module.getContext();
  voidType = Type::getVoidTy(context);
  i1 = Type::getInt1Ty(context);
  i8 = Type::getInt8Ty(context);
  i32 = Type::getInt32Ty(context);
  i64 = Type::getInt64Ty(context);
  pointer = PointerType::getUnqual(context);
  path_ = threadLocal(module, pointer, "__symbiosis_path");
  values_ = threadLocal(module, pointer, "__symbiosis_values");
  site_ = threadLocal(module, i32, "__symbiosis_site");
  mode = new GlobalVariable(module, i32, false, GlobalValue::ExternalLinkage, nullptr, "__symbiosis_mode");
  nextWord_ = makeGate(module, "__symbiosis_next_word", FunctionType::get(pointer, {pointer}, false));
  drain_ = makeGate(module, "__symbiosis_drain_values", FunctionType::get(pointer, {pointer}, false));
  point_ = makeGate(module, "__symbiosis_pass_point", FunctionType::get(voidType, {pointer, i64}, false));
  copy = module.getOrInsertFunction("__symbiosis_copy", pointer, pointer, pointer, pointer, i64);
  adopt = module.getOrInsertFunction("__symbiosis_adopt_thread", voidType);
  allocated = module.getOrInsertFunction("__symbiosis_allocated", voidType, pointer, i64);
  freed = module.getOrInsertFunction("__symbiosis_freed", pointer, pointer, pointer, i64, i64);
  reallocated = module.getOrInsertFunction("__symbiosis_reallocated", pointer, pointer, i64);
  touches = module.getOrInsertFunction("__symbiosis_touches", voidType, pointer, i64);
  for (FunctionCallee function : {copy, adopt, allocated, freed, reallocated, touches})
    cast<Function>(function.getCallee())->setDoesNotThrow();
}

} // namespace symbiosis
