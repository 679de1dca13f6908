#pragma once
// The first thread that fails is remembered; it ends the process.
#include "profiler/runtime/runtime.h"

namespace symbiosis::runtime {

// True for the first thread that asks; the others should waitForTheEnd().
bool claimFailure();
bool hasFailed(const ThreadState* thread);
// Another thread is ending the process; returns only if it does not get there.
void waitForTheEnd();

format::FailureRecord failureRecord(format::FailureCause cause); // of the calling thread
void writeFailure(const format::FailureRecord& record);

// --- crashes.cpp ---
// From now on signals that end the process are noted before they do.
void catchCrashes();
// Of the calling thread: where signals are noted when its own stack has no room.
void openSignalStack(ThreadState& thread);
void closeSignalStack(ThreadState& thread);

} // namespace symbiosis::runtime
