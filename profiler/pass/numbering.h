#pragma once
// Marks what later stages must agree on, before the snapshot is written: possibly-shared accesses and external
// calls (`!symbiosis.point`), stack slots whose address is logged (`!symbiosis.stack`), and call sites that lead
// out of instrumented code (`!symbiosis.site`). Functions and blocks are numbered by their order in the module.
#include "trace/metadata.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace symbiosis {

struct Numbering {
  std::vector<llvm::Function*> functions;                   // all, in module order; the number is the position
  std::vector<llvm::GlobalVariable*> globals;               // all, in module order
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> blocks; // of defined functions, from 1
};

// Marks the module and numbers it; nothing may be added to or removed from the module between this and the
// snapshot.
Numbering numberPoints(llvm::Module& module);

bool isInstrumented(const llvm::Function& function); // has a body that will be cloned
// A call that leaves instrumented code, or may: a declaration, an excluded function, a pointer, inline assembly.
bool leavesInstrumentedCode(const llvm::CallBase& call);
// True if the stack slot is only ever loaded from and stored to by this function: no other thread and no
// uninstrumented code can reach it.
bool isPrivateSlot(const llvm::AllocaInst& slot);
// Could another thread touch this address?
bool mayBeShared(const llvm::Value* address);

} // namespace symbiosis
