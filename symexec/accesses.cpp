// Loads, stores, atomics and copies: where memory becomes events. Of a read that was logged the shared bytes
// become symbols with that value, and the private ones are checked against it; for the others see unrecorded.cpp.
#include "symexec/executor.h"
#include "llvm/IR/IntrinsicInst.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

uint32_t ThreadExecutor::newSymbol(std::optional<uint64_t> observed) {
  context_.observed.add(observed);
  return context_.nextSymbol++;
}

uint64_t ThreadExecutor::address(const Step& step, unsigned number) {
  return requiredAddress(*operand(step, number));
}

void ThreadExecutor::allocate(const Step& step, const AllocaInst& slot) {
  const uint64_t count = slot.isArrayAllocation() ? required(*operand(step, 0)) : 1;
  const uint64_t size = context_.planner.layouts.allocSize(slot.getAllocatedType()) * count;
  uint64_t at;
  if (slot.hasMetadata(kStackMetadata)) {
    std::memcpy(&at, takeValues(8), 8);
    frame().slots.push_back({at, size});
    if (context_.discovering) {
      uint64_t& largest = context_.stackSlots[at];
      largest = std::max(largest, size);
    }
    memory_.forget(at, size); // what was there belonged to another frame
    forgetFromOutside({at, size});
    context_.common.memory.forget(at, size);
    if (!context_.discovering && context_.sharing.touchesShared(at, size)) {
      live_.push_back(result_.stackObjects.size());
      result_.stackObjects.push_back(
          {at, size, frame().instance, &slot, lastTimestamp_, ~uint64_t{0}, pointIndex_});
    }
  } else {
    const uint64_t align = std::max<uint64_t>(slot.getAlign().value(), 16);
    at = (privateTop_ + align - 1) & ~(align - 1);
    privateTop_ = at + size;
  }
  *result(step) = {.bits = at};
}

RawEvent* ThreadExecutor::beginAccess(const Step& step, EventKind kind, uint64_t at, uint64_t size, bool shared) {
  if (!step.point) return nullptr;
  RawEvent* event = nullptr;
  if (shared) {
    event = &addEvent(kind, step.instruction);
    event->address = at;
    const auto* store = dyn_cast<StoreInst>(step.instruction);
    const Type* type = store ? store->getValueOperand()->getType() : step.instruction->getType();
    event->isFloat = type->isFloatTy() || type->isDoubleTy();
    const unsigned pointer = store ? 1 : 0;
    event->variable = nameOf(step.instruction->getOperand(pointer), step.instruction, size);
    if (const DILocation* place = step.instruction->getDebugLoc())
      event->isLibrarys = isLibraryCode(place->getScope()->getSubprogram());
  }
  ++pointIndex_;
  return event;
}

RawEvent* ThreadExecutor::beginAccess(const Step& step, EventKind kind, const Targets& targets, uint64_t size) {
  return beginAccess(step, kind, targets.address, size, touchesShared(targets, size));
}

void ThreadExecutor::readRange(RawEvent* event, const Step& step, uint64_t at, uint64_t size,
                               const uint8_t* logged) {
  if (context_.discovering) context_.sharing.note(log_.serial, at, size, false);
  if (!logged) return readUnlogged(event, at, size);
  if (context_.discovering) {
    if (context_.sharing.takesEverything()) noteChanges(at, size, logged);
    return memory_.storeBytes(at, logged, size);
  }
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    uint64_t observed = 0;
    std::memcpy(&observed, logged + (piece.address - at), piece.size);
    if (piece.shared && event) {
      RawPart part;
      part.address = piece.address;
      part.size = piece.size;
      part.symbol = newSymbol(observed);
      part.observed = observed;
      event->parts.push_back(part);
      memory_.store(piece.address, piece.size,
                    {.bits = observed, .expr = context_.exprs.symbol(part.symbol, piece.size * 8u)});
      continue;
    }
    // Private: our own last write, unless uninstrumented code has changed it since.
    if (!fromOutside_.empty()) readsFromOutside(piece.address, piece.size);
    const bool isOurs = memory_.knows(piece.address, piece.size);
    const Scalar ours = memory_.load(piece.address, piece.size);
    if (isOurs && ours.known && ours.bits == observed) continue;
    if (isOurs && ours.known) changedFromOutside(step.instruction);
    memory_.store(piece.address, piece.size, {.bits = observed});
  }
}

// What the thread has stored there, or the program was linked with, is not what it reads.
void ThreadExecutor::noteChanges(uint64_t at, uint64_t size, const uint8_t* logged) {
  for (uint64_t i = 0; i < size; ++i) {
    const bool isOurs = memory_.knows(at + i, 1);
    if (!isOurs && !context_.addresses.globalAt(at + i)) continue; // nobody knows what was there
    if ((isOurs ? memory_ : context_.initial).load(at + i, 1).bits != logged[i])
      context_.sharing.noteOutside(at + i, 1);
  }
}

void ThreadExecutor::changedFromOutside(const Instruction* at) {
  SymexecStats& stats = context_.stats;
  if (stats.changedFromOutside++ == 0) stats.firstChange = placeOf(at);
}

void ThreadExecutor::writtenRange(RawEvent* event, uint64_t at, uint64_t size) {
  if (context_.discovering) {
    context_.sharing.note(log_.serial, at, size, true);
    if (context_.level == format::Level::path) writeTogether(at, size);
    return;
  }
  if (!event) return;
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    if (!piece.shared) continue;
    const ExprId written = exprOf(memory_.load(piece.address, piece.size), piece.size * 8u);
    auto same = std::find_if(event->parts.begin(), event->parts.end(),
                             [&](const RawPart& part) { return part.address == piece.address; });
    if (same != event->parts.end()) {
      same->written = written;
      continue;
    }
    RawPart part;
    part.address = piece.address;
    part.size = piece.size;
    part.written = written;
    event->parts.push_back(part);
  }
}

void ThreadExecutor::loadScalars(Type* type, uint64_t at, Scalar* out) {
  if (!fromOutside_.empty()) readsFromOutside(at, context_.planner.layouts.storeSize(type));
  for (const ScalarLayout& scalar : layoutOf(type)) {
    const uint64_t where = at + scalar.offset;
    Scalar value = memory_.knows(where, scalar.bytes) ? memory_.load(where, scalar.bytes)
                                                      : context_.initial.load(where, scalar.bytes);
    *out++ = narrow(value, scalar.bits);
  }
}

// In memory an unknown value is an expression, except in the first walk, which has none.
Scalar ThreadExecutor::storable(const Scalar& value, unsigned width) {
  if (value.known || value.isSymbolic() || context_.discovering) return value;
  return {.expr = exprOf(value, width), .known = false};
}

void ThreadExecutor::storeScalars(Type* type, uint64_t at, const Scalar* values) {
  for (const ScalarLayout& scalar : layoutOf(type))
    memory_.store(at + scalar.offset, scalar.bytes,
                  widen(storable(*values++, scalar.bits), scalar.bits, scalar.bytes * 8u, false));
}

// A vtable is never written. Which one it is, is unknown of an object that a library has made.
static bool isVtableSlot(const LoadInst& load) {
  const auto* table = dyn_cast<LoadInst>(load.getPointerOperand()->stripInBoundsOffsets());
  const MDNode* type = table ? table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return type && type->isTBAAVtableAccess();
}

void ThreadExecutor::load(const Step& step, const LoadInst& load) {
  Type* type = load.getType();
  if (const Scalar& pointer = *operand(step, 0); !step.point && pointer.known && !pointer.isSymbolic())
    return loadScalars(type, pointer.bits, result(step));
  const uint64_t size = context_.planner.layouts.storeSize(type);
  if (context_.level == format::Level::path && !operand(step, 0)->known && isVtableSlot(load) && !exhausted()) {
    if (step.point) takeLogged(step, size), ++pointIndex_;
    *result(step) = unknown(64, Unknowns::input);
    return;
  }
  const Targets targets = targetsOf(step, 0, size, false);
  // After the last sign of life nobody knows whether this load happened, or what it would have read.
  if (step.point && exhausted()) {
    ended_ = true;
    return;
  }
  readTargets(beginAccess(step, EventKind::read, targets, size), step, targets, type, result(step));
}

void ThreadExecutor::store(const Step& step, const StoreInst& store) {
  Type* type = store.getValueOperand()->getType();
  if (const Scalar& pointer = *operand(step, 1); !step.point && pointer.known && !pointer.isSymbolic())
    return storeScalars(type, pointer.bits, operand(step, 0));
  const uint64_t size = context_.planner.layouts.storeSize(type);
  const Targets targets = targetsOf(step, 1, size, true);
  if (!step.point && targets.several.empty()) return storeScalars(type, targets.address, operand(step, 0));
  writeTargets(beginAccess(step, EventKind::write, targets, size), targets, type, operand(step, 0));
}

// What a function outside wrote, and the runtime has recorded: the buffer that read() filled, the guard of a
// function-local static.
void ThreadExecutor::outsideWrote(const format::OpRecord& record, const Step* step) {
  const uint64_t at = record.object, size = record.argument;
  if (record.channel && !context_.discovering) noteUnmodelled("a pipe or socket");
  if (size == 0) return;
  memory_.storeBytes(at, takeValues(size), size);
  RawEvent* event = nullptr;
  if (!context_.discovering && context_.sharing.touchesShared(at, size)) {
    event = &addEvent(EventKind::write, step ? step->instruction : nullptr);
    event->address = at;
    event->variable = nameOfSyncObject(at, step);
  }
  writtenRange(event, at, size);
}

static std::optional<ExprOp> simpleOp(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Add: return ExprOp::add;
  case AtomicRMWInst::Sub: return ExprOp::sub;
  case AtomicRMWInst::And: return ExprOp::bitAnd;
  case AtomicRMWInst::Or: return ExprOp::bitOr;
  case AtomicRMWInst::Xor: return ExprOp::bitXor;
  case AtomicRMWInst::FAdd: return ExprOp::fadd;
  case AtomicRMWInst::FSub: return ExprOp::fsub;
  case AtomicRMWInst::FMin: return ExprOp::fmin;
  case AtomicRMWInst::FMax: return ExprOp::fmax;
  default: return std::nullopt;
  }
}

void ThreadExecutor::readModifyWrite(const Step& step, const AtomicRMWInst& operation) {
  if (exhausted()) {
    ended_ = true;
    return;
  }
  Type* type = operation.getType();
  if (layoutOf(type).size() > 1) fail("an atomic operation of this width", &operation);
  const unsigned width = layoutOf(type)[0].bits;
  const uint64_t size = context_.planner.layouts.storeSize(type);
  const Targets targets = targetsOf(step, 0, size, true);
  RawEvent* event = beginAccess(step, EventKind::rmw, targets, size);
  Scalar old;
  readTargets(event, step, targets, type, &old);
  const Scalar argument = *operand(step, 1);
  Scalar next;
  if (std::optional<ExprOp> op = simpleOp(operation.getOperation())) {
    next = binary(*op, old, argument, width);
  } else {
    auto smaller = [&](ExprOp compare) { return binary(compare, old, argument, width); };
    switch (operation.getOperation()) {
    case AtomicRMWInst::Xchg: next = argument; break;
    case AtomicRMWInst::Nand:
      next = binary(ExprOp::bitXor, binary(ExprOp::bitAnd, old, argument, width), {.bits = maskOf(width)}, width);
      break;
    case AtomicRMWInst::Max: next = pick(smaller(ExprOp::slt), argument, old, width); break;
    case AtomicRMWInst::Min: next = pick(smaller(ExprOp::slt), old, argument, width); break;
    case AtomicRMWInst::UMax: next = pick(smaller(ExprOp::ult), argument, old, width); break;
    case AtomicRMWInst::UMin: next = pick(smaller(ExprOp::ult), old, argument, width); break;
    default: fail("an atomic operation that is not supported", &operation);
    }
  }
  writeTargets(event, targets, type, &next);
  *result(step) = old;
}

void ThreadExecutor::compareExchange(const Step& step, const AtomicCmpXchgInst& operation) {
  if (exhausted()) {
    ended_ = true;
    return;
  }
  Type* type = operation.getCompareOperand()->getType();
  const std::vector<ScalarLayout>& layout = layoutOf(type); // 16 bytes are two scalars
  const uint64_t size = context_.planner.layouts.storeSize(type);
  const Targets targets = targetsOf(step, 0, size, true);
  RawEvent* event = beginAccess(step, EventKind::rmw, targets, size);
  std::vector<Scalar> old(layout.size()), next(layout.size());
  readTargets(event, step, targets, type, old.data());
  Scalar success = {.bits = 1};
  for (size_t i = 0; i < layout.size(); ++i)
    success = binary(ExprOp::bitAnd, success, binary(ExprOp::eq, old[i], operand(step, 1)[i], layout[i].bits), 1);
  for (size_t i = 0; i < layout.size(); ++i) next[i] = pick(success, operand(step, 2)[i], old[i], layout[i].bits);
  writeTargets(event, targets, type, next.data());
  std::copy(old.begin(), old.end(), result(step));
  result(step)[layout.size()] = success;
}

void ThreadExecutor::copyMemory(const Step& step, const MemTransferInst& copy) {
  const uint64_t to = address(step, 0), from = address(step, 1), size = required(*operand(step, 2));
  const Value* source = copy.getRawSource();
  const bool logged = copy.hasMetadata(kLoggedMetadata);
  if (logged && exhausted()) {
    ended_ = true;
    return;
  }
  RawEvent* event = nullptr;
  if (step.point && size > 0) {
    const bool reads = !context_.discovering && logged && context_.sharing.touchesShared(from, size);
    const bool writes = !context_.discovering && context_.sharing.touchesShared(to, size);
    event = beginAccess(step,
                        reads && writes ? EventKind::rmw
                        : reads         ? EventKind::read
                                        : EventKind::write,
                        writes ? to : from, size, reads || writes);
    if (event && reads && !writes) event->variable = nameOf(source, step.instruction, size);
  } else if (step.point) {
    ++pointIndex_;
  }
  if (logged) readRange(event, step, from, size, takeLogged(step, size));
  if (!logged && !memory_.knows(from, size)) // a constant: from the program's image
    for (uint64_t i = 0; i < size; ++i)
      if (!memory_.knows(from + i, 1)) memory_.store(from + i, 1, context_.initial.load(from + i, 1));
  memory_.copy(to, from, size);
  if (step.point) writtenRange(event, to, size);
}

void ThreadExecutor::fillMemory(const Step& step, const MemSetInst& fill) {
  const uint64_t to = address(step, 0), size = required(*operand(step, 2));
  const Scalar byte = storable(*operand(step, 1), 8);
  for (uint64_t i = 0; i < size; ++i) memory_.store(to + i, 1, byte);
  if (!step.point) return;
  const bool shared = !context_.discovering && size > 0 && context_.sharing.touchesShared(to, size);
  RawEvent* event = beginAccess(step, EventKind::write, to, size, shared);
  if (size > 0) writtenRange(event, to, size);
}

} // namespace symbiosis
