#pragma once
// A counter whose check passes only if no update of it was lost: such updates exclude each other in every passing
// schedule, as if a mutex were around each.
#include "trace/compiled_trace.h"

namespace symbiosis {

struct Update { // of a cell by its own value and a constant: read, then write, in one thread
  EventRef read = kNoEvent, write = kNoEvent;
};

// Updates that exclude each other in every passing schedule. Empty: nothing of that sort is known.
std::vector<Update> updatesNotToLose(const CompiledTrace& code);

} // namespace symbiosis
