// Stores, atomics and copies. The thread's memory gets the new value first; then the source of values hears of it,
// and an event writes what that memory holds in each shared piece.
#include "symexec/accesses.h"
#include "symexec/walk_sources.h"

using namespace llvm;

namespace symbiosis {

bool Accesses::store(const Step& step, const StoreInst& store) {
  Type* type = store.getValueOperand()->getType();
  const Scalar* values = stack_.operand(step, 0);
  if (const Scalar& pointer = *stack_.operand(step, 1); !step.point && pointer.known && !pointer.isSymbolic()) {
    memory_.store(type, pointer.bits, values);
    return true;
  }
  const uint64_t size = stack_.sizeOf(type);
  const Targets targets = targetsOf(step, 1, size, true);
  if (!step.point && targets.several.empty())
    memory_.store(type, targets.address, values);
  else
    writeTargets(begin(step, EventKind::write, targets, size), targets, type, values);
  return true;
}

// Writes all targets; those at which the access is not keep what they had.
void Accesses::writeTargets(RawEvent* event, const Targets& targets, Type* type, const Scalar* values) {
  const uint64_t size = stack_.sizeOf(type);
  if (targets.several.empty()) {
    memory_.store(type, targets.address, values);
    return values_.wrote(event, targets.address, size);
  }
  const std::vector<ScalarLayout>& layout = stack_.layoutOf(type);
  std::vector<Scalar> next(layout.size());
  const bool isRead = event && event->kind != EventKind::write;
  for (const Target& target : targets.several) {
    const size_t firstPart = event ? event->parts.size() : 0;
    if (event && !isRead) values_.readElsewhere(*event, target.address, size);
    loadScalars(type, target.address, next.data());
    for (size_t i = 0; i < layout.size(); ++i)
      next[i] = math_.pick(target.guard, values[i], next[i], layout[i].bits);
    memory_.store(type, target.address, next.data());
    values_.wrote(event, target.address, size);
    for (size_t i = firstPart; event && i < event->parts.size(); ++i) markTarget(event->parts[i], target);
  }
}

// --- what the walks make of it ---

void FirstWalk::wrote(RawEvent*, uint64_t address, uint64_t size) {
  context_.sharing.note(logs_.serial(), address, size, true);
}

void FirstWalkTogether::wrote(RawEvent* event, uint64_t address, uint64_t size) {
  FirstWalk::wrote(event, address, size);
  stored(address, size);
}

void FirstWalkTogether::stored(uint64_t address, uint64_t size) {
  Memory &all = context_.common.memory, &own = memory_.bytes;
  for (uint64_t byte = address; byte < address + size; ++byte) all.store(byte, 1, own.load(byte, 1));
  if (size > 8) return;
  if (const Scalar value = own.load(address, unsigned(size)); value.known)
    context_.common.noteWritten(address, size, value.bits);
}

// Values that nobody else can have changed, so that they are what they were.
void SecondWalk::noteEarly(uint64_t address, uint64_t size) {
  for (uint64_t at = address; at < address + size; at += 8) {
    const auto part = unsigned(std::min<uint64_t>(8, address + size - at));
    if (const Scalar value = memory_.bytes.load(at, part); value.known)
      context_.early.store(at, part, {.bits = value.bits});
    else
      context_.early.forget(at, part);
  }
}

void SecondWalk::wrote(RawEvent* event, uint64_t address, uint64_t size) {
  if (context_.isLong && context_.sharing.isEarly(logs_.serial())) noteEarly(address, size);
  if (!event) return;
  for (const Piece& piece : context_.sharing.pieces(address, size)) {
    if (!piece.shared) continue;
    const ExprId written = math_.exprOf(memory_.bytes.load(piece.address, piece.size), piece.size * 8u);
    auto same = std::find_if(event->parts.begin(), event->parts.end(),
                             [&](const RawPart& part) { return part.address == piece.address && !part.isLife; });
    if (same == event->parts.end()) {
      RawPart part;
      part.address = piece.address;
      part.size = piece.size;
      same = event->parts.insert(same, part);
    }
    same->written = written;
  }
}

void FirstWalk::changedOutside(Range range) { memory_.bytes.forget(range.begin, range.size); }

void FirstWalkTogether::changedOutside(Range range) {
  FirstWalk::changedOutside(range);
  for (uint64_t at = range.begin; at < range.begin + range.size; ++at)
    context_.common.memory.store(at, 1, {.known = false});
}

void SecondWalk::changedOutside(Range range) {
  memory_.bytes.forget(range.begin, range.size);
  for (uint64_t at = range.begin; at < range.begin + range.size; ++at)
    if (context_.addresses.globalAt(at)) // read again, it would seem to have its first value
      memory_.bytes.store(at, 1, math_.unknown(8, Unknowns::input));
}

// So that other threads know what their pointers point into.
void FirstWalk::slotBegins(Range slot) {
  uint64_t& largest = context_.stackSlots[slot.begin];
  largest = std::max(largest, slot.size);
}

void FirstWalkTogether::slotBegins(Range slot) {
  FirstWalk::slotBegins(slot);
  context_.common.memory.forget(slot.begin, slot.size);
}

static constexpr uint64_t kLargestFresh = 16 << 20; // bytes of a block that are forgotten

void ValueSource::blockBegins(Range block, bool isZero) {
  const uint64_t size = std::min(block.size, kLargestFresh);
  memory_.bytes.forget(block.begin, size);
  if (context_.isLong) context_.early.forget(block.begin, size);
  for (uint64_t at = block.begin; isZero && at < block.begin + size; ++at) memory_.bytes.store(at, 1, {});
}

void FirstWalkTogether::blockBegins(Range block, bool isZero) {
  FirstWalk::blockBegins(block, isZero);
  const uint64_t size = std::min(block.size, kLargestFresh);
  context_.common.memory.forget(block.begin, size);
  for (uint64_t at = block.begin; isZero && at < block.begin + size; ++at) context_.common.memory.store(at, 1, {});
}

// --- atomics ---

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

Scalar Accesses::updated(const AtomicRMWInst& operation, const Scalar& old, const Scalar& argument,
                         unsigned width) {
  if (const std::optional<ExprOp> op = simpleOp(operation.getOperation()))
    return math_.binary(*op, old, argument, width);
  auto smaller = [&](ExprOp compare) { return math_.binary(compare, old, argument, width); };
  switch (operation.getOperation()) {
  case AtomicRMWInst::Xchg: return argument;
  case AtomicRMWInst::Nand:
    return math_.binary(ExprOp::bitXor, math_.binary(ExprOp::bitAnd, old, argument, width),
                        {.bits = maskOf(width)}, width);
  case AtomicRMWInst::Max: return math_.pick(smaller(ExprOp::slt), argument, old, width);
  case AtomicRMWInst::Min: return math_.pick(smaller(ExprOp::slt), old, argument, width);
  case AtomicRMWInst::UMax: return math_.pick(smaller(ExprOp::ult), argument, old, width);
  case AtomicRMWInst::UMin: return math_.pick(smaller(ExprOp::ult), old, argument, width);
  default: stack_.fail("an atomic operation that is not supported", &operation);
  }
}

bool Accesses::readModifyWrite(const Step& step, const AtomicRMWInst& operation) {
  if (logs_.exhausted()) return false;
  Type* type = operation.getType();
  if (stack_.layoutOf(type).size() > 1) stack_.fail("an atomic operation of this width", &operation);
  const uint64_t size = stack_.sizeOf(type);
  const Targets targets = targetsOf(step, 0, size, true);
  RawEvent* event = begin(step, EventKind::rmw, targets, size);
  Scalar old;
  readTargets(event, step, targets, type, &old);
  const Scalar next = updated(operation, old, *stack_.operand(step, 1), stack_.layoutOf(type)[0].bits);
  writeTargets(event, targets, type, &next);
  *stack_.result(step) = old;
  return true;
}

bool Accesses::compareExchange(const Step& step, const AtomicCmpXchgInst& operation) {
  if (logs_.exhausted()) return false;
  Type* type = operation.getCompareOperand()->getType();
  const std::vector<ScalarLayout>& layout = stack_.layoutOf(type); // 16 bytes are two scalars
  const uint64_t size = stack_.sizeOf(type);
  const Targets targets = targetsOf(step, 0, size, true);
  RawEvent* event = begin(step, EventKind::rmw, targets, size);
  std::vector<Scalar> old(layout.size()), next(layout.size());
  readTargets(event, step, targets, type, old.data());
  const Scalar *expected = stack_.operand(step, 1), *desired = stack_.operand(step, 2);
  Scalar success = {.bits = 1};
  for (size_t i = 0; i < layout.size(); ++i)
    success =
        math_.binary(ExprOp::bitAnd, success, math_.binary(ExprOp::eq, old[i], expected[i], layout[i].bits), 1);
  for (size_t i = 0; i < layout.size(); ++i) next[i] = math_.pick(success, desired[i], old[i], layout[i].bits);
  writeTargets(event, targets, type, next.data());
  std::copy(old.begin(), old.end(), stack_.result(step));
  stack_.result(step)[layout.size()] = success;
  return true;
}

// --- copies ---

RawEvent* Accesses::beginCopy(const Step& step, const MemTransferInst& copy, uint64_t to, uint64_t from,
                              uint64_t size) {
  const bool reads = copy.hasMetadata(kLoggedMetadata) && context_.sharing.touchesShared(from, size);
  const bool writes = context_.sharing.touchesShared(to, size);
  const EventKind kind = reads && writes ? EventKind::rmw : reads ? EventKind::read : EventKind::write;
  RawEvent* event = begin(step, kind, writes ? to : from, size, reads || writes, writes ? from : to);
  if (event && reads && !writes) event->variable = stack_.nameOf(copy.getRawSource(), step.instruction, size);
  return event;
}

bool Accesses::copyMemory(const Step& step, const MemTransferInst& copy) {
  const uint64_t to = math_.requiredAddress(*stack_.operand(step, 0)),
                 from = math_.requiredAddress(*stack_.operand(step, 1)),
                 size = math_.required(*stack_.operand(step, 2));
  const bool logged = copy.hasMetadata(kLoggedMetadata);
  if (logged && logs_.exhausted()) return false;
  RawEvent* event = nullptr;
  if (step.point && size > 0)
    event = beginCopy(step, copy, to, from, size);
  else if (step.point)
    ++logs_.points;
  if (logged)
    values_.read(event, step, from, size);
  else
    memory_.fillFromImage(from, size); // a constant
  memory_.bytes.copy(to, from, size);
  if (step.point) values_.wrote(event, to, size);
  return true;
}

bool Accesses::fillMemory(const Step& step, const MemSetInst&) {
  const uint64_t to = math_.requiredAddress(*stack_.operand(step, 0)),
                 size = math_.required(*stack_.operand(step, 2));
  const Scalar byte = math_.storable(*stack_.operand(step, 1), 8);
  for (uint64_t i = 0; i < size; ++i) memory_.bytes.store(to + i, 1, byte);
  if (!step.point) return true;
  RawEvent* event = begin(step, EventKind::write, to, size, size > 0 && context_.sharing.touchesShared(to, size));
  if (size > 0) values_.wrote(event, to, size);
  return true;
}

} // namespace symbiosis
