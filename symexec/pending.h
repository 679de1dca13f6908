#pragma once
// Operations that a thread had begun and not finished when the process ended.
#include "symexec/thread_events.h"

namespace symbiosis {

// Not done before it returned; as opposed to a release, which others may have seen.
bool isAcquisition(EventKind kind);
// Of an acquisition: it blocks, instead of only trying.
bool canWait(EventKind kind);

// A process that is killed after a time limit may have had threads that were just passing. Takes out pending
// events that nothing kept from happening.
void dropThoseWhoCouldGoOn(std::vector<ThreadEvents>& threads, const std::vector<uint32_t>& serials);

} // namespace symbiosis
