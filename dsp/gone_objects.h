#pragma once
// Failures of memory that is gone, in words: who freed the block, and who still used it, or freed it again.
#include "dsp/diagnosis.h"

namespace symbiosis {

// Nothing: the trace does not say who freed it.
std::optional<Classification> classifyMisuse(const SymbolicTrace& trace, const EventOrder& failing,
                                             const Alternate& alternate, const Dsp& dsp);

} // namespace symbiosis
