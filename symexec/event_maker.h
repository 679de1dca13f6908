#pragma once
// What the walk of one thread has produced so far: events, conditions, and what the model does not cover. It knows
// when each of them was (points, timestamps, the tail) and where (the call stack).
#include "symexec/call_stack.h"
#include <unordered_set>

namespace symbiosis {

// Where the walk was when it came to a call.
struct CallMark {
  const Step* step = nullptr; // null: none
  uint64_t frame = 0;         // instance
  size_t events = 0, conditions = 0, unmodelled = 0;
  uint64_t points = 0;
  const llvm::DILocation* statement = nullptr; // of a report
};

class EventMaker {
public:
  EventMaker(WalkContext& context, LogReader& logs, const CallStack& stack)
      : context_(context), logs_(logs), stack_(stack) {}

  // At the point that is next. The reference is good until the next event.
  RawEvent& add(EventKind kind, const llvm::Instruction* at);
  // Throws NotRecorded if the condition depends on what was not recorded.
  void addCondition(ExprId expr, bool isBranch, const llvm::Instruction* at,
                    const llvm::BasicBlock* otherSide = nullptr);
  // A part of the path that the path log does not have (TraceThread::marks).
  void notePath(uint64_t what) { logs_.path.note(what); }
  // A function that the model does not cover: the report names it.
  void noteUnmodelled(const std::string& what);

  CallMark markHere(const Step& step) const;
  // What the thread did inside the call that failed, after it threw or while it exited, is part of the failure: a
  // run that passes does none of it.
  void forgetSince(const CallMark& mark, RawEvent& failure);

  ThreadEvents result;

private:
  WalkContext& context_;
  LogReader& logs_;
  const CallStack& stack_;
  std::unordered_set<ExprId> fixed_; // conditions that are no branches, each once
};

} // namespace symbiosis
