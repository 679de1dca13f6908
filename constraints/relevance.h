#pragma once
// Which memory can make a difference: a cell is relevant if a value read from it can reach a path condition or the
// bug condition, directly or through other cells. What happens to the others changes no outcome.
#include "trace/compiled_trace.h"

namespace symbiosis {

struct Relevance {
  std::vector<bool> cells; // by cell
  std::vector<bool> slots; // by slot
};

Relevance findRelevance(const CompiledTrace& code);

} // namespace symbiosis
