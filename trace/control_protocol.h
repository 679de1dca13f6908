#pragma once
// What a launcher and a controlled process say to each other: the file `control` in the session directory, which
// tells the process what to do, and what it writes beside its logs, the status that a supervisor reads while it
// runs and the schedule that it granted. Freestanding, and of the same version as trace/format.h.
//   control        ControlStatus, kept current
//   places         NoticedPlaces, if it was to learn them
//   schedule       ControlEntries in the order in which they were granted; ends at the first whose kind is 0
#include "trace/format.h"
#include "trace/strategies.h"

namespace symbiosis::format {

// What a controlled process is to do: the file `control` in the session directory. ControlConfig, then the threads
// that the schedule names (ControlThread), then its entries (ControlEntry), then what strategies are told of the
// program: of each of these threads what is expected of it (ThreadExpectation, all or none), contended places and
// selected ones (ascending), and steps (SequenceStep).

enum class ControlLog : uint32_t {
  nothing = 0,
  switches = 1,   // sync operations, and where each thread stood when another went on: enough to repeat the run
  everything = 2, // every point, as far as kMostLoggedPoints; from there on like switches
};
inline constexpr uint64_t kMostLoggedPoints = uint64_t{1} << 18;

// At which points strategies are asked who goes on, where no schedule says. What is passed without asking counts
// as nothing that a strategy could choose.
enum class Noticing : uint32_t {
  everything = 0,
  learning = 1, // … for the first kAllNoticed points; then where threads were seen to race, in this run too
  told = 2,     // at the contended places that are named, at sync operations and where a block ends
};
inline constexpr uint64_t kAllNoticed = 20'000;

// The points at which threads were seen to race, as they were found.
inline constexpr uint32_t kMostNoticedPlaces = 16'383;
struct NoticedPlaces {
  uint32_t count;
  uint32_t places[kMostNoticedPlaces];
};
static_assert(sizeof(NoticedPlaces) == 65536);

struct ControlConfig {
  char magic[8]; // kControlMagic
  uint32_t version;
  Strategy strategy;
  uint64_t seed;
  uint64_t stepLimit; // points of all threads at which strategies are asked; kUnaskedFactor times as many in all;
                      // 0: none
  uint32_t threads;   // of the schedule
  ControlLog log;
  uint64_t entries;
  uint32_t meanRun;        // random walk: points that a thread passes, on average, before another may go on
  uint32_t strict;         // 1: nothing may be scheduled after the last entry
  uint64_t expectedPoints; // pct: of all threads in a run
  uint32_t depth;          // pct: how many orderings the bug needs; depth - 1 changes of priority
  uint32_t held;           // hold: one more than the thread's number in the table below
  uint32_t heldMegabytes;  // of freed blocks that are held back at most, the oldest go first; 0: none are
  uint32_t expectations;   // as many as threads, or none
  uint32_t contended;      // places
  uint32_t selected;       // places
  uint32_t steps;
  Noticing noticing;
};
static_assert(sizeof(ControlConfig) == 96);
inline constexpr char kControlMagic[8] = {'S', 'Y', 'M', 'C', 'T', 'R', 'L', '\n'};

struct ControlThread {
  uint32_t parent;  // its number in the same table; its own: the main thread
  uint32_t ordinal; // j-th child of its parent, from 1
};
static_assert(sizeof(ControlThread) == 8);
inline constexpr uint32_t kMostControlledThreads = 4096;

// What is done where, the same in every run: the point in the snapshot or, of an operation that has none, its
// kind, the address that it works on and the point that its thread has passed last.
constexpr uint64_t placeOf(uint8_t kind, uint64_t object, uint32_t site, uint32_t lastSite) {
  if (site) return site;
  const uint64_t mixed = (object << 8 | kind) * 0x9E3779B97F4A7C15ull + lastSite;
  return uint64_t{1} << 63 | (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9ull;
}

// What a thread will do, as far as earlier runs tell.
struct ThreadExpectation {
  uint64_t contended; // operations at contended places
  uint64_t selected;  // … of these, at selected ones
};
static_assert(sizeof(ThreadExpectation) == 16);

// One step of a sequence in which operations are wanted.
struct SequenceStep {
  uint64_t place;
  uint32_t role; // steps of one role are one thread's, those of two roles two threads'; below kMostRoles
  uint32_t reserved;
};
static_assert(sizeof(SequenceStep) == 16);
inline constexpr uint32_t kMostRoles = 8, kMostSteps = 32;

enum class EntryType : uint8_t {
  event = 0,    // the thread passes its point `index`, which must be of this kind; it runs freely until then
  position = 1, // the thread runs until it stands before its point `index`, having made `silent` silent operations
  release = 2, // the thread runs until it has released the mutex that it acquired at `index` (a synthetic release)
  pass = 3,    // the thread runs past `index`, where the recorded run failed
  crash = 4,   // the thread runs on and is ended by a signal before it comes to its point `index`
  proceed = 5, // the thread is granted its operation `index`, at which it waited for ever in the recorded run
  check = 6,   // an event of the check that failed: a thread that does something else instead has passed it
  hold = 7,    // the thread waited for ever at its operation `index`: the time that it would wait does not run out
  turn = 8,    // the thread runs until it stands where a position would have it, ends or must wait: whatever comes
               // first, and whether it was created or not, then the next entry is due; no divergence
  reached = 9, // of an ordering, with the entry behind it: the thread has come to its point `index`, or has ended
  awaits = 10, // … before the thread is granted its point `index`. Orderings are all that their list has
};

// Operations that are scheduled but of which the recorder makes no record have no index of their own; they are
// told apart by this bit of their kind. A pause (sleep or yield) is nothing but the bit.
inline constexpr uint8_t kFence = 127; // counted, but no event
inline constexpr uint8_t kSilentBit = 128;
inline constexpr uint8_t kPause = kSilentBit;
constexpr const char* kindName(uint8_t kind) {
  if (kind == kPause) return "pause";
  if (kind == kFence) return "fence";
  return toText(EventKind(kind & ~kSilentBit));
}

struct ControlEntry {
  uint32_t thread; // schedule: number in the table of threads; log: serial
  uint8_t kind;    // EventKind, perhaps with kSilentBit; 0: of a position, nothing to check
  EntryType type;
  uint16_t choice; // signal: one more than the waiter that it wakes, counted from the oldest; 0: not said
                   // wake: 0, or how it ends without a signal: kTimesOut, kWakesAlone
                   // position, in a log: 1 if the thread could not have gone on
  uint64_t index;
  uint64_t object; // address of what it works on, or serial of the peer; 0 in a schedule: not to be checked
  uint32_t site;   // number of the point in the snapshot; 0 in a schedule: not to be checked
  uint32_t silent; // silent operations that the thread had made before
};
static_assert(sizeof(ControlEntry) == 32);
// Choices of a wake that no signal ends.
inline constexpr uint16_t kTimesOut = 1;   // of a wait with a time limit
inline constexpr uint16_t kWakesAlone = 2; // by itself, as POSIX allows
// How many points its thread had passed when what the entry says was done. A silent operation carries the index of
// the point that comes next.
constexpr uint64_t pointsAfter(const ControlEntry& entry) {
  return entry.index + (entry.type == EntryType::event && !(entry.kind & kSilentBit) ? 1 : 0);
}
inline constexpr uint64_t kUnaskedFactor = 32;
// In the kind of an announcement: reads, writes or both, depending on what proves to be shared.
inline constexpr uint32_t kAnyAccess = 0x100;
// … touches as many bytes as its length says, perhaps none: what is touched is told apart.
inline constexpr uint32_t kRangeAccess = 0x200;
// … is atomic, with an order that other accesses follow.
inline constexpr uint32_t kOrderedAccess = 0x400;

enum class ControlOutcome : uint32_t {
  running = 0,   // or crashed, or killed
  finished = 1,  // came to its end
  diverged = 2,  // did not do what the schedule says; see `text`
  deadlock = 3,  // nobody can go on; see `text`
  stepLimit = 4, // went on for too long
  gaveUp = 5,    // the runtime met something that it cannot control; see `text`
};
// The runtime ends a process that it cannot let go on with this status.
inline constexpr int kControlExit = 86;

inline constexpr uint32_t kMostReportedWaits = 256;

// Of freed blocks so many are held back at most; a power of two.
inline constexpr uint32_t kMostHeldBlocks = 1u << 16;
inline constexpr uint32_t kHeldMegabytes = 64; // unless somebody says otherwise

enum class Holding : uint32_t {
  off = 0,          // nobody wanted it
  on = 1,           // all freed blocks, until they are too many
  ownAllocator = 2, // wanted, but the program brings its own
  noMemory = 3,     // wanted, but there are not enough addresses (a limit on virtual memory?)
};

struct ControlStatus {
  char magic[8]; // kStatusMagic
  uint32_t version;
  ControlOutcome outcome;
  uint64_t steps;                           // grants; rises as long as the process makes progress
  uint64_t points;                          // passed by all threads, as far as the scheduler has been asked
  uint64_t switches;                        // grants that went to another thread than the one before
  uint64_t consumed;                        // entries of the schedule
  uint64_t logged;                          // entries in `schedule`
  uint64_t holderIndex;                     // the point that the running thread was last granted …
  uint32_t holder;                          // … its serial; ~0: everybody waits for a call outside our control
  uint32_t holderTask;                      // … and its id in the kernel
  uint32_t threads;                         // created so far
  uint32_t passedFailure;                   // 1: an entry `pass` was passed
  uint32_t continuedElsewhere;              // 1: a synthetic release did not happen, the schedule was left there
  uint32_t waits;                           // deadlock: entries of `waiting`
  Holding holding;                          // of freed blocks
  uint32_t givenBack;                       // blocks that were held back and are no longer: they were too many
  char text[2048];                          // why it ended so, for people
  ControlEntry waiting[kMostReportedWaits]; // who waits at what
  ControlThread table[kMostControlledThreads]; // by serial
};
static_assert(sizeof(ControlStatus) == 96 + 2048 + 32 * kMostReportedWaits + 8 * kMostControlledThreads);
inline constexpr char kStatusMagic[8] = {'S', 'Y', 'M', 'S', 'T', 'A', 'T', '\n'};
inline constexpr uint64_t kScheduleWindow = sizeof(ControlEntry) * 4096;

} // namespace symbiosis::format
