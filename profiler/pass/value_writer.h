#pragma once
// Writes the value log of one body. The pointer to the next free byte lives in a register; it goes to TLS before
// anything that could log elsewhere (calls, returns) and comes back after it. At the end of each block that
// logged, one bit of the pointer tells whether the buffer must be drained.
#include "profiler/pass/runtime_interface.h"
#include "llvm/IR/IntrinsicInst.h"

namespace symbiosis {

class ValueWriter {
public:
  ValueWriter(llvm::Function& body, RuntimeInterface& runtime);

  void save(llvm::IRBuilder<>& builder);   // register -> TLS
  void reload(llvm::IRBuilder<>& builder); // TLS -> register
  void log(llvm::IRBuilder<>& builder, llvm::Value* value);
  // Replaces a memcpy or memmove by one that goes through the log.
  void copy(llvm::MemTransferInst* copy);
  // Before `at`: drain if the buffer is full. Splits the block.
  void check(llvm::Instruction* at);

  llvm::AllocaInst* slot;

private:
  RuntimeInterface& runtime_;
};

// For doors: logs with nothing but the TLS pointer, and checks.
void writeArguments(llvm::IRBuilder<>& builder, llvm::Function& door, RuntimeInterface& runtime);

} // namespace symbiosis
