#include "profiler/pass/runtime_interface.h"

using namespace llvm;

namespace symbiosis {

static GlobalVariable* threadLocal(Module& module, Type* type, const char* name) {
  return new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                            GlobalValue::InitialExecTLSModel);
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
  pathLimit_ = threadLocal(module, pointer, "__symbiosis_path_limit");
  values_ = threadLocal(module, pointer, "__symbiosis_values");
  site_ = threadLocal(module, i32, "__symbiosis_site");
  pointIndex_ = threadLocal(module, i64, "__symbiosis_point_index");
  pointStop_ = threadLocal(module, i64, "__symbiosis_point_stop");
  mode = new GlobalVariable(module, i32, false, GlobalValue::ExternalLinkage, nullptr, "__symbiosis_mode");
  pathMore = module.getOrInsertFunction("__symbiosis_path_more", pointer, pointer);
  drain = module.getOrInsertFunction("__symbiosis_drain", pointer, pointer);
  copy = module.getOrInsertFunction("__symbiosis_copy", pointer, pointer, pointer, pointer, i64);
  adopt = module.getOrInsertFunction("__symbiosis_adopt_thread", voidType);
  allocated = module.getOrInsertFunction("__symbiosis_allocated", voidType, pointer, i64);
  freed = module.getOrInsertFunction("__symbiosis_freed", voidType, pointer);
  point = module.getOrInsertFunction("__symbiosis_point", voidType, pointer, i32, i32);
  for (FunctionCallee function : {pathMore, drain, copy, adopt, allocated, freed, point})
    cast<Function>(function.getCallee())->setDoesNotThrow();
}

} // namespace symbiosis
