#pragma once
// Runs a compiled trace event by event, forwards and, if it was asked to keep a journal, backwards: the one place
// where the sync model meets memory and values. The evaluator goes forwards only; the searches do both.
#include "trace/compiled_trace.h"
#include "trace/condition_queue.h"
#include "trace/sync_model.h"

namespace symbiosis {

class Execution {
public:
  enum class Journal { none, kept };
  enum class Step : uint8_t {
    done,
    impossible, // not now; nothing has changed
    offPath,    // has happened, but a path condition does not hold
  };

  Execution(const CompiledTrace& code, Journal journal);

  void reset();
  Step step(EventRef event);
  // Takes back the latest event. Needs the journal.
  void undo(EventRef event);
  // In its thread's order, its thread alive, its operation enabled.
  bool isPossible(EventRef event) const { return whyImpossible(event) == nullptr; }
  const char* whyImpossible(EventRef event) const;

  uint32_t position(ThreadIndex thread) const { return next_[thread]; } // events of the thread that have happened
  EventRef nextOf(ThreadIndex thread) const { return firstEvent_[thread] + next_[thread]; }
  bool isFinished(ThreadIndex thread) const { return next_[thread] == eventCount_[thread]; }
  bool failureSeen() const { return failureSeen_; }
  uint64_t memory(uint32_t cell) const { return memory_[cell]; }
  uint64_t value(Slot slot);
  uint64_t symbolValue(uint32_t symbol) const { return values_[code_.slotOfSymbol(symbol)]; }
  bool bugHolds();
  // Every thread that waited at the end stands before its pending event, and none of these is possible.
  bool allStayWaiting() const;
  // The first condition after `event` that does not hold; kNone: all do.
  uint32_t brokenCondition(EventRef event);
  EventRef lastWrite(uint32_t cell) const { return lastWrite_[cell]; }
  const std::vector<EventRef>& readFrom() const { return readFrom_; }
  // By wake: the signal or broadcast that it took; kNoEvent: none.
  const std::vector<EventRef>& wokenBy() const { return wokenBy_; }
  // Visits numbers that tell apart the states of the synchronisation which differ though every thread stands where
  // it stands.
  template <typename Visit> void forEachOpenChoice(Visit visit) const {
    for (uint32_t i = 0; i < queues_.size(); ++i)
      if (!queues_[i].isEmpty()) visit(i), queues_[i].forEach(visit);
    for (uint32_t round : roundOf_) visit(round);
  }
  bool hasOpenChoices() const { return !queues_.empty() || usesRounds_; }

private:
  void access(EventRef ref, const CompiledEvent& event);
  void compute(const CompiledOperation& operation);
  const char* whySyncImpossible(EventRef ref, const CompiledEvent& event) const;
  const char* whyConditionImpossible(const CompiledEvent& event) const;
  const char* whyStillWaiting(const CompiledEvent& event) const;
  void doSync(EventRef ref, const CompiledEvent& event);
  void doCondition(EventRef ref, const CompiledEvent& event);
  void undoSync(const CompiledEvent& event, EventRef ref);
  void undoCondition(const CompiledEvent& event);
  sync::Act actOf(EventRef ref, const CompiledEvent& event) const;
  bool isFree(uint32_t mutex) const { return sync::can(objects_[mutex].mutex, {EventKind::lock}); }
  // Whom fork and join are about; otherwise its own.
  uint32_t threadOf(const CompiledEvent& event) const {
    return sync::ruleOf(event.kind).argument == sync::Argument::peer ? event.argument : event.thread;
  }
  ConditionQueue& queue(uint32_t object) { return queues_[queueOf_[object]]; }
  const ConditionQueue& queue(uint32_t object) const { return queues_[queueOf_[object]]; }

  const CompiledTrace& code_;
  const bool journaling_;
  const EventRef failure_; // of the trace's ending
  bool usesRounds_ = false;
  std::vector<EventRef> firstEvent_;
  std::vector<uint32_t> eventCount_;
  std::vector<sync::ObjectState> initialObjects_;
  std::vector<uint32_t> queueOf_; // by object
  bool failureSeen_ = false;
  std::vector<uint64_t> values_; // by slot
  std::vector<uint32_t> next_;   // by thread
  std::vector<uint64_t> memory_; // by cell
  std::vector<EventRef> lastWrite_, readFrom_, wokenBy_;
  std::vector<sync::ThreadState> threads_;
  std::vector<uint32_t> roundOf_; // by thread: complete at its latest arrival
  std::vector<sync::ObjectState> objects_;
  std::vector<ConditionQueue> queues_;
  // Journal
  std::vector<uint64_t> overwritten_; // memory
  std::vector<ConditionQueue> earlierQueues_;
  std::vector<uint32_t> earlierRounds_;
};

inline void Execution::access(EventRef ref, const CompiledEvent& event) {
  const CompiledPart* const parts = code_.parts.data() + event.firstPart;
  for (uint32_t i = 0; i < event.partCount; ++i) {
    if (parts[i].read == kNone) continue;
    values_[parts[i].read] = memory_[parts[i].cell];
    const bool flows = parts[i].guard == kNone || (event.kind != EventKind::write && value(parts[i].guard) != 0);
    readFrom_[event.firstPart + i] = flows ? lastWrite_[parts[i].cell] : kNoEvent;
  }
  if (event.hasWork)
    for (uint32_t i = code_.firstOperation[ref]; i < code_.firstOperation[ref + 1]; ++i)
      compute(code_.operations[i]);
  if (event.kind != EventKind::write && event.kind != EventKind::rmw) return;
  for (uint32_t i = 0; i < event.partCount; ++i) {
    if (parts[i].written == kNone) continue;
    uint64_t& memory = memory_[parts[i].cell];
    if (journaling_) overwritten_.push_back(memory);
    memory = code_.isLate(parts[i].written) ? value(parts[i].written) : values_[parts[i].written];
    if (parts[i].guard == kNone || value(parts[i].guard) != 0) lastWrite_[parts[i].cell] = ref;
  }
}

inline Execution::Step Execution::step(EventRef ref) {
  const CompiledEvent& event = code_.events[ref];
  const bool isPlain = isAccess(event.kind) && ref == nextOf(event.thread) && threads_[event.thread].started &&
                       !threads_[event.thread].exited;
  if (!isPlain && whyImpossible(ref)) return Step::impossible;
  ++next_[event.thread];
  if (event.partCount) access(ref, event);
  if (!isAccess(event.kind)) doSync(ref, event);
  const bool mustHold = event.hasWork && !(event.tail && failureSeen_);
  if (ref == failure_) failureSeen_ = true;
  return mustHold && brokenCondition(ref) != kNone ? Step::offPath : Step::done;
}

} // namespace symbiosis
