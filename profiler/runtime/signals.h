#pragma once
// Signals between threads of one process (signals.cpp).
#include <stdint.h>

namespace symbiosis::runtime {

bool isPending(uint32_t task, uint64_t set); // one of these, for the thread with this id in the kernel
// The process sends itself a signal by `call`.
int sendToProcess(int signal, int (*call)(int));

} // namespace symbiosis::runtime
