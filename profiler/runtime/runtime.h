#pragma once
// The runtime that `symbiosis cc` links into the user's program. It promises to change nothing that the program
// can see, and to do nothing at all unless `symbiosis` started the process.
//
// Ground rules, because this code is a guest in somebody else's process: no libstdc++, no exceptions, no static
// constructors, no malloc and no stdio; only constant-initialised state; no descriptor stays open; every mapping
// is checked; between threads nothing is synchronised for the recorder's sake.
#include "profiler/runtime/control/controlled_thread.h"
#include "trace/event_kind.h"
#include "trace/format.h"
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBIOSIS_TLS __attribute__((tls_model("initial-exec"))) extern __thread

// --- what instrumented code sees: the names are fixed in profiler/pass/runtime_interface.h ---
extern "C" {
extern uint32_t __symbiosis_mode;         // format::Mode
SYMBIOSIS_TLS uint64_t* __symbiosis_path; // the current word of the path log; null: thread not yet known
SYMBIOSIS_TLS uint64_t* __symbiosis_path_limit;
SYMBIOSIS_TLS uint8_t* __symbiosis_values; // where the next value goes
SYMBIOSIS_TLS uint32_t __symbiosis_site;   // call site that was last left for uninstrumented code

SYMBIOSIS_TLS uint64_t __symbiosis_point_index;   // in control: points passed; the index of the next one
SYMBIOSIS_TLS uint64_t __symbiosis_point_stop;    // in control: the index at which the scheduler must be asked
SYMBIOSIS_TLS int64_t __symbiosis_point_patience; // … unnoticed points that it may pass before it is asked once

// The first three are called through gates.cpp, which keeps the registers of instrumented code.
// The path pointer has reached its limit: maps the next window, returns the same position in it.
uint64_t* __symbiosis_path_more(uint64_t* position);
// The value pointer has left the buffer: drains it, returns where the next value goes.
uint8_t* __symbiosis_drain(uint8_t* position);
// In control, before a point whose index has reached __symbiosis_point_stop: returns when the thread may pass it.
void __symbiosis_point(const void* address, uint32_t kind, uint32_t number);
// Copies through the value log, so that what is logged is exactly what was copied.
uint8_t* __symbiosis_copy(uint8_t* position, void* to, const void* from, uint64_t size);
// A thread that pthread_create did not announce enters instrumented code.
void __symbiosis_adopt_thread(void);
void __symbiosis_allocated(void* memory, uint64_t size);
// Memory is being freed, by `giveBack` with these other arguments; returns what it is to be called for.
void* __symbiosis_freed(void* memory, void (*giveBack)(void*, uint64_t, uint64_t), uint64_t second,
                        uint64_t third);
// The same of realloc; returns the block that is to be enlarged.
void* __symbiosis_reallocated(void* memory, uint64_t size);
void __symbiosis_gone(const void* address, uint32_t kind, uint32_t number);
void __symbiosis_touches(const void* address, uint64_t size);
void __symbiosis_failed(void);
}

namespace symbiosis::runtime {

// A log file seen through one mapped window at a time.
struct WindowedLog {
  uint8_t* base;       // of the window; null: not open
  uint64_t fileOffset; // of the window
  uint64_t window, slack;
  const char* suffix; // "path", "ops"
};

// Where a thread's logs go on.
struct LogPosition {
  uint64_t *path, *limit;
  uint8_t* values;
  uint32_t site;
};

struct ThreadState {
  ThreadState* next; // registry of all threads, newest first
  pthread_t handle;
  uint32_t serial, parentSerial, ordinal;
  uint32_t children;  // created so far
  void* startRoutine; // of the type that its creator knows
  void* startArgument;
  bool finished;
  uint32_t destructorRounds;
  bool startsBlocked;  // with all signals blocked; when it has begun …
  uint64_t signalMask; // … only these are
  WindowedLog path, ops;
  uint8_t* nextOp;
  uint64_t clock;       // the latest timestamp
  uint32_t coarseSince; // operations since the counter was read
  uint8_t* valueBuffer;
  bool valuesDropped; // past the limit
  uint32_t busy;      // in a function of the runtime that makes system calls
  // A handler that interrupts the thread has logs of its own (handlers.cpp): `handler` is where they are kept,
  // null: none yet. There, `interrupted` is the thread; `position`: where its logs go on; `interruptedAt`: those
  // of the thread.
  ThreadState *handler, *interrupted;
  LogPosition position, interruptedAt;
  format::OpSlot* release; // recorded, but not made yet; null: none
  uint32_t inOwnCall;      // in a function of the runtime that lets libc allocate for its own business
  // The last allocation that was recorded as a library's; null: none, or more was recorded since.
  const void* libraryBlock;
  format::OpSlot* libraryRecord;
  uint8_t* signalStack; // ours; null: none, or the program has its own
  control::ControlledThread control;
};

extern __thread __attribute__((tls_model("initial-exec"))) ThreadState* self;

inline bool recording() { return format::records(format::Mode(__symbiosis_mode)); }
inline bool controlling() { return format::controls(format::Mode(__symbiosis_mode)); }

// --- logs.cpp ---
// Also writes the thread header; what cannot be kept goes to scratch memory. False: there is not even memory, and
// nothing is recorded any more.
bool openLogs(ThreadState& thread);
void closeLogs(ThreadState& thread);
inline bool hasLogs(const ThreadState& thread) { return thread.ops.base && thread.nextOp; } // they are open
// In a process that was forked: what the calling thread still logs goes nowhere, instead of into its parent's log.
void detachLogs(ThreadState& thread);
// In control a thread's mappings (path, ops, values, signal stack: 0 to 3) lie where the program's own never do,
// so that its addresses are the same whether the run is recorded or not. Null: anywhere.
uint8_t* placeOfThread(uint32_t serial, unsigned number);
// Makes sure that the file has room there; 0 or an errno.
int reserve(int descriptor, uint64_t offset, uint64_t size);
// Maps [offset, offset + size) of the file; space is reserved first, so that a full disk is an error here and not
// a SIGBUS later. `at`: where, or null.
void* mapFile(const char* name, uint64_t offset, size_t size, void* at);
// Maps the window at `fileOffset`, in the place of the one before; false: the log goes to scratch memory.
bool openWindow(WindowedLog& log, const char* name, uint64_t fileOffset);
void reportProblem(const char* what, int error);
void nextOpsWindow(ThreadState& thread);

// --- operations.cpp; see also operations.h ---
void moreSlots(ThreadState& thread);
enum class Stamp { exact, coarse };
struct OpDetails {
  Stamp stamp = Stamp::exact;
  uint64_t argument = 0; // of the kinds that have one
  uint8_t flags = 0;     // format::OpFlags
};
// The next record of this thread, announced. Reading the time-stamp counter costs more than all the rest: mutexes,
// which come in millions, read it only now and then, and order their records by logical time in between (see
// noteRelease). The time of the latest record is `self->clock`.
format::OpSlot* beginOp(EventKind kind, const void* object, OpDetails details = {});
void changeKind(format::OpSlot* slot, EventKind kind); // both with an argument, or both without
void finishOp(format::OpSlot* slot, int result);
// Behind the last record, until the next one takes its place: where the thread stands.
void notePending(uint64_t index, bool silent);
// Of what may have waited: its time is now.
void finishWait(format::OpSlot* slot, int result, Stamp stamp = Stamp::exact);
void forgetOp(format::OpSlot* slot); // the latest; it did not happen at all
void reserveSlots(uint64_t count);   // the calling thread's next records stay in memory together
// A slot that may get a record later: that the calling thread has taken the request to cancel it.
format::OpSlot* spareSlot();
void takeRequest(format::OpSlot* slot);
uint64_t timestamp();

// --- process.cpp ---
extern format::ProcessHeader* processHeader; // mapped; null: not recording
extern char logDirectory[4096];              // of this process, without a closing slash
extern uint64_t valueLimit;                  // format::SessionConfig
void startMainThread();

// --- inputs.cpp ---
// A call outside has written so many bytes there. `use`: they came out of a channel (channels.h); null: they did
// not.
void recordFilled(const void* to, size_t size, const format::ChannelUse* use = nullptr);
void recordWritten(const void* to, const void* bytes, size_t size,
                   const format::ChannelUse* use = nullptr); // these bytes
void recordSent(const format::ChannelUse& use);
void announceFilling(const void* to); // under control, before such a call
// A wrapper writes what the program gets by a pointer, if it has got it.
template <typename Value> void tellByPointer(Value* to, Value value, bool isKnown) {
  announceFilling(to);
  if (isKnown) *to = value;
  recordFilled(to, isKnown ? sizeof value : 0);
}

// A number from outside, such as the time. Returns it or, under control, what it was in the run that is repeated;
// a point of its own.
uint64_t takeInput(uint64_t own);
// What is fed to the calling thread next, under control; false: nothing is known of it.
enum class Fed : uint8_t { input, wait };
bool nextFed(Fed kind, uint64_t& value);

// --- randomness.cpp ---
bool isRandomDevice(int descriptor);
// A call has written random bytes there: in a run that repeats another they become what they were then. Recorded.
void fillRandomly(void* to, size_t size);

// Which task of the kernel is meant by the id of a process or thread that the program was told.
pid_t actualTask(pid_t shown);

// --- privileges.cpp ---
// A file in the log directory, by its whole name; negative: -errno.
int openLog(const char* name, int flags);

// --- cores.cpp ---
// The system calls sched_getaffinity and sched_setaffinity, as the program sees them.
long coresCall(long number, const long (&arguments)[6]);

// --- identity.cpp ---
void noteIdentity(int count, char** arguments);

// --- handlers.cpp ---
using SetAction = int (*)(int, const struct sigaction*, struct sigaction*);
// What sigaction does, except that handlers that run in the middle of things log elsewhere.
int setHandler(SetAction real, int signal, const struct sigaction* action, struct sigaction* old);
uint64_t blockSignals(); // all; returns those that were blocked
void unblockSignals(uint64_t blocked);
void leaveHandler(); // the calling thread, which is in one: the logs are again those that were interrupted
bool isInstrumentedCode(const void* pc);

// --- allocations.cpp ---
// What libraries call as `malloc` is ours: neither the program nor something that is loaded before it has its own.
bool isCalledByName();

// --- threads.cpp ---
ThreadState* newThread(ThreadState* parent);
ThreadState* newHandler(ThreadState& interrupted);
void createThreadKey();
void noticeQuickExit();
void beginThread(ThreadState& thread); // the calling thread, whose state this is
ThreadState* findThread(pthread_t handle);
int joinThread(pthread_t handle, void** value); // the wrapped pthread_join, without a record of what it tells
void enterThread(ThreadState& thread);          // the first thing that a created thread does
// Before and after the real creation; null: nobody will know the new thread.
ThreadState* announceThread(void* routine, void* argument, format::OpSlot*& record);
void threadCreated(ThreadState* child, pthread_t handle, int result, format::OpSlot* record);
// `create` starts a thread that calls enterThread with the state it is given, or, given null, the program's own.
template <typename Create> int createThread(pthread_t* handle, void* routine, void* argument, Create create) {
  if (!recording() && !controlling()) return create(nullptr);
  format::OpSlot* record = nullptr;
  ThreadState* child = announceThread(routine, argument, record);
  ThreadState* const creator = self;
  if (creator) ++creator->inOwnCall;
  const int result = create(child);
  if (creator) --creator->inOwnCall;
  threadCreated(child, *handle, result, record);
  return result;
}

// --- hints.cpp ---
inline size_t slotOf(const void* object, unsigned bits) {
  return size_t((reinterpret_cast<uint64_t>(object) * 0x9E3779B97F4A7C15ull) >> (64 - bits));
}
// When each lock was last released, or one with the same hash: then the order in time is only stricter.
inline constexpr unsigned kReleaseBits = 12;
extern uint64_t releases[1 << kReleaseBits];
// The lock is about to be released at this time: whoever acquires it next gets a later timestamp.
inline void noteRelease(const void* lock, uint64_t when) {
  uint64_t& latest = releases[slotOf(lock, kReleaseBits)];
  if (__atomic_load_n(&latest, __ATOMIC_RELAXED) < when) __atomic_store_n(&latest, when, __ATOMIC_RELAXED);
}
// Before the record of an acquisition with a coarse stamp.
inline void catchUp(const void* lock) {
  const uint64_t released = __atomic_load_n(&releases[slotOf(lock, kReleaseBits)], __ATOMIC_RELAXED);
  if (self && self->clock < released) self->clock = released;
}
void noteBarrier(const void* barrier, uint32_t count);
uint32_t barrierCount(const void* barrier); // 0: unknown

// --- raw.cpp: small replacements of libc ---
// Writes `directory/serial.suffix` to `out`.
void logPath(char* out, size_t size, uint32_t serial, const char* suffix);
// The next definition of `name` after ours.
void* nextDefinition(const char* name);
void* versionedDefinition(const char* name, const char* version);
size_t copyText(char* to, size_t room, const char* from);

} // namespace symbiosis::runtime
