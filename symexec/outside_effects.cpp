#include "symexec/outside_effects.h"
#include "symexec/outside_functions.h"
#include "trace/text_readers.h"

using namespace llvm;

namespace symbiosis {

// How much of the memory behind a pointer a function outside may look at, for all that is known of it.
static constexpr uint64_t kBehindPointer = 64;

bool OutsideEffects::onlyShows(const Step& step, const CallBase& call) const {
  const Function* callee = stack_.calleeOf(call);
  const bool prints = isInsertion(callee) && call.arg_size() > 0 && operand(step, 0)->known &&
                      isStandardStream(context_.addresses.globalAt(operand(step, 0)->bits));
  if (prints || !call.use_empty() || formats(callee)) return prints;
  if (writesNothing(call, callee)) return true;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy() && !call.onlyReadsMemory(i)) return false;
  return true;
}

void OutsideEffects::usesArguments(const Step& step, const CallBase& call, const format::OpRecord* returned) {
  if (context_.discovering || onlyShows(step, call)) return;
  const Function* callee = stack_.calleeOf(call);
  const bool isText = formats(callee);
  FromOutside::Made made;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Scalar argument = *operand(step, i);
    if (math_.dependsOnShared(argument)) made.from.push_back(argument);
    if (!call.getArgOperand(i)->getType()->isPointerTy() || !argument.known || step.point) continue;
    if (isText || !writesNothing(call, callee)) addSymbolic(memory_.objectAt(argument.bits), made.from);
    made.ofShared |= isText && i > 0 && context_.sharing.touchesShared(argument.bits, kBehindPointer);
  }
  if (const std::optional<unsigned> text = callee ? textReadBy(callee->getName()) : std::nullopt)
    if (*text < call.arg_size() && operand(step, *text)->known) addText(operand(step, *text)->bits, made.from);
  if (made.from.empty() && !made.ofShared) return;
  made.by = stack_.nameOfCallee(call);
  if (isText && returned && call.use_empty() &&
      !context_.sharing.touchesShared(returned->object, returned->argument))
    made.ranges = {{returned->object, returned->argument}};
  else if (!isText && call.use_empty() && !isInsertion(callee))
    made.ranges = writable(step, call);
  // The same buffer again: what was there is gone.
  if (isText && !made.ranges.empty()) memory_.fromOutside.forget(made.ranges[0]);
  memory_.fromOutside.add(std::move(made));
}

// What the copy before the call has read, as far as the text went, in pieces as large as can be: each is one
// decision.
void OutsideEffects::addText(uint64_t begin, std::vector<Scalar>& values) {
  Memory& bytes = memory_.bytes;
  uint64_t end = begin;
  while (end < begin + kMostTextRead && bytes.knows(end, 1))
    if (const Scalar byte = bytes.load(end++, 1); byte.known && byte.bits == 0) break;
  for (uint64_t at = begin; at < end;) {
    unsigned size = 8;
    while (at % size != 0 || at + size > end) size /= 2;
    if (const Scalar piece = bytes.load(at, size);
        context_.sharing.touchesShared(at, size) && math_.dependsOnShared(piece))
      values.push_back(piece);
    at += size;
  }
}

// What the thread itself has put there; shared memory is asked for in noteUnmodelled.
void OutsideEffects::addSymbolic(Range range, std::vector<Scalar>& values) {
  constexpr uint64_t kLargest = 4096;
  const uint64_t end = range.begin + std::min(range.size, kLargest);
  Memory& bytes = memory_.bytes;
  for (uint64_t at = range.begin; at < end;) {
    const unsigned size = at % 8 == 0 && at + 8 <= end && bytes.knows(at, 8) ? 8 : 1;
    if (bytes.knows(at, size) && !context_.sharing.touchesShared(at, size))
      if (const Scalar value = bytes.load(at, size); math_.dependsOnShared(value)) values.push_back(value);
    at += size;
  }
}

// A function outside that gets a pointer may write what is behind it, and what pointers there lead to.
void OutsideEffects::writesMemory(const Step& step, const CallBase& call) {
  const Function* callee = stack_.calleeOf(call);
  const StringRef name = callee ? callee->getName() : "";
  auto forgetWord = [&](unsigned argument) {
    if (operand(step, argument)->known) values_.changedOutside({operand(step, argument)->bits, 8});
  };
  if (name.starts_with("_ZNSt6thread15_M_start_thread")) { // sets the thread's number, empties the std::unique_ptr
    forgetWord(0);
    return forgetWord(1);
  }
  if (name == "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv") return forgetWord(0);
  if (name == "_ZNSt15__exception_ptr13exception_ptrC1EPv" && operand(step, 0)->known) {
    const uint64_t at = operand(step, 0)->bits;
    memory_.bytes.store(at, 8, math_.storable(*operand(step, 1), 64));
    return values_.stored(at, 8);
  }
  if (writesNothing(call, callee) || onlyShows(step, call)) return;
  for (const Range& range : writable(step, call)) values_.changedOutside(range);
}

std::vector<Range> OutsideEffects::writable(const Step& step, const CallBase& call) {
  std::vector<Range> ranges;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy() && !call.onlyReadsMemory(i) && operand(step, i)->known)
      addReachable(operand(step, i)->bits, 2, ranges);
  return ranges;
}

void OutsideEffects::addReachable(uint64_t address, unsigned depth, std::vector<Range>& ranges) {
  if (const GlobalVariable* global = context_.addresses.globalAt(address); global && global->isConstant()) return;
  const auto [begin, size] = memory_.objectAt(address);
  constexpr uint64_t kLargest = 1 << 20;
  if (size == 0 || size > kLargest) return;
  if (any_of(ranges, [start = begin](const Range& range) { return range.begin == start; })) return;
  ranges.push_back({begin, size});
  for (uint64_t at = (begin + 7) & ~uint64_t{7}; depth > 0 && at + 8 <= begin + size; at += 8)
    if (memory_.bytes.knows(at, 8))
      if (const Scalar word = memory_.bytes.load(at, 8); word.known && word.bits > 4096)
        addReachable(word.bits, depth - 1, ranges);
}

void OutsideEffects::noteUnmodelled(const Step& step, const CallBase& call) {
  const Function* callee = stack_.calleeOf(call);
  if (context_.discovering || step.point) return;
  // What a wait in the kernel's terms returned is fed to a replay.
  const bool tells =
      !call.use_empty() && !lastRecordOf(call) && !keepsToItself(callee) && !isFutexWaitOrWake(call);
  // Pipes, sockets and signals order threads, and the trace has no events for that.
  static constexpr StringRef channels[] = {"readv", "recvmsg", "epoll_wait", "select",    "poll",
                                           "ppoll", "pause",   "mq_receive", "sigsuspend"};
  if (callee && is_contained(channels, callee->getName())) events_.noteUnmodelled(stack_.nameOfCallee(call));
  if (onlyShows(step, call) || (writesNothing(call, callee) && !tells)) return;
  const std::optional<unsigned> text = callee ? textReadBy(callee->getName()) : std::nullopt;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy() || (call.onlyReadsMemory(i) && !tells)) continue;
    if (text == i) continue; // it was read before the call
    const Scalar pointer = *operand(step, i);
    if (!pointer.known || !pointer.bits || !context_.sharing.touchesShared(pointer.bits, kBehindPointer)) continue;
    events_.noteUnmodelled(stack_.nameOfCallee(call));
  }
}

} // namespace symbiosis
