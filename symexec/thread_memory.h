#pragma once
// A thread's memory: what it has stored or read (memory.h), the first values of globals, its stack slots, and what
// functions outside may have put there (from_outside.h).
//
// Stack slots that no other thread can reach live in *private memory*, where no real address can be, those of each
// thread in a place of their own. The others are where they were in the recorded run.
#include "symexec/from_outside.h"
#include <unordered_set>

namespace symbiosis {

class ThreadMemory {
public:
  ThreadMemory(WalkContext& context, LogReader& logs, CallStack& stack, ScalarMath& math, EventMaker& events);

  Memory bytes;
  FromOutside fromOutside;

  // --- values ---
  void store(llvm::Type* type, uint64_t address, const Scalar* values);
  // The thread's own last write, the value with which the program was linked, or an input: never empty.
  Scalar own(const Piece& piece);
  // One byte; empty: it is not known.
  std::optional<Scalar> byteAt(uint64_t address);
  // The bytes of a constant, from the program's image.
  void fillFromImage(uint64_t address, uint64_t size);
  // The initial value of a thread-local variable, once.
  void fillThreadLocal(const llvm::Value* variable, uint64_t address);
  // What is there, if the thread does not know it already, is a symbol or the first value of a global.
  bool isReadable(uint64_t address, uint64_t size) const;

  // --- objects ---
  static bool isPrivate(uint64_t address) { return address >= kPrivateMemory; }
  // A stack slot that begins to live.
  Range allocate(const Step& step, const llvm::AllocaInst& slot);
  // A copy that a callee gets of what its caller passes by value.
  uint64_t copyOf(uint64_t address, uint64_t size);
  // The variable, slot or heap block that holds the address; size 0: unknown.
  Range objectAt(uint64_t address) const;
  void enterFrame(Frame& frame) const;
  void leaveFrame(const Frame& frame); // its slots are gone

private:
  static constexpr uint64_t kPrivateMemory = uint64_t{1} << 60;
  static constexpr uint64_t kPrivateRoom = uint64_t{1} << 36; // of one thread
  Range privateSlotAt(uint64_t address) const;

  WalkContext& context_;
  LogReader& logs_;
  CallStack& stack_;
  ScalarMath& math_;
  EventMaker& events_;
  std::vector<size_t> live_; // stack objects of the active frames, positions in ThreadEvents::stackObjects
  uint64_t privateTop_;
  std::unordered_set<uint64_t> threadLocals_; // addresses that have been given their initial value
};

} // namespace symbiosis
