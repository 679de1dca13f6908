#pragma once
// The names by which instrumented code and profiler/runtime meet; one short list (see runtime/runtime.h).
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace symbiosis {

class RuntimeInterface {
public:
  explicit RuntimeInterface(llvm::Module& module);

  llvm::Type* voidType;
  llvm::IntegerType *i1, *i8, *i32, *i64;
  llvm::PointerType* pointer;

  llvm::Value* pathAddress(llvm::IRBuilder<>& b) { return b.CreateThreadLocalAddress(path_); }
  llvm::Value* pathLimitAddress(llvm::IRBuilder<>& b) { return b.CreateThreadLocalAddress(pathLimit_); }
  llvm::Value* valuesAddress(llvm::IRBuilder<>& b) { return b.CreateThreadLocalAddress(values_); }
  llvm::Value* siteAddress(llvm::IRBuilder<>& b) { return b.CreateThreadLocalAddress(site_); }

  llvm::GlobalVariable* mode;
  llvm::FunctionCallee pathMore;  // ptr (ptr)
  llvm::FunctionCallee drain;     // ptr (ptr)
  llvm::FunctionCallee copy;      // ptr (ptr, ptr, ptr, i64)
  llvm::FunctionCallee adopt;     // void ()
  llvm::FunctionCallee allocated; // void (ptr, i64)
  llvm::FunctionCallee freed;     // void (ptr)

private:
  llvm::GlobalVariable *path_, *pathLimit_, *values_, *site_;
};

} // namespace symbiosis
