#pragma once
// How far the walk of a thread has come in the thread's logs: its path, its operations, its values, and the points
// that it has passed.
#include "symexec/path_cursor.h"
#include "symexec/plan.h"

namespace symbiosis {

class LogReader {
public:
  explicit LogReader(const ThreadLog& log) : path(log.path), log_(log) {}

  uint32_t serial() const { return log_.serial; }
  const std::string& id() const { return log_.id; } // of the thread

  PathCursor path;
  uint64_t points = 0;        // passed so far: the index of the next one
  uint64_t lastTimestamp = 0; // of the operations that have been taken

  // --- operations ---
  size_t operations() const { return next_; } // that have been taken
  bool hasOperation() const { return next_ < log_.ops.size(); }
  // The next operation, if it was made where the path stands now; null: it was not.
  const format::OpRecord* operationHere() const {
    if (!hasOperation()) return nullptr;
    const format::OpRecord& record = log_.ops[next_];
    return record.wordOffset == path.wordOffset() && record.word == path.word() ? &record : nullptr;
  }
  const format::OpRecord& takeOperation() { return log_.ops[next_++]; }
  const format::OpRecord* previousOperation() const { return next_ == 0 ? nullptr : &log_.ops[next_ - 1]; }
  // The time stamp before which all that has been walked must have happened.
  uint64_t latestNow() const;

  // --- values ---
  // Throws NotRecorded if they were dropped.
  const uint8_t* takeValues(uint64_t size);
  void takeScalars(TypeLayouts& layouts, llvm::Type* type, Scalar* out);

  // --- the end ---
  // Nobody knows whether the thread got past the point that is next: no branch, operation or value (that is not
  // zero) is left in the logs, and nothing says that the thread stood behind it.
  bool exhausted() const {
    return path.atEnd() && !hasOperation() && nextValue_ >= log_.values.size() && !reached(points + 1);
  }
  // `call` left instrumented code, and nothing says that it came back.
  bool mayNotHaveReturned(const Step& call) const;
  // The run ended while the thread waited in this call, under control.
  bool waitsIn(const Step& call) const;
  uint64_t lastTime() const { return log_.pending ? log_.pending->timestamp : 0; }

private:
  // The recording says that the thread stood before this point in the end.
  bool reached(uint64_t index) const { return log_.pending && index <= log_.pending->argument; }

  const ThreadLog& log_;
  size_t next_ = 0; // operation
  size_t nextValue_ = 0;
  std::string pastEnd_; // zeros, for values that the log leaves out
};

} // namespace symbiosis
