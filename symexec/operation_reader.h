#pragma once
// Reads the records of a thread's operations (locks, forks, waits, allocations, inputs …) as the walk comes to
// them, and makes events of those that the model has.
#include "symexec/failure_finder.h"
#include "symexec/value_source.h"
#include <optional>

namespace symbiosis {

class OperationReader {
public:
  OperationReader(WalkContext& context, LogReader& logs, CallStack& stack, EventMaker& events,
                  ThreadMemory& memory, ValueSource& values, FailureFinder& failure)
      : context_(context), logs_(logs), stack_(stack), events_(events), memory_(memory), values_(values),
        failure_(failure) {}

  // The next operation, if it was made by the call at this site, which the walk has come to; null: none.
  const format::OpRecord* at(uint32_t site) const;
  // Takes the next operation of the log. `step`: the call that made it; null: code outside. False: the walk of the
  // thread ends with it.
  bool take(const Step* step);
  // The thread never came out of this call, in which it waits for a descriptor: a pending event.
  void waitsOutside(const Step& step);
  // The operation was begun and never ended, but the thread went on: with its cleanup.
  bool wasCancelledIn(const format::OpRecord& record) const;

  // It ends the life of a block whose uses matter: an event.
  bool endsLife(const format::OpRecord& record) const;

  std::vector<uint64_t> heldMutexes() const; // innermost last

private:
  bool makeEvent(const format::OpRecord& record, const Step* step);
  void fill(RawEvent& event, const format::OpRecord& record, const Step* step) const;
  void endsIn(const format::OpRecord& record, const Step* step);
  void requestTaken(const format::OpRecord& record, const Step* step);
  void outsideWrote(const format::OpRecord& record, const Step* step);
  format::ChannelUse channelUse();
  void sent(const format::OpRecord& record, const Step* step);
  bool countsShared(const format::ChannelUse& use);
  void tookFromChannel(const format::ChannelUse& use, const Step* step);
  ExprId countIn(RawEvent& event, uint64_t count, std::optional<uint64_t> observed);
  void fix(ExprOp relation, ExprId found, uint64_t value, const Step* step);
  std::string nameOfChannel(const Step* step) const;
  void noteLife(const format::OpRecord& record);
  void lifeBegins(const format::OpRecord& record, const Step* step);
  void findsInWord(const format::OpRecord& record, const Step* step);
  void lifeEnds(const format::OpRecord& record, const Step* step);
  void blockBegins(const format::OpRecord& allocated, const Step* step);
  void carryOver(Range from, uint64_t to, const Step* step);
  bool lastPointIsEvent() const;
  RawEvent& lifeEvent(EventKind kind, const format::OpRecord& record, const Step* step);
  bool changesHolder(uint64_t mutex, EventKind kind);
  bool changesHolder(const format::OpRecord& record);
  std::string nameOfObject(uint64_t object, const Step* step) const;
  std::string nameOfBlock(uint64_t block, const Step* step) const;

  WalkContext& context_;
  LogReader& logs_;
  CallStack& stack_;
  EventMaker& events_;
  ThreadMemory& memory_;
  ValueSource& values_;
  FailureFinder& failure_;
  std::vector<std::pair<uint64_t, unsigned>> held_; // mutexes and how often
  std::optional<Range> moved_; // the block that realloc has just given up, and the new one is not there yet
};

} // namespace symbiosis
