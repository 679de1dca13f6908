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
  llvm::Value* valuesAddress(llvm::IRBuilder<>& b) { return b.CreateThreadLocalAddress(values_); }
  llvm::Value* siteAddress(llvm::IRBuilder<>& b) { return b.CreateThreadLocalAddress(site_); }

  llvm::GlobalVariable* mode;
  // Called in the middle of things: they change no register that the code around the call could use.
  llvm::Value* nextWord(llvm::IRBuilder<>& builder, llvm::Value* position) const;
  llvm::Value* drain(llvm::IRBuilder<>& builder, llvm::Value* position) const;
  void passPoint(llvm::IRBuilder<>& builder, llvm::Value* address, uint64_t kindAndNumber) const;
  llvm::FunctionCallee copy;        // ptr (ptr, ptr, ptr, i64)
  llvm::FunctionCallee adopt;       // void ()
  llvm::FunctionCallee allocated;   // void (ptr, i64)
  llvm::FunctionCallee freed;       // ptr (ptr, ptr, i64, i64)
  llvm::FunctionCallee reallocated; // ptr (ptr, i64)
  llvm::FunctionCallee touches;     // void (ptr, i64)

private:
  // A gate of the runtime, by two names: for code that uses the upper halves of vector registers, and for other
  // code.
  struct Gate {
    llvm::FunctionCallee plain, avx;
  };
  static Gate makeGate(llvm::Module& module, const std::string& name, llvm::FunctionType* type);
  static llvm::Value* call(llvm::IRBuilder<>& builder, const Gate& gate, llvm::ArrayRef<llvm::Value*> arguments);

  llvm::GlobalVariable *path_, *values_, *site_;
  Gate nextWord_; // ptr (ptr)
  Gate drain_;    // ptr (ptr)
  Gate point_;    // void (ptr, i64)
};

} // namespace symbiosis
