#pragma once
// One executable, several bodies: each instrumented function exists once per mode, and the original name becomes a
// door that looks at the mode and jumps. Inside a mode calls are direct, so that nothing tests the mode on the hot
// path. Whoever calls through a pointer or from uninstrumented code comes through the door, which is where entries
// are logged.
#include "profiler/pass/numbering.h"
#include "trace/format.h"
#include "llvm/IR/IRBuilder.h"
#include <functional>

namespace symbiosis {

// Emits, in a door's block for one mode, what must be logged on entry. Called before the jump.
using DoorKeeper = std::function<void(llvm::IRBuilder<>& builder, llvm::Function& door, uint32_t functionNumber)>;

struct Body {
  format::Mode mode;
  const char* suffix; // of the function's name: "full"
  // Instruments one body. Blocks of the body are numbered as in the snapshot.
  std::function<void(llvm::Function& body, const llvm::DenseMap<const llvm::BasicBlock*, uint32_t>& blocks)>
      instrument;
  DoorKeeper enter; // may be empty
};

// The first of `bodies` gets every mode that no other names.
// Functions that are only called directly lose their door; their entry in numbering.functions becomes null.
void makeBodies(Numbering& numbering, llvm::GlobalVariable* mode, const std::vector<Body>& bodies);

} // namespace symbiosis
