#pragma once
// The first thread that fails is remembered; it ends the process.
#include "profiler/runtime/runtime.h"

namespace symbiosis::runtime {

// True for the first thread that asks; the others should waitForTheEnd().
bool claimFailure();
bool hasFailed(const ThreadState* thread);
bool anyHasFailed();
// Called by the thread that has failed, when all is noted: what the others are about to do is recorded as well, as
// if this thread had been slow to fail. What they were about to publish is what the failing one may have lacked.
void linger();
// Another thread is ending the process; returns only if it does not get there.
void waitForTheEnd();

format::FailureRecord failureRecord(format::FailureCause cause); // of the calling thread
void writeFailure(const format::FailureRecord& record);

// The calling thread is about to misuse memory, and ends the process; returns if another thread has failed before.
// `inBody`: in instrumented code, otherwise in a call.
void failBy(format::HeapMisuse what, const void* address, bool inBody);

// --- crashes.cpp ---
// From now on signals that end the process are noted before they do.
void catchCrashes();
// The calling thread has failed, and all is noted: the default action of the signal, whatever the program wants.
[[noreturn]] void endBySignal(int signal);
// Of the calling thread: where signals are noted when its own stack has no room.
void openSignalStack(ThreadState& thread);
void closeSignalStack(ThreadState& thread);

} // namespace symbiosis::runtime
