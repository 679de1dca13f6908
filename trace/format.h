#pragma once
// The bytes of a recording, shared by the runtime inside the user's program (which writes them) and the host
// (which reads them). Freestanding: C headers only. docs/trace-format.md is the prose; any change of a struct or
// of a meaning is a new kFormatVersion.
//
// A recorded process writes into one directory:
//   process        ProcessHeader, then the address table (functions, then globals, in snapshot order)
//   failure        FailureRecord, if the program said why it failed (assert)
//   N.thread       ThreadHeader of the thread with serial number N
//   N.path         64-bit words, see PathWord; ends at the first zero word
//   N.ops          OpRecords; ends at the first record whose kind is 0
//   N.values       the last values, raw; N.drained holds what was drained before them
#include <stdint.h>

namespace symbiosis::format {

inline constexpr uint32_t kFormatVersion = 1;

// Name of the environment variable that holds the session directory; without it the runtime is inert.
inline constexpr char kSessionVariable[] = "SYMBIOSIS_SESSION";
// Section of an executable that holds the snapshot: SnapshotHeader, then bitcode.
inline constexpr char kSnapshotSection[] = ".symbiosis.snapshot";

struct SnapshotHeader {
  char magic[8]; // kSnapshotMagic
  uint32_t version;
  uint32_t reserved;
  uint64_t size; // of the bitcode that follows
};
static_assert(sizeof(SnapshotHeader) == 24);
inline constexpr char kSnapshotMagic[8] = {'S', 'Y', 'M', 'S', 'N', 'A', 'P', '\n'};

// Which bodies of the functions run; chosen once, at process start.
enum class Mode : uint32_t {
  off = 0,  // the program as it was written
  full = 3, // branch bits and the values of all possibly-shared loads
};

struct SessionConfig {
  char magic[8]; // kConfigMagic
  uint32_t version;
  Mode mode;
  char logDirectory[4072]; // each process makes a subdirectory named after its pid
};
static_assert(sizeof(SessionConfig) == 4088);
inline constexpr char kConfigMagic[8] = {'S', 'Y', 'M', 'C', 'O', 'N', 'F', '\n'};

struct ProcessHeader {
  char magic[8]; // kProcessMagic
  uint32_t version;
  Mode mode;
  uint64_t functions, globals; // entries of the address table that follows
  uint32_t threads;            // serial numbers given out
  uint32_t recordingFailed;    // 1: the runtime could not write a log (disk full, no descriptors); see `problem`
  char problem[256];
};
static_assert(sizeof(ProcessHeader) == 296);
inline constexpr char kProcessMagic[8] = {'S', 'Y', 'M', 'P', 'R', 'O', 'C', '\n'};

struct ThreadHeader {
  char magic[8]; // kThreadMagic
  uint32_t version;
  uint32_t serial;       // in order of registration in this run; not stable between runs
  uint32_t parentSerial; // == serial: the main thread
  uint32_t ordinal;      // j-th child of its parent, from 1
  uint64_t reserved;
};
static_assert(sizeof(ThreadHeader) == 32);
inline constexpr char kThreadMagic[8] = {'S', 'Y', 'M', 'T', 'H', 'R', 'D', '\n'};

// A word of the path log. Below 2^63: branch bits, oldest highest, behind a leading one bit; the word being filled
// is always current in the file, so that a killed process loses nothing. Otherwise a marker.
inline constexpr uint64_t kMarkerBit = uint64_t{1} << 63;
inline constexpr uint64_t kFullWord = uint64_t{1} << 48; // a word at or above this is followed by a new one
inline constexpr unsigned kBitsPerAppend = 14;           // at most so many bits are appended at once
// Markers: kind in bits 61..63, function or block in bits 32..60, call site in bits 0..31.
inline constexpr uint64_t kReturnMarker = uint64_t{5} << 61; // setjmp returned; the target is its call site
inline constexpr uint64_t kEntryMarker = uint64_t{6}
                                         << 61; // a function was entered from outside its caller's body
inline constexpr uint64_t kLandingMarker = uint64_t{7} << 61; // an exception arrived at a landing pad
constexpr uint64_t markerKind(uint64_t word) { return word & (uint64_t{7} << 61); }
constexpr uint32_t markerTarget(uint64_t word) { return uint32_t(word >> 32) & 0x1FFFFFFF; }
constexpr uint32_t markerSite(uint64_t word) { return uint32_t(word); }

enum class OpState : uint8_t {
  intent = 1, // announced; may or may not have taken effect when the process ended
  done = 2,
};

// One interposed call, in the order in which its thread made them.
struct OpRecord {
  uint8_t kind; // EventKind, 0: no record
  OpState state;
  uint16_t reserved;
  uint32_t site;       // call site in instrumented code that was last left, 0: none
  uint64_t wordOffset; // position in the path log: byte offset of the current word …
  uint64_t word;       // … and its contents
  uint64_t object;     // address of the mutex, of the allocation, …
  uint64_t argument;   // fork, join: serial of the peer; alloc: size
  int64_t result;      // what the call returned
  uint64_t timestamp;  // time-stamp counter; for releases before, for acquisitions after the operation
  uint64_t sequence;   // lock, trylock: how often this mutex had been acquired before; 0 otherwise
};
static_assert(sizeof(OpRecord) == 64);

struct FailureRecord {
  char magic[8]; // kFailureMagic
  uint32_t version;
  uint32_t serial; // of the failing thread
  uint32_t line;
  char expression[1024]; // truncated if longer
  char file[1024];
  char function[512];
  uint32_t reserved;
};
static_assert(sizeof(FailureRecord) == 2584);
inline constexpr char kFailureMagic[8] = {'S', 'Y', 'M', 'F', 'A', 'I', 'L', '\n'};

// Logs are written through windows of this many bytes, mapped one after the other; each has room behind it for
// what is written before the next check.
inline constexpr uint64_t kPathWindow = uint64_t{1} << 20;
inline constexpr uint64_t kPathSlack = 4096;
inline constexpr uint64_t kOpsWindow = sizeof(OpRecord) * 4096;
static_assert(kOpsWindow % 4096 == 0);
// The value buffer: logging past kValueBuffer sets this address bit, which is what the inlined check tests.
inline constexpr uint64_t kValueBuffer = uint64_t{1} << 20;
inline constexpr uint64_t kValueSlack = uint64_t{1} << 16;

} // namespace symbiosis::format
