#pragma once
// What the walk of one thread produces, with raw addresses; trace_assembly.cpp gives them identities.
#include "symexec/memory.h"
#include "symexec/sharing.h"
#include "trace/event_kind.h"
#include "trace/symbolic_trace.h"
#include "llvm/IR/Instructions.h"
#include <optional>
#include <string>
#include <vector>

namespace symbiosis {

struct RawPart {
  uint64_t address = 0;
  uint8_t size = 0;
  uint32_t symbol = ~uint32_t{0};   // read: the symbol; ~0: only written
  std::optional<uint64_t> observed; // read: what was read, if it was recorded
  ExprId written = kNoExpr;
  ExprId guard = kNoExpr; // the access is here only if this holds; kNoExpr: always
  bool wasHere = true;    // in the recorded run
  bool isLife = false; // not of the memory at `address`, but of its being there: 1, and 0 when it has been freed
  bool findsAlive = false; // isLife: in every schedule of this path
};

struct RawEvent {
  uint64_t index = 0; // of the point
  EventKind kind = EventKind::read;
  uint64_t address = 0; // of the access or of the sync object
  std::vector<RawPart> parts;
  uint64_t mutex = 0; // wait-begin: the mutex that it releases; pending wake: that it takes
  uint32_t peerSerial = ~uint32_t{0};
  uint32_t outcome = 0;
  uint64_t timestamp = 0;
  // It happened between these two timestamps of its thread's op records.
  uint64_t notBefore = 0, notAfter = ~uint64_t{0};
  bool isFloat = false; // access: of a float or a double
  bool tail = false;
  bool pending = false;
  bool bystander = false; // pending, but will not wait for ever
  bool timed = false;     // it waits no longer than a limit
  uint32_t mark = 0;      // as in Event
  bool isUse = false;     // access: all that it says is that blocks were alive (uses_before_free.h)
  std::string variable;
  bool isLibrarys = false; // made by code of a library, and `variable` is what that calls it
  const llvm::Instruction* instruction = nullptr; // null: not at a known place
  std::vector<const llvm::Instruction*> callers;  // outermost first
};

struct RawCondition {
  ExprId expr = kNoExpr;
  size_t after = 0;     // position in ThreadEvents::events
  bool isBranch = true; // false: an address or another value that had to be fixed
  const llvm::Instruction* instruction = nullptr;
  const llvm::BasicBlock* otherSide = nullptr; // of a two-way branch: the successor that was not taken
  // Where that is or, in a library, the statement that called it; null: unknown.
  const llvm::DILocation* statement = nullptr;
  uint32_t mark = 0; // as in Condition
};

// A stack slot that holds shared memory.
struct StackObject {
  uint64_t address = 0, size = 0;
  uint64_t frame = 0; // instance number of the frame in its thread
  const llvm::AllocaInst* slot = nullptr;
  uint64_t notBefore = 0, notAfter = ~uint64_t{0};  // timestamps, for other threads
  uint64_t firstIndex = 0, endIndex = ~uint64_t{0}; // of the points of its own thread
};

// A block is freed, or a lock, condition variable … destroyed.
struct EndedObject {
  uint64_t address = 0;
  bool isDestroyed = false;
  uint64_t index = 0;                              // of the point; kNoPoint: a library does it
  uint64_t notBefore = 0, notAfter = ~uint64_t{0}; // timestamps
};

struct ThreadEvents {
  std::vector<RawEvent> events;
  std::vector<RawCondition> conditions;
  std::vector<StackObject> stackObjects;
  std::vector<ExprId> bug;            // of the failing thread
  std::optional<size_t> failureEvent; // position in events
  const llvm::Instruction* failureAt = nullptr;
  const llvm::Instruction* allocatedAt = nullptr;    // here: the block whose use is the failure
  std::vector<const llvm::Instruction*> allocatedBy; // the callers, outermost first
  std::optional<size_t> freedEvent;                  // the event that ended its life
  FailureKind failureKind = FailureKind::assertion;
  std::string failureMessage;        // empty: what the recording says
  bool isExplained = true;           // a crash: by a value that was used there
  std::vector<uint64_t> heldMutexes; // at the end, innermost last
  std::vector<uint64_t> marks;       // as in TraceThread
  std::vector<EndedObject> ended;    // with the marks
  std::string startFunction;
  std::vector<std::string> unmodelled; // external functions that were given pointers to shared memory
};

} // namespace symbiosis
