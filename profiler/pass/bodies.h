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

// What a body costs the build, and what for. To clone debug information and to write it out again takes longer than
// all else that is done to a body; recorded places come from the snapshot, so that only who is looked at by a
// debugger needs it.
enum class BodyCare {
  whole,    // with debug information: the program as it is, and what `replay --gdb` shows
  fast,     // without
  fastBuilt // without, and its code is selected as at -O0: it runs a few times, not in production
};

struct Body {
  format::Mode mode;
  const char* suffix; // of the function's name: "full"
  BodyCare care;
  // Instruments one body. Blocks of the body are numbered as in the snapshot.
  std::function<void(llvm::Function& body, const llvm::DenseMap<const llvm::BasicBlock*, uint32_t>& blocks)>
      instrument;
  DoorKeeper enter; // may be empty
};

// The first of `bodies` gets every mode that no other names.
// Functions that are only called directly lose their door; their entry in numbering.functions becomes null.
void makeBodies(Numbering& numbering, llvm::GlobalVariable* mode, const std::vector<Body>& bodies);

} // namespace symbiosis
