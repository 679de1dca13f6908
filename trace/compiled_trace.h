#pragma once
// A symbolic trace made ready to run: flat arrays, one small record per event, and expressions as straight code.
// A value that depends on what a thread read is computed when the last of those reads happens, once; so running a
// schedule needs no cache, and going back in it needs nothing restored.
#include "trace/trace_end.h"

namespace symbiosis {

using Slot = uint32_t; // position in the array of values

struct CompiledPart {
  uint32_t cell = 0;
  Slot read = kNone;    // receives the cell's value
  Slot written = kNone; // the cell receives this
  Slot guard = kNone;   // kNone: always holds
};

struct CompiledEvent {
  EventKind kind = EventKind::read;
  bool tail = false, synthetic = false, pending = false, bystander = false;
  bool completed = false; // TraceEnd::isCompleted
  bool hasWork = false;   // operations or conditions
  ThreadIndex thread = 0;
  uint32_t object = kNone;
  uint32_t argument = 0; // by sync::Rule::argument; pending wake: the mutex
  uint32_t firstPart = 0, partCount = 0;
};

struct CompiledOperation {
  ExprNode node;
  uint8_t operandWidth = 1;
  Slot a = 0, b = 0, c = 0; // an operand that the operator does not have is another one again
  Slot result = 0;
};

struct CompiledCondition {
  Slot slot = 0;
  uint32_t condition = 0; // number in SymbolicTrace::conditions
};

class CompiledTrace {
public:
  explicit CompiledTrace(const SymbolicTrace& trace);

  // kNone: not compiled, because nothing in the trace used the expression.
  Slot slotOf(ExprId expr) const { return expr < slots_.size() ? slots_[expr] : kNone; }
  Slot slotOfSymbol(uint32_t symbol) const { return symbol; }
  // Depends on what several threads read: computed by `late`, when somebody asks.
  bool isLate(Slot slot) const { return isLate_[slot]; }
  // The event whose reads decide the value; kNoEvent: constant, or late.
  EventRef decidedAt(Slot slot) const { return decidedAt_[slot]; }
  // A slot that holds this in every run.
  Slot addConstant(uint64_t value);

  const SymbolicTrace& trace;
  const TraceEnd ending;
  std::vector<CompiledEvent> events;
  std::vector<CompiledPart> parts;
  std::vector<uint32_t> firstOperation; // by event, and one more
  std::vector<CompiledOperation> operations;
  std::vector<uint32_t> firstCondition; // by event, and one more
  std::vector<CompiledCondition> conditions;
  std::vector<CompiledOperation> late;
  std::vector<Slot> bug;
  std::vector<uint64_t> initialValues; // by slot: constants and initial values; the rest is overwritten
  std::vector<uint64_t> initialMemory; // by cell
  std::vector<EventRef> partner;       // SyncPairing
  std::vector<const char*> impossible; // SyncPairing

private:
  void compileEvents();
  void compileExpressions();
  void compileConditions();
  std::vector<bool> neededExpressions() const;
  std::vector<uint8_t> symbolWidths() const;

  std::vector<Slot> slots_;         // by expression
  std::vector<bool> isLate_;        // by slot
  std::vector<EventRef> decidedAt_; // by slot
};

} // namespace symbiosis
