#pragma once
// What every instrumented body needs around its accesses and calls, whatever it is instrumented for.
#include "profiler/pass/runtime_interface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace symbiosis {

// May run code that moves the logs.
bool mayRecord(const llvm::Instruction& instruction);

// Makes "after the call" of each invoke a place that nothing else reaches. Before anything below.
void ownNormalDestinations(llvm::ArrayRef<llvm::CallBase*> calls);
// Where the value of `instruction` is first available.
llvm::Instruction* afterwards(llvm::Instruction* instruction);

// Tells the runtime of the calls that allocate or free.
void announceAllocations(llvm::ArrayRef<llvm::CallBase*> calls, RuntimeInterface& runtime);

// So that no optimisation merges, splits or moves the access: what is logged or scheduled is what happens.
void pinAccess(llvm::Instruction& instruction);
// The same for what traps on its operands: a division happens between the points between which it stands.
void pinDivisions(llvm::Function& body);

} // namespace symbiosis
