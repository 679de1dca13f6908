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
  // The point that is next uses a block that another thread frees later. Of several such uses without an event
  // between them the last one counts; it becomes an event when the next one is added.
  void addUse(EventKind kind, const llvm::Instruction* at, const Life& life, uint64_t address,
              llvm::function_ref<std::string()> name);
  void addUse(RawEvent& event, const Life& life); // which is an event anyway
  void settleUses();
  UsesBeforeFree::Standing standing() const;
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
  struct Use {
    const Life* life = nullptr;
    uint64_t frame = 0, address = 0;
    RawEvent event;
  };
  std::vector<Use> uses_;              // since the last event, by index
  void setTime(RawEvent& event) const; // now, at the point that is next
  RawEvent made(EventKind kind, const llvm::Instruction* at) const;
  RawPart findsAlive(const Life& life);
  std::unordered_set<ExprId> fixed_; // conditions that are no branches, each once
};

} // namespace symbiosis
