#pragma once
// The room `symexec`: from a recording and the bitcode snapshot inside its program to a SymbolicTrace, by walking
// each thread's recorded path (Symbiosis §3.2). It promises to follow the path exactly or to say at which
// instruction it could not, and never to drop a dependence silently: what it cannot keep symbolic becomes a
// condition.
#include "support/result.h"
#include "trace/recording.h"
#include "trace/symbolic_trace.h"
#include <string>
#include <vector>

namespace symbiosis {

struct SymexecOptions {
  // Every access that may be shared becomes an event, whoever touched the memory: the hardest input for
  // expressions and conditions, for tests and benchmarks.
  bool everythingShared = false;
  // Of a recording with more than this, the rest is not used.
  format::Level atMost = format::Level::full;
  bool keepMarks = false; // TraceThread::marks
};

struct SymexecStats {
  uint64_t instructions = 0; // executed, of all walks
  // Reads of memory that was private to a thread and not as the thread had left it: uninstrumented code wrote it.
  uint64_t changedFromOutside = 0;
  std::string firstChange; // where the first such read is
};

// How a recording becomes a symbolic trace; our own guided executor is one engine, others may follow.
class SymbolicEngine {
public:
  virtual ~SymbolicEngine() = default;
  virtual Result<SymbolicTrace> execute(const Recording& recording, const SymexecOptions& options,
                                        SymexecStats& stats) = 0;
};

Result<SymbolicTrace> executeSymbolically(const Recording& recording, const SymexecOptions& options = {},
                                          SymexecStats* stats = nullptr);

// Whether the thread stood in an operation that waits for others when the process ended.
bool endsWaiting(const ThreadLog& thread);

// True if the file is a program that was built with `symbiosis cc`.
bool isInstrumentedProgram(const std::filesystem::path& program);
// Source files that the program's debug information names, as it spells them; system headers left out.
Result<std::vector<std::string>> sourceFilesOf(const std::filesystem::path& program);

} // namespace symbiosis
