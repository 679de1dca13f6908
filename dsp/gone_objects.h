#pragma once
// Failures of memory that is gone, in words: who freed the block, and who still used it, or freed it again.
#include "dsp/diagnosis.h"

namespace symbiosis {

// The block was freed because of its reference count (reference_count.h), and `decisive`, a read of the failing
// run that decided, if one is known, is of the count. Nothing: not so.
std::optional<Classification> classifyCount(const SymbolicTrace& trace, const EventOrder& failing, const Dsp& dsp,
                                            EventRef decisive);

// Nothing: the trace does not say who freed it.
std::optional<Classification> classifyMisuse(const SymbolicTrace& trace, const EventOrder& failing,
                                             const Alternate& alternate, const Dsp& dsp);

} // namespace symbiosis
