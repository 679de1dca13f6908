#pragma once
// Writes the path log of one body: one bit per conditional branch, ⌈log2 n⌉ per switch, markers at landing pads.
//
// The current word lives in a register behind a sentinel bit and is stored to the log at every branch, so the file
// is always current. Once 48 bits are in it the next word begins, which need not be looked at after every bit:
// there is room for format::kBitsPerAppend more. The pointer to the current word is in TLS, and changes only when
// a word begins: a body reads it on entry and again after every call that could have moved it.
#include "profiler/pass/runtime_interface.h"
#include "llvm/IR/Instructions.h"

namespace symbiosis {

class PathWriter {
public:
  // Reads the pointer and the word at the top of `body`.
  PathWriter(llvm::Function& body, RuntimeInterface& runtime);

  void reload(llvm::IRBuilder<>& builder);
  // Appends the lowest `count` bits of `bits` before `at`. There must be room.
  void append(llvm::Instruction* at, llvm::Value* bits, unsigned count);
  // Begins a new word before `at` if the current one is full. Splits the block.
  void makeRoom(llvm::Instruction* at);
  // Appends a marker word and begins a new word before `at`.
  void marker(llvm::Instruction* at, uint64_t kind, uint32_t target);
  // To be promoted to registers when the body is complete.
  llvm::AllocaInst* slots[2];

private:
  void beginWord(llvm::IRBuilder<>& builder, llvm::Value* next);

  RuntimeInterface& runtime_;
  llvm::AllocaInst *pointer_, *word_;
};

// Appends the marker and begins a new word with nothing but the TLS pointer; for doors. Returns after storing it.
void writeMarker(llvm::IRBuilder<>& builder, uint64_t kind, uint32_t target, RuntimeInterface& runtime);

} // namespace symbiosis
