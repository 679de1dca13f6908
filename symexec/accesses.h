#pragma once
// Instructions that access memory, and what becomes of them: loads (loads.cpp), stores, atomics and copies
// (stores.cpp). Where memory is shared an access is an event, and what it reads a symbol (value_source.h).
#include "symexec/targets.h"
#include "symexec/value_source.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace symbiosis {

class Accesses {
public:
  Accesses(WalkContext& context, LogReader& logs, CallStack& stack, ScalarMath& math, EventMaker& events,
           ThreadMemory& memory, ValueSource& values)
      : context_(context), logs_(logs), stack_(stack), math_(math), events_(events), memory_(memory),
        values_(values), targets_(context, logs, math, events, memory) {}

  // Each: false if the logs end before the access, so that nobody knows whether it happened.
  bool load(const Step& step, const llvm::LoadInst& load);
  bool store(const Step& step, const llvm::StoreInst& store);
  bool readModifyWrite(const Step& step, const llvm::AtomicRMWInst& operation);
  bool compareExchange(const Step& step, const llvm::AtomicCmpXchgInst& operation);
  bool copyMemory(const Step& step, const llvm::MemTransferInst& copy);
  bool fillMemory(const Step& step, const llvm::MemSetInst& fill);

  // The event of a point, if its range is shared; null otherwise. Counts the point. `other`: where it touches
  // memory, too; 0: nowhere.
  RawEvent* begin(const Step& step, EventKind kind, uint64_t address, uint64_t size, bool shared,
                  uint64_t other = 0);

private:
  RawEvent* begin(const Step& step, EventKind kind, const Targets& targets, uint64_t size) {
    return begin(step, kind, targets.address, size, targets_.touchShared(targets, size));
  }
  void useBlock(const Step& step, EventKind kind, uint64_t address, RawEvent* event);
  std::string nameOfAccessed(const llvm::Instruction& at, uint64_t size) const;
  // The value that the access reads. `event`: null if nothing of it is shared.
  void readTargets(RawEvent* event, const Step& step, const Targets& targets, llvm::Type* type, Scalar* out);
  void loadScalars(llvm::Type* type, uint64_t address, Scalar* out);
  void writeTargets(RawEvent* event, const Targets& targets, llvm::Type* type, const Scalar* values);
  Scalar updated(const llvm::AtomicRMWInst& operation, const Scalar& old, const Scalar& argument, unsigned width);
  RawEvent* beginCopy(const Step& step, const llvm::MemTransferInst& copy, uint64_t to, uint64_t from,
                      uint64_t size);
  Targets targetsOf(const Step& step, unsigned operand, uint64_t size, bool writes) {
    return targets_.find(step, *stack_.operand(step, operand), size, writes);
  }

  WalkContext& context_;
  LogReader& logs_;
  CallStack& stack_;
  ScalarMath& math_;
  EventMaker& events_;
  ThreadMemory& memory_;
  ValueSource& values_;
  TargetFinder targets_;
};

} // namespace symbiosis
