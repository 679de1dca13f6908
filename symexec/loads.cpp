// A load, from the instruction to its value. The address may stand for several places (targets.h). The point is
// counted, and if anything there is shared it is an event. The source of values puts into the thread's memory what
// the access reads, each shared piece as a symbol; from there the load's own scalars are taken.
#include "symexec/accesses.h"
#include "symexec/walk_sources.h"
#include <cstring>

using namespace llvm;

namespace symbiosis {

// A vtable is never written. Which one it is, is unknown of an object that a library has made.
static bool isVtableSlot(const LoadInst& load) {
  const auto* table = dyn_cast<LoadInst>(load.getPointerOperand()->stripInBoundsOffsets());
  const MDNode* type = table ? table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return type && type->isTBAAVtableAccess();
}

bool Accesses::load(const Step& step, const LoadInst& load) {
  Type* type = load.getType();
  const Scalar& pointer = *stack_.operand(step, 0);
  if (!step.point && pointer.known && !pointer.isSymbolic()) {
    loadScalars(type, pointer.bits, stack_.result(step));
    return true;
  }
  const uint64_t size = stack_.sizeOf(type);
  if (values_.guesses() && !pointer.known && isVtableSlot(load) && !logs_.exhausted()) {
    if (step.point) values_.takeLogged(step, size), ++logs_.points;
    *stack_.result(step) = math_.unknown(64, Unknowns::input);
    return true;
  }
  const Targets targets = targetsOf(step, 0, size, false);
  // After the last sign of life nobody knows whether this load happened, or what it would have read.
  if (step.point && logs_.exhausted()) return false;
  RawEvent* event = begin(step, EventKind::read, targets.address, size, targets_.readShared(targets, size));
  readTargets(event, step, targets, type, stack_.result(step));
  return true;
}

std::string Accesses::nameOfAccessed(const Instruction& at, uint64_t size) const {
  return stack_.nameOf(at.getOperand(isa<StoreInst>(at) ? 1 : 0), &at, size);
}

RawEvent* Accesses::begin(const Step& step, EventKind kind, uint64_t address, uint64_t size, bool shared,
                          uint64_t other) {
  if (!step.point) return nullptr;
  RawEvent* event = nullptr;
  if (shared) {
    event = &events_.add(kind, step.instruction);
    event->address = address;
    const auto* store = dyn_cast<StoreInst>(step.instruction);
    const Type* type = store ? store->getValueOperand()->getType() : step.instruction->getType();
    event->isFloat = type->isFloatTy() || type->isDoubleTy();
    event->variable = nameOfAccessed(*step.instruction, size);
  }
  for (uint64_t begin : {address, other}) useBlock(step, kind, begin, event);
  ++logs_.points;
  return event;
}

// Where the access is in a block that another thread frees (uses_before_free.h). `event`: null if it is none.
void Accesses::useBlock(const Step& step, EventKind kind, uint64_t address, RawEvent* event) {
  if (!context_.uses.mayHold(address)) return;
  if (context_.discovering) return context_.uses.noteUse(events_.standing(), address);
  const Life* life = context_.uses.lifeAt(events_.standing(), address);
  if (life && event) events_.addUse(*event, *life);
  if (life && !event)
    events_.addUse(kind, step.instruction, *life, address, [&] { return nameOfAccessed(*step.instruction, 1); });
}

void Accesses::readTargets(RawEvent* event, const Step& step, const Targets& targets, Type* type, Scalar* out) {
  const uint64_t size = stack_.sizeOf(type);
  if (step.point) values_.read(event, step, targets.address, size);
  loadScalars(type, targets.address, out);
  if (targets.several.empty()) return;
  // What it reads if it is elsewhere.
  const std::vector<ScalarLayout>& layout = stack_.layoutOf(type);
  std::vector<Scalar> there(layout.size());
  for (const Target& target : targets.several) {
    const bool wasHere = target.address == targets.address;
    const size_t firstPart = event && !wasHere ? event->parts.size() : 0;
    if (!wasHere) {
      if (event) values_.readElsewhere(*event, target.address, size);
      loadScalars(type, target.address, there.data());
      for (size_t i = 0; i < layout.size(); ++i)
        out[i] = math_.pick(target.guard, there[i], out[i], layout[i].bits);
    }
    for (size_t i = firstPart; event && i < event->parts.size(); ++i) markTarget(event->parts[i], target);
  }
}

void ValueSource::read(RawEvent* event, const Step& step, uint64_t address, uint64_t size) {
  if (const uint8_t* logged = takeLogged(step, size))
    readLogged(event, step, address, size, logged);
  else
    readUnlogged(event, address, size);
}

static bool isLogged(format::Level level, const Step& step) {
  return level == format::Level::full || step.isText || (level == format::Level::addresses && step.inSlice);
}

const uint8_t* ValueSource::takeLogged(const Step& step, uint64_t size) {
  if (!isLogged(context_.recorded, step)) return nullptr;
  const uint8_t* bytes = logs_.takeValues(size);
  return isLogged(context_.level, step) ? bytes : nullptr;
}

// --- the first walk: which memory is shared? ---

void FirstWalk::readLogged(RawEvent*, const Step&, uint64_t at, uint64_t size, const uint8_t* logged) {
  context_.sharing.note(logs_.serial(), at, size, false);
  if (context_.sharing.takesEverything()) noteChanges(at, size, logged);
  memory_.bytes.storeBytes(at, logged, size);
}

// What the thread has stored there, or the program was linked with, is not what it reads.
void FirstWalk::noteChanges(uint64_t at, uint64_t size, const uint8_t* logged) {
  for (uint64_t i = 0; i < size; ++i) {
    const bool isOurs = memory_.bytes.knows(at + i, 1);
    if (!isOurs && !context_.addresses.globalAt(at + i)) continue; // nobody knows what was there
    if ((isOurs ? memory_.bytes : context_.initial).load(at + i, 1).bits != logged[i])
      context_.sharing.noteOutside(at + i, 1);
  }
}

void FirstWalk::readUnlogged(RawEvent*, uint64_t at, uint64_t size) {
  context_.sharing.note(logs_.serial(), at, size, false);
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    const GlobalVariable* global = context_.addresses.globalAt(piece.address);
    memory_.bytes.store(piece.address, piece.size,
                        global && global->isConstant() ? memory_.own(piece) : Scalar{.known = false});
  }
}

// What somebody wrote there last, in the order of this walk.
void FirstWalkTogether::readUnlogged(RawEvent*, uint64_t at, uint64_t size) {
  context_.sharing.note(logs_.serial(), at, size, false);
  Memory &all = context_.common.memory, &own = memory_.bytes;
  CommonMemory::Found& found = context_.common.found[logs_.serial()];
  CommonMemory::Load load{logs_.points - 1, at, size, found.bytes.size(), true};
  const auto instead = context_.common.instead.find({logs_.serial(), load.number});
  if (instead == context_.common.instead.end() && size <= 8 && all.knows(at, size)) {
    if (const Scalar value = all.load(at, unsigned(size)); value.known) {
      own.store(at, unsigned(size), value);
      found.bytes.append(reinterpret_cast<const char*>(&value.bits), size);
      found.known.append(size, 1);
      load.isEmpty = value.bits == 0;
      return context_.common.noteLoad(found, load);
    }
  }
  for (uint64_t byte = at; byte < at + size; ++byte) {
    Scalar value{.known = false};
    if (instead != context_.common.instead.end())
      value = {.bits = instead->second >> (8 * (byte - at)) & 0xff};
    else if (all.knows(byte, 1))
      value = all.load(byte, 1);
    else if (own.knows(byte, 1))
      value = own.load(byte, 1);
    else if (context_.addresses.hasFirstValue(byte))
      value = context_.initial.load(byte, 1);
    own.store(byte, 1, value);
    found.bytes.push_back(char(value.bits));
    found.known.push_back(value.known);
    load.isEmpty = load.isEmpty && (!value.known || value.bits == 0);
  }
  context_.common.noteLoad(found, load);
}

// --- the second walk: events of what is shared ---

RawPart& ValueSource::addSymbol(RawEvent& event, const Piece& piece, std::optional<uint64_t> value) {
  RawPart part;
  part.address = piece.address;
  part.size = piece.size;
  part.symbol = context_.newSymbol(value);
  memory_.bytes.store(piece.address, piece.size,
                      {.bits = value.value_or(0),
                       .expr = context_.exprs.symbol(part.symbol, piece.size * 8u),
                       .known = value.has_value()});
  event.parts.push_back(part);
  return event.parts.back();
}

void SecondWalk::readLogged(RawEvent* event, const Step& step, uint64_t at, uint64_t size, const uint8_t* logged) {
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    uint64_t observed = 0;
    std::memcpy(&observed, logged + (piece.address - at), piece.size);
    if (piece.shared && event) {
      addSymbol(*event, piece, observed).observed = observed;
      continue;
    }
    // Private: our own last write, unless uninstrumented code has changed it since.
    memory_.fromOutside.isRead(piece.address, piece.size);
    const bool isOurs = memory_.bytes.knows(piece.address, piece.size);
    const Scalar ours = memory_.bytes.load(piece.address, piece.size);
    if (isOurs && ours.known && ours.bits == observed) continue;
    if (isOurs && !ours.known && ours.isSymbolic()) { // what it depends on is known, and now what it was
      memory_.bytes.store(piece.address, piece.size, {.bits = observed, .expr = ours.expr});
      continue;
    }
    if (isOurs && ours.known && context_.stats.changedFromOutside++ == 0)
      context_.stats.firstChange = CallStack::placeOf(step.instruction);
    memory_.bytes.store(piece.address, piece.size, {.bits = observed});
  }
}

void SecondWalk::readUnlogged(RawEvent* event, uint64_t at, uint64_t size) {
  for (const Piece& piece : context_.sharing.pieces(at, size))
    if (piece.shared && event)
      addSymbol(*event, piece, valueOf(piece, at));
    else
      memory_.bytes.store(piece.address, piece.size, memory_.own(piece));
}

std::optional<uint64_t> SecondWalk::valueOf(const Piece&, uint64_t) const { return std::nullopt; }

void SecondWalkOfPath::readUnlogged(RawEvent* event, uint64_t at, uint64_t size) {
  if (next_ + size > context_.common.found[logs_.serial()].bytes.size())
    stack_.fail("a load that the first walk has not made", stack_.instruction());
  SecondWalk::readUnlogged(event, at, size);
  next_ += size;
}

std::optional<uint64_t> SecondWalkOfPath::valueOf(const Piece& piece, uint64_t address) const {
  const CommonMemory::Found& found = context_.common.found[logs_.serial()];
  uint64_t value = 0;
  for (size_t i = 0; i < piece.size; ++i) {
    const size_t byte = next_ + (piece.address - address) + i;
    if (!found.known[byte]) return std::nullopt;
    value |= uint64_t(uint8_t(found.bytes[byte])) << (8 * i);
  }
  return value;
}

void ValueSource::readElsewhere(RawEvent& event, uint64_t address, uint64_t size) {
  for (const Piece& piece : context_.sharing.pieces(address, size))
    if (piece.shared) addSymbol(event, piece, std::nullopt);
}

// --- and what the load takes from the thread's memory then ---

void Accesses::loadScalars(Type* type, uint64_t address, Scalar* out) {
  if (!memory_.fromOutside.empty()) memory_.fromOutside.isRead(address, stack_.sizeOf(type));
  for (const ScalarLayout& scalar : stack_.layoutOf(type)) {
    const uint64_t at = address + scalar.offset;
    const Scalar value = memory_.bytes.knows(at, scalar.bytes) ? memory_.bytes.load(at, scalar.bytes)
                                                               : context_.firstValue(at, scalar.bytes);
    *out++ = math_.narrow(value, scalar.bits);
  }
}

// --- functions of libc that look ---

void FirstWalk::looksAt(uint64_t address, uint64_t size) {
  context_.sharing.note(logs_.serial(), address, size, false);
  context_.sharing.noteOutside(address, size); // it may have changed: nothing says what was read
}

void SecondWalk::looksAt(uint64_t address, uint64_t size) {
  context_.mayTouchMore |= context_.sharing.noteMaybe(logs_.serial(), address, size, false);
}

std::unique_ptr<ValueSource> ValueSource::make(WalkContext& context, LogReader& logs, const CallStack& stack,
                                               ScalarMath& math, ThreadMemory& memory) {
  const bool isPath = context.level == format::Level::path;
  if (context.discovering && isPath)
    return std::make_unique<FirstWalkTogether>(context, logs, stack, math, memory);
  if (context.discovering) return std::make_unique<FirstWalk>(context, logs, stack, math, memory);
  if (isPath) return std::make_unique<SecondWalkOfPath>(context, logs, stack, math, memory);
  return std::make_unique<SecondWalk>(context, logs, stack, math, memory);
}

} // namespace symbiosis
