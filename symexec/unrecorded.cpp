// Levels below `full`: what a load yields that was not logged, and what becomes of values that nobody knows
// (unknowns.h).
//
// Level `addresses`. In the first walk such a load is unknown; no address depends on it, since the slice of the
// pass has logged those that can become one. In the second walk shared memory is a symbol without an observed
// value, and private memory is what the thread itself has put there.
//
// Level `path`. No load was logged. The first walk takes all threads together (walk_together.h) and so finds a
// value for each; in the second one addresses are computed with it.
#include "symexec/executor.h"
#include "symexec/outside_functions.h"
#include <algorithm>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

uint64_t ThreadExecutor::required(const Scalar& value) {
  if (value.known) return concrete(value, 64);
  if (context_.level != format::Level::path)
    fail("an address is not known", frame().plan->steps[frame().step].instruction);
  addressUnknown();
}

uint64_t ThreadExecutor::requiredAddress(const Scalar& pointer) {
  constexpr uint64_t kFirst = 4096; // nothing is below
  if (context_.level == format::Level::path && pointer.known && pointer.bits < kFirst) addressUnknown();
  return required(pointer);
}

void ThreadExecutor::addressUnknown() const {
  const Instruction* at = frames_.back().plan->steps[frames_.back().step].instruction;
  throw NotRecorded(
      fmt::format("thread {}: level path does not tell which address is meant {}; profile again with "
                  "--record addresses",
                  log_.id, lineOf(at)));
}

Scalar ThreadExecutor::unknown(unsigned width, Unknowns::Kind kind) {
  if (context_.discovering) return {.known = false};
  const uint32_t symbol = newSymbol(std::nullopt);
  context_.unknowns.add(symbol, kind);
  return {.expr = context_.exprs.symbol(symbol, width), .known = false};
}

void ThreadExecutor::loseResult(const Step& step) {
  lost_ = false;
  const std::vector<ScalarLayout>& layout = layoutOf(step.instruction->getType());
  for (size_t i = 0; i < layout.size(); ++i) result(step)[i] = unknown(layout[i].bits, Unknowns::lost);
}

// What was logged of a value, and the expression that we computed for it.
Scalar ThreadExecutor::merged(const Scalar& logged, const Scalar& computed) {
  return {.bits = logged.bits, .expr = computed.expr};
}

static bool isLogged(format::Level level, const Step& step) {
  return level == format::Level::full || step.isText || (level == format::Level::addresses && step.inSlice);
}

const uint8_t* ThreadExecutor::takeLogged(const Step& step, uint64_t size) {
  if (!isLogged(context_.recorded, step)) return nullptr;
  const uint8_t* bytes = takeValues(size);
  return isLogged(context_.level, step) ? bytes : nullptr;
}

void ThreadExecutor::readUnlogged(RawEvent* event, uint64_t at, uint64_t size) {
  const bool isPath = context_.level == format::Level::path;
  if (isPath && context_.discovering) return readTogether(at, size);
  const CommonMemory::Found& found = context_.common.found[log_.serial];
  const size_t from = nextFound_;
  if (isPath) nextFound_ += size;
  if (isPath && nextFound_ > found.bytes.size())
    fail("a load that the first walk has not made", frame().plan->steps[frame().step].instruction);
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    if (context_.discovering) {
      const GlobalVariable* global = context_.addresses.globalAt(piece.address);
      memory_.store(piece.address, piece.size,
                    global && global->isConstant() ? own(piece) : Scalar{.known = false});
      continue;
    }
    if (!piece.shared || !event) {
      memory_.store(piece.address, piece.size, own(piece));
      continue;
    }
    RawPart part;
    part.address = piece.address;
    part.size = piece.size;
    Scalar value{.known = isPath};
    for (size_t i = 0; i < piece.size && value.known; ++i) {
      const size_t byte = from + (piece.address - at) + i;
      value.bits |= uint64_t(uint8_t(found.bytes[byte])) << (8 * i);
      value.known = found.known[byte];
    }
    part.symbol = newSymbol(value.known ? std::optional(value.bits) : std::nullopt);
    event->parts.push_back(part);
    value.expr = context_.exprs.symbol(part.symbol, piece.size * 8u);
    memory_.store(piece.address, piece.size, value);
  }
}

// The thread's own last write, the value with which the program was linked, or an input.
Scalar ThreadExecutor::own(const Piece& piece) {
  if (!fromOutside_.empty()) readsFromOutside(piece.address, piece.size);
  if (memory_.knows(piece.address, piece.size)) return memory_.load(piece.address, piece.size);
  const bool isGlobal = context_.addresses.hasFirstValue(piece.address);
  for (uint64_t at = piece.address; at < piece.address + piece.size; ++at)
    if (!memory_.knows(at, 1))
      memory_.store(at, 1, isGlobal ? context_.initial.load(at, 1) : unknown(8, Unknowns::input));
  return memory_.load(piece.address, piece.size);
}

// What somebody wrote there last, in the order of this walk.
void ThreadExecutor::readTogether(uint64_t at, uint64_t size) {
  Memory& all = context_.common.memory;
  CommonMemory::Found& found = context_.common.found[log_.serial];
  CommonMemory::Load load{pointIndex_ - 1, at, size, found.bytes.size(), true};
  const auto instead = context_.common.instead.find({log_.serial, load.number});
  if (instead == context_.common.instead.end() && size <= 8 && all.knows(at, size)) {
    if (const Scalar value = all.load(at, unsigned(size)); value.known) {
      memory_.store(at, unsigned(size), value);
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
    else if (memory_.knows(byte, 1))
      value = memory_.load(byte, 1);
    else if (context_.addresses.hasFirstValue(byte))
      value = context_.initial.load(byte, 1);
    memory_.store(byte, 1, value);
    found.bytes.push_back(char(value.bits));
    found.known.push_back(value.known);
    load.isEmpty = load.isEmpty && (!value.known || value.bits == 0);
  }
  context_.common.noteLoad(found, load);
}

void ThreadExecutor::writeTogether(uint64_t at, uint64_t size) {
  for (uint64_t byte = at; byte < at + size; ++byte) context_.common.memory.store(byte, 1, memory_.load(byte, 1));
  if (size > 8) return;
  if (const Scalar value = memory_.load(at, unsigned(size)); value.known)
    context_.common.noteWritten(at, size, value.bits);
}

// A function outside that gets a pointer may write what is behind it, and what pointers there lead to.
void ThreadExecutor::forgetWrittenOutside(const Step& step, const CallBase& call) {
  const Function* callee = calleeOf(call);
  const StringRef name = callee ? callee->getName() : "";
  auto forgetWord = [&](unsigned argument) {
    if (operand(step, argument)->known) forgetRange({operand(step, argument)->bits, 8});
  };
  if (name.starts_with("_ZNSt6thread15_M_start_thread")) { // sets the thread's number, empties the std::unique_ptr
    forgetWord(0);
    return forgetWord(1);
  }
  if (name == "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv") return forgetWord(0);
  if (name == "_ZNSt15__exception_ptr13exception_ptrC1EPv" && operand(step, 0)->known) {
    const uint64_t at = operand(step, 0)->bits;
    memory_.store(at, 8, storable(*operand(step, 1), 64));
    if (context_.discovering) writeTogether(at, 8);
    return;
  }
  if (writesNothing(call, callee) || onlyShows(step, call)) return;
  for (const Range& range : writableOutside(step, call)) forgetRange(range);
}

std::vector<ThreadExecutor::Range> ThreadExecutor::writableOutside(const Step& step, const CallBase& call) {
  std::vector<Range> ranges;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy() && !call.onlyReadsMemory(i) && operand(step, i)->known)
      addReachable(operand(step, i)->bits, 2, ranges);
  return ranges;
}

void ThreadExecutor::addReachable(uint64_t address, unsigned depth, std::vector<Range>& ranges) {
  if (const GlobalVariable* global = context_.addresses.globalAt(address); global && global->isConstant()) return;
  const auto [begin, size] = objectAt(address);
  constexpr uint64_t kLargest = 1 << 20;
  if (size == 0 || size > kLargest) return;
  if (any_of(ranges, [&](const Range& range) { return range.begin == begin; })) return;
  ranges.push_back({begin, size});
  for (uint64_t at = (begin + 7) & ~uint64_t{7}; depth > 0 && at + 8 <= begin + size; at += 8)
    if (memory_.knows(at, 8))
      if (const Scalar word = memory_.load(at, 8); word.known && word.bits > 4096)
        addReachable(word.bits, depth - 1, ranges);
}

bool ThreadExecutor::dependsOnShared(const Scalar& value) {
  return value.isSymbolic() && !context_.unknowns.isFixed(value.expr);
}

// The call computed something from these arguments. If it has returned it, they are what they were; if it has
// written it somewhere, they are once that is read.
void ThreadExecutor::usedOutside(const Step& step, const CallBase& call, const format::OpRecord* returned) {
  if (context_.discovering || onlyShows(step, call)) return;
  const Function* callee = calleeOf(call);
  const bool isText = formats(callee);
  FromOutside made{{}, {}, &call, false};
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Scalar argument = *operand(step, i);
    if (dependsOnShared(argument)) made.from.push_back(argument);
    if (!call.getArgOperand(i)->getType()->isPointerTy() || !argument.known || step.point) continue;
    if (isText || !writesNothing(call, callee)) addSymbolic(objectAt(argument.bits), made.from);
    made.ofShared |= isText && i > 0 && context_.sharing.touchesShared(argument.bits, kBehindPointer);
  }
  if (made.from.empty() && !made.ofShared) return;
  if (isText && returned && call.use_empty() &&
      !context_.sharing.touchesShared(returned->object, returned->argument))
    made.ranges = {{returned->object, returned->argument}};
  else if (!isText && call.use_empty() && !isInsertion(callee))
    made.ranges = writableOutside(step, call);
  if (made.ranges.empty()) return fixSources(made);
  // The same buffer again: what was there is gone.
  if (isText) forgetFromOutside(made.ranges[0]);
  fromOutside_.push_back(std::move(made));
  constexpr size_t kMost = 256;
  if (fromOutside_.size() <= kMost) return;
  fixSources(fromOutside_.front());
  fromOutside_.erase(fromOutside_.begin());
}

void ThreadExecutor::forgetFromOutside(Range range) {
  std::erase_if(fromOutside_, [&](const FromOutside& made) {
    return all_of(made.ranges, [&](const Range& old) {
      return range.begin <= old.begin && old.begin + old.size <= range.begin + range.size;
    });
  });
}

// What the thread itself has put there; shared memory is asked for in noteUnmodelled.
void ThreadExecutor::addSymbolic(Range range, std::vector<Scalar>& values) {
  constexpr uint64_t kLargest = 4096;
  const uint64_t end = range.begin + std::min(range.size, kLargest);
  for (uint64_t at = range.begin; at < end;) {
    const unsigned size = at % 8 == 0 && at + 8 <= end && memory_.knows(at, 8) ? 8 : 1;
    if (memory_.knows(at, size) && !context_.sharing.touchesShared(at, size))
      if (const Scalar value = memory_.load(at, size); dependsOnShared(value)) values.push_back(value);
    at += size;
  }
}

void ThreadExecutor::fixSources(const FromOutside& made) {
  for (const Scalar& value : made.from) concrete(value, 64);
  // It is known what came of them, but not how.
  if (std::exchange(lost_, false) || made.ofShared) noteUnmodelledName(*made.call);
}

void ThreadExecutor::readsFromOutside(uint64_t at, uint64_t size) {
  for (size_t i = 0; i < fromOutside_.size();) {
    const bool isRead = any_of(fromOutside_[i].ranges, [&](const Range& range) {
      return at < range.begin + range.size && range.begin < at + size;
    });
    if (!isRead) {
      ++i;
      continue;
    }
    const bool lost = std::exchange(lost_, false); // of the instruction that reads
    fixSources(fromOutside_[i]);
    lost_ = lost;
    fromOutside_.erase(fromOutside_.begin() + ptrdiff_t(i));
  }
}

void ThreadExecutor::forgetRange(Range range) {
  memory_.forget(range.begin, range.size);
  for (uint64_t at = range.begin; at < range.begin + range.size; ++at)
    if (context_.discovering)
      context_.common.memory.store(at, 1, {.known = false});
    else if (context_.addresses.globalAt(at)) // read again, it would seem to have its first value
      memory_.store(at, 1, unknown(8, Unknowns::input));
}

// What was in the block before belonged to somebody else.
void ThreadExecutor::freshMemory(uint64_t at, uint64_t size, const Step* step) {
  constexpr uint64_t kLargest = 16 << 20;
  memory_.forget(at, std::min(size, kLargest));
  context_.common.memory.forget(at, std::min(size, kLargest));
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (callee && callee->getName() == "calloc")
    for (uint64_t i = 0; i < std::min(size, kLargest); ++i)
      for (Memory* memory : {&memory_, &context_.common.memory}) memory->store(at + i, 1, {});
}

void ThreadExecutor::fillThreadLocal(const Value* variable, uint64_t at) {
  const auto* global = dyn_cast<GlobalVariable>(variable);
  if (!global || !global->hasInitializer() || context_.planner.layouts.allocSize(global->getValueType()) > 4096)
    return;
  if (!threadLocals_.insert(at).second) return;
  const std::vector<Scalar> initial = context_.planner.constant(global->getInitializer());
  storeScalars(global->getValueType(), at, initial.data());
}

} // namespace symbiosis
