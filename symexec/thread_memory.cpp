#include "symexec/thread_memory.h"
#include <cstring>

using namespace llvm;

namespace symbiosis {

ThreadMemory::ThreadMemory(WalkContext& context, LogReader& logs, CallStack& stack, ScalarMath& math,
                           EventMaker& events)
    : bytes(context.exprs), fromOutside(math, events), context_(context), logs_(logs), stack_(stack), math_(math),
      events_(events), privateTop_(kPrivateMemory + logs.serial() * kPrivateRoom) {}

void ThreadMemory::store(Type* type, uint64_t address, const Scalar* values) {
  for (const ScalarLayout& scalar : stack_.layoutOf(type))
    bytes.store(address + scalar.offset, scalar.bytes,
                math_.widen(math_.storable(*values++, scalar.bits), scalar.bits, scalar.bytes * 8u, false));
}

Scalar ThreadMemory::own(const Piece& piece) {
  fromOutside.isRead(piece.address, piece.size);
  if (bytes.knows(piece.address, piece.size)) return bytes.load(piece.address, piece.size);
  for (uint64_t at = piece.address; at < piece.address + piece.size; ++at)
    if (!bytes.knows(at, 1))
      bytes.store(at, 1,
                  context_.hasFirstValue(at) ? context_.firstValue(at, 1) : math_.unknown(8, Unknowns::input));
  return bytes.load(piece.address, piece.size);
}

std::optional<Scalar> ThreadMemory::byteAt(uint64_t address) {
  fromOutside.isRead(address, 1);
  if (!bytes.knows(address, 1) && !context_.addresses.globalAt(address)) return std::nullopt;
  const Scalar byte = bytes.knows(address, 1) ? bytes.load(address, 1) : context_.firstValue(address, 1);
  const bool isUsable = byte.isSymbolic() ? context_.unknowns.isUsable(byte.expr) : byte.known;
  return isUsable ? std::optional(byte) : std::nullopt;
}

void ThreadMemory::fillFromImage(uint64_t address, uint64_t size) {
  if (bytes.knows(address, size)) return;
  for (uint64_t at = address; at < address + size; ++at)
    if (!bytes.knows(at, 1)) bytes.store(at, 1, context_.firstValue(at, 1));
}

void ThreadMemory::fillThreadLocal(const Value* variable, uint64_t address) {
  const auto* global = dyn_cast<GlobalVariable>(variable);
  if (!global || !global->hasInitializer() || context_.planner.layouts.allocSize(global->getValueType()) > 4096)
    return;
  if (!threadLocals_.insert(address).second) return;
  const std::vector<Scalar> initial = context_.planner.constant(global->getInitializer());
  store(global->getValueType(), address, initial.data());
}

bool ThreadMemory::isReadable(uint64_t address, uint64_t size) const {
  for (const Piece& piece : context_.sharing.pieces(address, size))
    if (!piece.shared && !bytes.knows(piece.address, piece.size) && !context_.hasFirstValue(piece.address))
      return false;
  return true;
}

Range ThreadMemory::allocate(const Step& step, const AllocaInst& slot) {
  const uint64_t count = slot.isArrayAllocation() ? math_.required(*stack_.operand(step, 0)) : 1;
  const uint64_t size = context_.planner.layouts.allocSize(slot.getAllocatedType()) * count;
  if (!slot.hasMetadata(kStackMetadata)) {
    const uint64_t align = std::max<uint64_t>(slot.getAlign().value(), 16);
    const uint64_t at = (privateTop_ + align - 1) & ~(align - 1);
    privateTop_ = at + size;
    return {at, size};
  }
  uint64_t at;
  std::memcpy(&at, logs_.takeValues(8), 8);
  stack_.top().slots.push_back({at, size});
  bytes.forget(at, size); // what was there belonged to another frame
  fromOutside.forget({at, size});
  if (context_.sharing.touchesShared(at, size) || context_.sharing.holdsSync(at, size)) {
    live_.push_back(events_.result.stackObjects.size());
    events_.result.stackObjects.push_back(
        {at, size, stack_.top().instance, &slot, logs_.lastTimestamp, ~uint64_t{0}, logs_.points});
  }
  return {at, size};
}

uint64_t ThreadMemory::copyOf(uint64_t address, uint64_t size) {
  const uint64_t copy = (privateTop_ + 15) & ~uint64_t{15};
  privateTop_ = copy + size;
  bytes.copy(copy, address, size);
  return copy;
}

void ThreadMemory::enterFrame(Frame& frame) const {
  frame.firstStackObject = live_.size();
  frame.privateTop = privateTop_;
}

void ThreadMemory::leaveFrame(const Frame& frame) {
  for (size_t i = frame.firstStackObject; i < live_.size(); ++i) {
    events_.result.stackObjects[live_[i]].notAfter = logs_.latestNow();
    events_.result.stackObjects[live_[i]].endIndex = logs_.points;
  }
  live_.resize(frame.firstStackObject);
  privateTop_ = frame.privateTop;
}

Range ThreadMemory::privateSlotAt(uint64_t address) const {
  for (size_t f = stack_.depth(); f-- > 0;)
    for (const Step& step : stack_[f].plan->steps)
      if (const auto* slot = dyn_cast<AllocaInst>(step.instruction); slot && !slot->isArrayAllocation()) {
        const Range range{stack_[f].scalars[step.result].bits,
                          context_.planner.layouts.allocSize(slot->getAllocatedType())};
        if (range.holds(address)) return range;
      }
  return {};
}

Range ThreadMemory::objectAt(uint64_t address) const {
  if (isPrivate(address)) return privateSlotAt(address);
  for (size_t f = stack_.depth(); f-- > 0;)
    for (const Range& slot : stack_[f].slots)
      if (slot.holds(address)) return slot;
  if (const GlobalVariable* global = context_.addresses.globalAt(address))
    return {context_.addresses.addressOf(global), context_.planner.layouts.allocSize(global->getValueType())};
  if (const Range block = context_.lives.blockAt(address); block.size) return block;
  // Of another thread.
  if (auto after = context_.stackSlots.upper_bound(address); after != context_.stackSlots.begin())
    if (const Range slot{std::prev(after)->first, std::prev(after)->second}; slot.holds(address)) return slot;
  return {};
}

} // namespace symbiosis
