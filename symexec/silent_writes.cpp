#include "symexec/silent_writes.h"

namespace symbiosis {

// By cell: the only thread that touches it; kNone: nobody, or several do.
static std::vector<ThreadIndex> onlyThreads(const SymbolicTrace& trace) {
  constexpr ThreadIndex kSeveral = kNone - 1;
  std::vector<ThreadIndex> only(trace.cells.size(), kNone);
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    for (const Part& part : trace.partsOf(ref)) {
      ThreadIndex& thread = only[part.cell];
      thread = thread == kNone || thread == trace.threadOf(ref) ? trace.threadOf(ref) : kSeveral;
    }
  for (ThreadIndex& thread : only)
    if (thread == kSeveral) thread = kNone;
  return only;
}

void acceptSilentWrites(SymbolicTrace& trace) {
  const std::vector<ThreadIndex> only = onlyThreads(trace);
  std::vector<ExprId> holds; // by cell: what its thread knows of it
  for (const Cell& cell : trace.cells) holds.push_back(cell.initial);
  for (const Event& event : trace.events)
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
      Part& part = trace.parts[i];
      if (part.cell >= only.size() || only[part.cell] == kNone) continue;
      const ExprId known = holds[part.cell];
      const uint32_t cell = part.cell;
      if (part.symbol != kNone && part.guard == kNoExpr && trace.exprs.isConstant(known)) {
        const std::optional<uint64_t>& seen = trace.symbols[part.symbol].observed;
        if (seen && *seen != trace.exprs.constantValue(known)) {
          Cell own = trace.cells[cell];
          own.initial = trace.exprs.constant(*seen, own.size * 8u);
          part.cell = uint32_t(trace.cells.size());
          trace.cells.push_back(own);
        }
      }
      if (part.written != kNoExpr) holds[cell] = part.written;
    }
}

} // namespace symbiosis
