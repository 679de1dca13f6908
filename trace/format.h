#pragma once
// The bytes of a recording, shared by the runtime inside the user's program (which writes them) and the host
// (which reads them). Freestanding: C headers only. docs/trace-format.md is the prose; any change of a struct or
// of a meaning is a new kFormatVersion.
//
// A recorded process writes into one directory:
//   process        ProcessHeader, then the address table (functions, then globals, in snapshot order)
//   failure        FailureRecord, if a thread failed: an assertion, or a signal that ends the process
//   N.thread       ThreadHeader of the thread with serial number N
//   N.path         64-bit words, see PathWord; ends at the first zero word
//   N.ops          OpSlots; ends at the first record whose kind is 0
//   N.values       the last values, raw, and a ValueTrailer; N.drained holds what was drained before them
//   N.dropped      empty; only if values past the limit were dropped: then N.values means nothing
// What a controlled process reads and writes besides is trace/control_protocol.h's.
#include "trace/sync_model.h"
#include <stdint.h>

namespace symbiosis::format {

inline constexpr uint32_t kFormatVersion = 8;

// Name of the environment variable that holds the session directory; without it the runtime is inert.
inline constexpr char kSessionVariable[] = "SYMBIOSIS_SESSION";
// Section of an executable that holds the snapshot: SnapshotHeader, then bitcode.
inline constexpr char kSnapshotSection[] = ".symbiosis.snapshot";
// Section of the instrumented bodies; the linker delimits it with __start_ and __stop_ symbols.
inline constexpr char kBodiesSection[] = "symbiosis_bodies";

struct SnapshotHeader {
  char magic[8]; // kSnapshotMagic
  uint32_t version;
  uint32_t reserved;
  uint64_t size; // of the bitcode that follows
};
static_assert(sizeof(SnapshotHeader) == 24);
inline constexpr char kSnapshotMagic[8] = {'S', 'Y', 'M', 'S', 'N', 'A', 'P', '\n'};

// How much of a run is recorded; each level also has what the ones before it have.
enum class Level : uint32_t {
  path = 1,      // branch bits, wrapped calls, results of calls that leave instrumented code
  addresses = 2, // also the possibly-shared loads that can flow into an address
  full = 3,      // all possibly-shared loads
};
constexpr const char* levelName(Level level) {
  return level == Level::path ? "path" : level == Level::addresses ? "addresses" : "full";
}

// Which bodies of the functions run; chosen once, at process start.
enum class Mode : uint32_t {
  off = 0,         // the program as it was written
  path = 1,        // records at this level; likewise the next two
  addresses = 2,   //
  full = 3,        //
  control = 4,     // the runtime decides who goes on at each point
  controlFull = 5, // control and full at once: a controlled run is repeated with everything logged
};
constexpr bool records(Mode mode) { return mode != Mode::off && mode != Mode::control; }
constexpr bool controls(Mode mode) { return mode == Mode::control || mode == Mode::controlFull; }
constexpr Mode recordingMode(Level level) { return Mode(uint32_t(level)); }
constexpr Level levelOf(Mode mode) { return mode == Mode::controlFull ? Level::full : Level(uint32_t(mode)); }

struct SessionConfig {
  char magic[8]; // kConfigMagic
  uint32_t version;
  Mode mode;
  uint64_t valueLimit;     // bytes of values that a process may drain, 0: any; past it values are dropped
  char logDirectory[4072]; // each process makes a subdirectory named after its pid
};
static_assert(sizeof(SessionConfig) == 4096);
inline constexpr char kConfigMagic[8] = {'S', 'Y', 'M', 'C', 'O', 'N', 'F', '\n'};

struct ProcessHeader {
  char magic[8]; // kProcessMagic
  uint32_t version;
  Mode mode;
  uint64_t functions, globals; // entries of the address table that follows
  uint32_t threads;            // serial numbers given out
  uint32_t forked;             // children that the process made with fork(); they are not recorded
  uint32_t reserved;
  uint32_t recordingFailed; // 1: the runtime could not write a log (disk full, no descriptors); see `problem`
  char problem[256];
};
static_assert(sizeof(ProcessHeader) == 304);
inline constexpr char kProcessMagic[8] = {'S', 'Y', 'M', 'P', 'R', 'O', 'C', '\n'};

struct ThreadHeader {
  char magic[8]; // kThreadMagic
  uint32_t version;
  uint32_t serial;       // in order of registration in this run; not stable between runs
  uint32_t parentSerial; // == serial: the main thread
  uint32_t ordinal;      // j-th child of its parent, from 1
  uint64_t clock;        // time-stamp counter at its start
};
static_assert(sizeof(ThreadHeader) == 32);
// Instead of an ordinal: handlers of signals that interrupted instrumented code of the "parent".
inline constexpr uint32_t kHandlerOrdinal = uint32_t{1} << 31;
inline constexpr char kThreadMagic[8] = {'S', 'Y', 'M', 'T', 'H', 'R', 'D', '\n'};

// A word of the path log. Below 2^63: branch bits, oldest highest, behind a leading one bit; the word being filled
// is always current in the file, so that a killed process loses nothing. Otherwise a marker.
inline constexpr uint64_t kMarkerBit = uint64_t{1} << 63;
inline constexpr uint64_t kFullWord = uint64_t{1} << 48; // a word at or above this is followed by a new one
inline constexpr unsigned kBitsPerAppend = 14;           // at most so many bits are appended to a full word
// A handler came in the middle of its thread's path; in the handler's own log. Below: where the thread's path
// stood, as in OpSlot.
inline constexpr uint64_t kInterruptionMarker = uint64_t{4} << 61;
// Other markers: kind in bits 61..63, function or block in bits 32..60, call site in bits 0..31.
inline constexpr uint64_t kReturnMarker = uint64_t{5} << 61; // setjmp returned; the target is its call site
inline constexpr uint64_t kEntryMarker = uint64_t{6}
                                         << 61; // a function was entered from outside its caller's body
inline constexpr uint64_t kLandingMarker = uint64_t{7} << 61; // an exception arrived at a landing pad
constexpr uint64_t markerKind(uint64_t word) { return word & (uint64_t{7} << 61); }
constexpr uint32_t markerTarget(uint64_t word) { return uint32_t(word >> 32) & 0x1FFFFFFF; }
constexpr uint32_t markerSite(uint64_t word) { return uint32_t(word); }

enum class OpState : uint8_t {
  intent =
      1, // announced; may or may not have taken effect when the process ended; an acquisition: its thread waits
  done = 2,
};

// One interposed call, in the order in which its thread made them, as trace/recording reads it back.
struct OpRecord {
  uint8_t kind = 0; // EventKind; kPending: only at the end
  OpState state = OpState::intent;
  bool coarse = false;     // it happened not before `timestamp`, perhaps some operations later
  bool timed = false;      // it waits, or waited, no longer than a limit
  uint32_t site = 0;       // call site in instrumented code that was last left, 0: none
  uint64_t wordOffset = 0; // position in the path log: byte offset of the current word …
  uint64_t word = 0;       // … and its contents
  uint64_t object = 0;     // address of the mutex, of the allocation, …
  uint64_t argument = 0; // fork, join: serial of the peer; alloc, write: size; lock: 1 if the thread was cancelled
                         // in the wait that it ends; pending: index of the point
  int64_t result = 0;    // what the call returned
  uint64_t timestamp =
      0; // time-stamp counter; for releases before, for acquisitions that are done after the operation
  bool channel = false; // write: the bytes may have come from another thread of the program
  bool inLibrary =
      false; // alloc, free: made by a function outside, in the call at `site`; it has no index of its own
  bool moves = false; // free: by realloc; what was in the block is in the next one that the thread allocates
};

// The same in the log: small, because what a record costs is mostly the memory that it fills. One slot, or two for
// the kinds that have an argument. `head` is written last.
struct OpSlot {
  uint64_t head;  // kind: 8 bits, OpFlags: 8, object: 48
  uint64_t where; // bits in the current word: 6, index of the word: 42, lower half of the site: 16
  uint64_t when; // timestamp: 48 (it never falls, so that the rest is known), upper part of the site: 8, result: 8
};
static_assert(sizeof(OpSlot) == 24);
struct OpArgument { // the second slot
  uint64_t argument;
  uint64_t reserved[2];
};
static_assert(sizeof(OpArgument) == sizeof(OpSlot));
enum OpFlags : uint8_t { // above the two bits of OpState
  kOpCoarse = 4,
  kOpTimed = 8,
  kOpMarked = 16, // lock: the thread was cancelled; write: a channel; pending: in a call without an index;
                  // alloc, free: in a library
  kOpMoves = 32,  // free: by realloc; what was in the block is in the next one that the thread allocates
};
inline constexpr uint32_t kMostSites = 1u << 24;
inline constexpr unsigned kOpBits = 48; // of objects, positions and timestamps
inline constexpr uint64_t kOpMask = (uint64_t{1} << kOpBits) - 1;
// Of results there are 8 bits: errno values, and this for -1.
inline constexpr uint8_t kMinusOne = 255;
// In control, behind a thread's last record: where it stood, having passed all points before `argument`. `result`
// is 1 if it waited in a call that has no index of its own, or for a descriptor.
inline constexpr uint8_t kPending = 126;
// Fills a slot that has no record.
inline constexpr uint8_t kSkip = 125;
// The object of a request to cancel the thread, which is like a semaphore: pthread_cancel posts it, and the
// operation in which the thread gives up takes it. No address has this bit.
inline constexpr uint64_t kCancellations = uint64_t{1} << (kOpBits - 1);
constexpr uint64_t cancellationOf(uint32_t serial) { return kCancellations + serial; }
constexpr bool hasArgument(uint8_t kind) { return kind == kPending || sync::ruleOf(EventKind(kind)).hasArgument; }

// What a thread did at a channel, a pipe, socket or eventfd: in the value log, of a `send`, and of a `write` that
// is marked as coming from one, before its bytes. All zeros: nobody knows, as of a native run.
struct ChannelUse {
  uint64_t channel;  // number, from 1; 0: unknown, or what was read did not come from this process
  uint64_t position; // send: units sent before; otherwise taken before. Bytes, or what an eventfd counts
  uint64_t units;    // sent or taken, kChannelEnd of a close
  uint64_t sent;     // taken: all that had been sent until then, kExactly if it would have shown had it been more
};
static_assert(sizeof(ChannelUse) == 32);
inline constexpr uint64_t kChannelEnd = uint64_t{1} << 40; // counts ends that were closed; bytes are below it
inline constexpr uint64_t kExactly = uint64_t{1} << 63;
inline constexpr uint64_t kOnlyLooks = uint64_t{1} << 62; // so much was there, and stays: poll() has told
// The counts of a channel are cells of memory where nobody has any: sent, and 8 bytes behind it taken.
inline constexpr uint64_t kChannels = uint64_t{1} << 56;
constexpr uint64_t placeOfChannel(uint64_t channel) { return kChannels + channel * 4096; }

enum class FailureCause : uint32_t {
  assertion = 1, // expression, file, line, function
  signal = 2,    // the thread faulted or raised it itself: abort, a failed check of libc, an uncaught exception
};

// Under control, with freed blocks held back: noticed by the runtime before it happens.
enum class HeapMisuse : uint16_t {
  none = 0,
  useAfterFree = 1,    // of memory in a block that has been freed
  doubleFree = 2,      // of a block that has been freed
  invalidFree = 3,     // of what is no block
  useAfterDestroy = 4, // of a mutex, condition variable … that has been destroyed
};

struct FailureRecord {
  char magic[8]; // kFailureMagic
  uint32_t version;
  uint32_t serial; // of the failing thread
  FailureCause cause;
  uint32_t line;
  int32_t signal;   // of a signal: its number …
  int32_t code;     // … and si_code
  uint64_t address; // … the address that faulted
  uint32_t inBody;  // … 1: in instrumented code itself, 0: in a function called at the record's call site
  // … 1: it came before the thread had logs or after it had closed them, so that it has no record of it
  uint16_t outsideLogs;
  HeapMisuse misuse;     // … what the runtime saw the thread do; then `address` is what it was done to
  uint64_t index;        // in control: points that the thread had begun; kNoIndex otherwise
  char expression[1024]; // truncated if longer
  char file[1024];
  char function[512];
  char exceptionType[256]; // of the exception being handled when it was raised, mangled; empty: none
  char what[512];          // of a std::exception
};
static_assert(sizeof(FailureRecord) == 3384);
inline constexpr uint64_t kNoIndex = ~uint64_t{0};
inline constexpr char kFailureMagic[8] = {'S', 'Y', 'M', 'F', 'A', 'I', 'L', '\n'};

// Logs are written through windows of this many bytes, mapped one after the other; each has room behind it for
// what is written before the next check.
inline constexpr uint64_t kPathWindow = uint64_t{1} << 20;
inline constexpr uint64_t kPathSlack = 4096;
inline constexpr uint64_t kOpsWindow = sizeof(OpSlot) * 8192;
static_assert(kOpsWindow % 4096 == 0);
// The value buffer: logging past kValueBuffer sets this address bit, which is what the inlined check tests.
inline constexpr uint64_t kValueBuffer = uint64_t{1} << 20;
inline constexpr uint64_t kValueSlack = uint64_t{1} << 16;
// Behind buffer and slack, in a page of its own. A process can be killed while it drains the buffer: what
// N.drained has beyond this is still in the buffer.
struct ValueTrailer {
  uint64_t drained;
};
inline constexpr uint64_t kValueFile = kValueBuffer + kValueSlack + 4096;
// What the first thread needs to begin.
inline constexpr uint64_t kFirstLogs = kPathWindow + kOpsWindow + kValueFile;

} // namespace symbiosis::format
