#pragma once
// Per-thread symbolic traces of one recorded run (Symbiosis §3.2): what each thread did, with values that depend
// on shared memory left symbolic. Plain data; symexec/ makes it, constraints/ and dsp/ read it.
//
// Memory is cut into *cells*: the largest byte ranges of at most 8 bytes that no access splits. An access is a
// list of *parts*, one per cell, so that mixed-size and overlapping accesses are right to the byte. A read's value
// is the concatenation of its parts' symbols; a write gives each part the matching piece of its value.
//
// An access whose offset depends on what other threads do has parts for every place at which it can be, each with
// a *guard*: it is there only if that holds. All its parts read, and a part whose guard does not hold writes what
// it has read; so whoever looks at symbols and written values alone gets every value and every outcome right. Only
// who asks where a value came from must ask the guards.
#include "trace/event.h"
#include "trace/expr.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

struct SourceLocation {
  std::string file; // as in the debug information; empty: unknown
  uint32_t line = 0;
  uint32_t column = 0;
  std::string function;
  bool operator==(const SourceLocation&) const = default;
};

struct TraceThread {
  std::string id = "0";       // hierarchical and stable: the j-th child of t is "t.j", j from 1 (Symbiosis §4.2)
  std::string displayName;    // "T1"
  std::string startFunction;  // "main", "consumer"; empty: unknown
  uint32_t createdAt = kNone; // location of the creating call
  EventRef firstEvent = 0;
  uint32_t eventCount = 0;
  // What its path consists of (branches, functions that are entered, outcomes of operations, values that had to be
  // fixed), as a running hash: two runs have taken the same path as far as these are equal. Only if asked for.
  std::vector<uint64_t> marks;
};

inline constexpr uint64_t kNoPoint = std::numeric_limits<uint64_t>::max();

enum class ObjectKind : uint8_t { global, stack, heap, unknown };

// One allocation instance: two lifetimes at one address are two objects.
struct TraceObject {
  ObjectKind kind = ObjectKind::unknown;
  std::string id;   // stable between runs: "global:queue", "heap:0.1#3", "stack:0#7.buffer"
  std::string name; // for people: "queue", "buffer"; may be empty
  uint64_t size = 0;
  // Who freed or destroyed it, and at which of its points (kNoPoint: a library does it); kNone: nobody, or it was
  // not asked for (with the marks of paths).
  ThreadIndex endedBy = kNone;
  uint64_t endedAt = 0;
};

struct Cell {
  uint32_t object = 0;
  uint64_t offset = 0;
  uint8_t size = 1;         // bytes, 1..8
  ExprId initial = kNoExpr; // value before any event: a constant, or a symbol if unknown
  bool isFloat = false;     // a float or a double: how values are shown, and nothing else
  bool isLife = false;      // not memory: whether the object is there, 1, or gone, 0
};

struct Part {
  uint32_t cell = 0;
  uint32_t symbol = kNone;  // read and rmw: the number of the symbol that receives the cell's value
  ExprId written = kNoExpr; // write and rmw: the value that the cell receives
  ExprId guard = kNoExpr;   // of one bit, decided by earlier events of the thread; kNoExpr: surely there
};

struct SymbolInfo {
  uint8_t width = 64;
  EventRef event = kNoEvent; // the read that produces it; kNoEvent: an initial value nobody knows
  std::optional<uint64_t> observed;
};

struct Event {
  EventId id;
  EventKind kind = EventKind::read;
  // May not have happened when the process ended: need not precede the failure (docs/glossary.md, "tail event").
  bool tail = false;
  // Never happened: a release of a lock held at the failure, so that others can be reordered (Symbiosis §4.2).
  bool synthetic = false;
  // Was asked for and never granted: its thread waited here when the run ended. The last event of its thread. A
  // wake stands for the whole return from the wait, with the mutex.
  bool pending = false;
  // Pending, but whether it goes on does not matter: others wait for each other in a circle.
  bool bystander = false;
  bool inLibrary = false;  // an access that code of a library makes, for the line that `location` names
  bool atomic = false;     // an access that C or C++ call so
  bool weak = false;       // … with a weaker order than sequential consistency
  bool timed = false;      // it waits, or waited, no longer than a limit
  bool idle = false;       // in a loop that does nothing but look and wait; only with the marks of paths
  uint32_t object = kNone; // accesses: where; otherwise what is locked, waited for, signalled …
  uint32_t mutex = kNone;  // wait-begin: the mutex that it releases; pending wake: that it takes
  uint32_t firstPart = 0, partCount = 0;
  ThreadIndex peer = kNone; // fork, join
  uint32_t outcome = 0;     // see event_kind.h; trylock: 0 acquired
  uint32_t mark = 0;        // of its outcome, in TraceThread::marks
  uint32_t location = kNone;
  std::string variable;        // "queue->filled", "accounts[2]", "m"; empty: unknown
  uint64_t timestamp = 0;      // hint, 0: none
  std::vector<uint32_t> stack; // locations of the calls that are active, outermost first; without `location`
};

enum class ConditionKind : uint8_t { branch, address };

// Must be true in every schedule that follows the recorded path. Decided when `after`, an event of its thread,
// has happened; all its symbols belong to `after` or to earlier reads of that thread.
struct Condition {
  ExprId expr = kNoExpr; // of one bit
  EventRef after = kNoEvent;
  ConditionKind kind = ConditionKind::branch;
  uint32_t location = kNone;
  uint32_t mark = 0;   // in TraceThread::marks
  bool twoWay = false; // if it does not hold, there is only one other way to go
  // It is decided in a loop that does nothing but look and wait, and the thread stays there: as it went, and if
  // the condition did not hold. Only with the marks of paths.
  bool idles = false, wouldIdle = false;
};

// `none`: the run passed; then there is no failing event and no bug condition, and no schedule fails.
enum class FailureKind : uint8_t {
  none,
  assertion,
  crash,
  exception,
  exit,
  deadlock,
  hang,
  useAfterFree,
  doubleFree,
  invalidFree,
  useAfterDestroy
};
bool isHeapMisuse(FailureKind kind);
const char* toText(FailureKind kind);

struct Failure {
  FailureKind kind = FailureKind::assertion;
  std::string message;       // for an assertion: its text; none: how the run ended
  EventRef event = kNoEvent; // deadlock, hang: one of the pending events, the one that a report shows
  uint32_t location = kNone;
  std::vector<ExprId> bug; // the bug condition: the failure happens if all of these hold; empty: unconditional
  // Of a use after free or a double free: where the block was allocated, and who freed it.
  uint32_t allocated = kNone;
  EventRef freed = kNoEvent;
};

struct SymbolicTrace {
  ExprPool exprs;
  std::vector<TraceThread> threads;
  std::vector<TraceObject> objects;
  std::vector<Cell> cells;
  std::vector<Part> parts;
  std::vector<SymbolInfo> symbols;
  std::vector<Event> events; // thread by thread, in program order
  std::vector<Condition> conditions;
  std::vector<SourceLocation> locations;
  Failure failure;
  std::vector<std::string> unmodelled; // external functions that may have written shared memory
  bool guessedAddresses = false;       // by walking the threads in an order that may not have been theirs
  size_t weaklyOrdered =
      0; // atomic accesses with a weaker order than sequential consistency, taken as if they had it

  std::vector<EventRef> pendingEvents() const;
  const Event& event(EventRef ref) const { return events[ref]; }
  ThreadIndex threadOf(EventRef ref) const { return events[ref].id.thread; }
  std::span<const Part> partsOf(EventRef ref) const {
    return {parts.data() + events[ref].firstPart, events[ref].partCount};
  }
  std::string describe(EventRef ref) const; // "T1 write queue->filled (queue.c:20)"
};

// Writes "T1", "T2" … and firstEvent/eventCount of each thread from `events`; the last step of building a trace.
void finishThreads(SymbolicTrace& trace);

// Value of an access, parts put together. `values[s]` is the value of symbol s. Undefined for parts over 8 bytes
// in all (returns the lowest 8).
struct AccessValue {
  uint64_t bits = 0;
  unsigned width = 0;
  bool isFloat = false, isLife = false;
};

// Signed decimal, or the float that the bits mean.
std::string valueText(uint64_t bits, unsigned width, bool isFloat);

// The value is a float: it is computed as one, or read from a cell that holds one.
bool meansFloat(const SymbolicTrace& trace, ExprId expr);
// Marks the cells that hold floats, as far as what is done with their values says so.
void findFloats(SymbolicTrace& trace);

// The trace as text, one event per line (symbiosis dump).
std::string toText(const SymbolicTrace& trace);
// For people: a large expression is cut short with "…".
std::string toText(const SymbolicTrace& trace, ExprId expr);

// The name of a variable, or of what it leads to, that belongs to a library: `*__ptr`, `__w[9]._M_wait`.
bool isReservedName(std::string_view name);

} // namespace symbiosis
