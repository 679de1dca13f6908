#pragma once
// What stands for a signal in the records of who sends it and who waits for it. Freestanding, like trace/format.h.
#include <stdint.h>

namespace symbiosis::format {

// Addresses at which no program has anything. Behind the first: the process, then each thread by its serial; of
// each one address per signal. Signal 0 stands for what comes from outside, and is never sent.
inline constexpr uint64_t kSignalObjects = 0x100000, kSignalsPerThread = 128;
inline constexpr uint64_t kSignalObjectsEnd = kSignalObjects + kSignalsPerThread * 16384;
constexpr bool isSignalObject(uint64_t object) { return object >= kSignalObjects && object < kSignalObjectsEnd; }
constexpr int signalOf(uint64_t object) { return int((object - kSignalObjects) % kSignalsPerThread); }

} // namespace symbiosis::format
