#pragma once
// The explanation of a deadlock or hang: who holds what and waits for what, and which order made it so.
#include "dsp/diagnosis.h"

namespace symbiosis {

// Acquisitions and waits of those who wait for each other, and the events of the root cause. The wait that ends in
// the alternate is the one that is shown as the failure.
Dsp projectWaiting(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
                   const Alternate& alternate);

Classification classifyWaiting(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
                               const Alternate& alternate, const Dsp& dsp);

// A lock that somebody waits for, and whose holder has ended with it. Nothing: that is not why they wait.
std::optional<Classification> classifyKeptLock(const SymbolicTrace& trace, const EventOrder& failing);

} // namespace symbiosis
