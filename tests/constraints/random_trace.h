#pragma once
// Random tiny traces: two to four threads with racy and locked accesses of several sizes, read-modify-writes,
// trylocks of both outcomes, fork and join, path conditions, synthetic releases and tail events.
#include "trace/symbolic_trace.h"
#include <random>

namespace symbiosis::testing {

enum class Sync { mutexes, all };
// How the run ended: a check failed, or threads waited for ever.
enum class Ends { failing, waiting };

// At most `bodyEvents` events besides starts and forks, or few more. `all`: with condition variables,
// reader-writer locks, semaphores, barriers and once.
SymbolicTrace randomTrace(std::mt19937& random, unsigned bodyEvents = 8, Sync sync = Sync::mutexes,
                          Ends ends = Ends::failing);

} // namespace symbiosis::testing
