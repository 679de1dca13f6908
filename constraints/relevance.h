#pragma once
// Which memory can make a difference: a cell is relevant if a value read from it can reach a path condition or the
// bug condition, directly or through other cells. What happens to the others changes no outcome.
#include "trace/compiled_trace.h"
#include <span>

namespace symbiosis {

struct Relevance {
  std::vector<bool> cells; // by cell
  std::vector<bool> slots; // by slot
};

// To all path conditions and the bug condition.
Relevance findRelevance(const CompiledTrace& code);
// To the bug condition and these.
Relevance findRelevance(const CompiledTrace& code, std::span<const Slot> conditions);

} // namespace symbiosis
