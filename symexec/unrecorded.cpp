// Levels below `full`: what a load yields that was not logged, and what becomes of values that nobody knows
// (unknowns.h).
//
// Level `addresses`. In the first walk such a load is unknown; no address depends on it, since the slice of the
// pass has logged those that can become one. In the second walk shared memory is a symbol without an observed
// value, and private memory is what the thread itself has put there.
//
// Level `path`. No load was logged. What is read from memory that others write is one of the values that they
// write there, or the thread's own; if only one of them can be meant, addresses are computed with it.
#include "symexec/executor.h"
#include <algorithm>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

uint64_t ThreadExecutor::required(const Scalar& value) {
  if (value.known) return concrete(value, 64);
  const Instruction* at = frame().plan->steps[frame().step].instruction;
  if (context_.level != format::Level::path) fail("an address is not known", at);
  throw AddressUnknown(
      fmt::format("thread {}: several addresses could be meant {}, and level path does not tell which; "
                  "profile again with --record addresses",
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
  return level == format::Level::full || (level == format::Level::addresses && step.inSlice);
}

const uint8_t* ThreadExecutor::takeLogged(const Step& step, uint64_t size) {
  if (!isLogged(context_.recorded, step)) return nullptr;
  const uint8_t* bytes = takeValues(size);
  return isLogged(context_.level, step) ? bytes : nullptr;
}

void ThreadExecutor::readUnlogged(RawEvent* event, uint64_t at, uint64_t size) {
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    if (context_.level == format::Level::addresses && context_.discovering) {
      const GlobalVariable* global = context_.addresses.globalAt(piece.address);
      memory_.store(piece.address, piece.size,
                    global && global->isConstant() ? own(piece) : Scalar{.known = false});
      continue;
    }
    if (context_.discovering || !piece.shared || !event) {
      memory_.store(piece.address, piece.size, context_.discovering ? resolve(piece) : own(piece));
      continue;
    }
    RawPart part;
    part.address = piece.address;
    part.size = piece.size;
    Scalar value = context_.level == format::Level::path ? resolve(piece) : Scalar{.known = false};
    part.symbol = newSymbol(value.known ? std::optional(value.bits) : std::nullopt);
    event->parts.push_back(part);
    value.expr = context_.exprs.symbol(part.symbol, piece.size * 8u);
    memory_.store(piece.address, piece.size, value);
  }
}

// The thread's own last write, the value with which the program was linked, or an input.
Scalar ThreadExecutor::own(const Piece& piece) {
  if (memory_.knows(piece.address, piece.size)) return memory_.load(piece.address, piece.size);
  const bool isGlobal = context_.addresses.globalAt(piece.address) != nullptr;
  for (uint64_t at = piece.address; at < piece.address + piece.size; ++at)
    if (!memory_.knows(at, 1))
      memory_.store(at, 1, isGlobal ? context_.initial.load(at, 1) : unknown(8, Unknowns::input));
  return memory_.load(piece.address, piece.size);
}

Scalar ThreadExecutor::resolve(const Piece& piece) {
  WrittenValues::Candidates candidates = context_.written.ofOthers(log_.serial, piece.address, piece.size);
  if (candidates.unclear) return {.known = false};
  std::vector<uint64_t>& values = candidates.values;
  const bool hasOwn =
      memory_.knows(piece.address, piece.size) || context_.addresses.globalAt(piece.address) != nullptr;
  if (hasOwn) {
    const Scalar mine = own(piece);
    if (!mine.known || values.empty()) return {.bits = mine.bits, .known = mine.known};
    if (std::find(values.begin(), values.end(), mine.bits) == values.end()) values.push_back(mine.bits);
  }
  // Null is no address, unless the run has crashed: where another value can be meant, that is the address.
  if (piece.size == 8 && values.size() > 1 && !context_.crashed) std::erase(values, uint64_t{0});
  if (values.size() != 1) return {.known = false};
  return {.bits = values.front()};
}

void ThreadExecutor::noteWritten(uint64_t at, uint64_t size) {
  for (const Piece& piece : context_.sharing.pieces(at, size)) {
    const Scalar value = memory_.load(piece.address, piece.size);
    context_.written.note(log_.serial, piece.address, piece.size, value.bits, value.known);
  }
}

// A function outside that gets a pointer may write what is behind it, and what pointers there lead to.
void ThreadExecutor::forgetWrittenOutside(const Step& step, const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  // std::thread::_M_start_thread empties the std::unique_ptr that it is given.
  const bool takesOwnership = callee && callee->getName().starts_with("_ZNSt6thread15_M_start_thread");
  if (writesNothing(call) && !takesOwnership) return;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy() && !call.onlyReadsMemory(i) && operand(step, i)->known)
      forgetObject(operand(step, i)->bits, 2);
}

void ThreadExecutor::forgetObject(uint64_t address, unsigned depth) {
  if (const GlobalVariable* global = context_.addresses.globalAt(address); global && global->isConstant()) return;
  const auto [begin, size] = objectAt(address);
  constexpr uint64_t kLargest = 1 << 20;
  if (size == 0 || size > kLargest) return;
  std::vector<uint64_t> next;
  for (uint64_t at = (begin + 7) & ~uint64_t{7}; depth > 0 && at + 8 <= begin + size; at += 8)
    if (memory_.knows(at, 8))
      if (const Scalar word = memory_.load(at, 8); word.known && word.bits > 4096) next.push_back(word.bits);
  memory_.forget(begin, size);
  // A global that is read again would seem to have its first value.
  for (uint64_t at = begin; !context_.discovering && at < begin + size; ++at)
    if (context_.addresses.globalAt(at)) memory_.store(at, 1, unknown(8, Unknowns::input));
  for (uint64_t pointer : next) forgetObject(pointer, depth - 1);
}

// What was in the block before belonged to somebody else.
void ThreadExecutor::freshMemory(uint64_t at, uint64_t size, const Step* step) {
  constexpr uint64_t kLargest = 16 << 20;
  memory_.forget(at, std::min(size, kLargest));
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (callee && callee->getName() == "calloc")
    for (uint64_t i = 0; i < std::min(size, kLargest); ++i) memory_.store(at + i, 1, {});
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
