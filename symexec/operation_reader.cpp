#include "symexec/operation_reader.h"
#include "symexec/library_names.h"
#include "symexec/outside_functions.h"
#include "symexec/pending.h"
#include "symexec/signal_names.h"
#include "trace/signal_objects.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

using namespace llvm;

namespace symbiosis {

const format::OpRecord* OperationReader::at(uint32_t site) const {
  const format::OpRecord* record = logs_.operationHere();
  return record && record->site == site && !failure_.crashIsNext() ? record : nullptr;
}

// A block that `calloc` made is zero; what another one holds is unknown.
static bool isZeroed(const Step* step) {
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "calloc";
}

bool OperationReader::take(const Step* step) {
  const format::OpRecord& record = logs_.takeOperation();
  const bool goesOn = makeEvent(record, step);
  if (EventKind(record.kind) == EventKind::alloc) blockBegins(record, step);
  logs_.lastTimestamp = record.timestamp;
  if (!record.inLibrary) ++logs_.points;
  return goesOn;
}

// Where all loads were logged, the log tells what is in a new block; but not that it came from the old one.
void OperationReader::blockBegins(const format::OpRecord& allocated, const Step* step) {
  const uint64_t begin = allocated.object, size = allocated.argument;
  const std::optional<Range> from = std::exchange(moved_, std::nullopt);
  if (from && from->begin == begin) { // it is where it was
    if (!values_.logsEverything() && size > from->size)
      values_.blockBegins({begin + from->size, size - from->size}, false);
    return;
  }
  if (!values_.logsEverything()) values_.blockBegins({begin, size}, isZeroed(step));
  if (from && begin) carryOver({from->begin, std::min(from->size, size)}, begin, step);
}

// realloc has copied what was in the old block: it read that and wrote the new one, as memcpy does.
void OperationReader::carryOver(Range from, uint64_t to, const Step* step) {
  constexpr uint64_t kMost = 16 << 20;
  if (from.size > kMost) return events_.noteUnmodelled("realloc of more than 16 MB");
  if (context_.discovering) context_.sharing.note(logs_.serial(), from.begin, from.size, false);
  const bool reads = context_.sharing.touchesShared(from.begin, from.size),
             writes = context_.sharing.touchesShared(to, from.size);
  RawEvent* event = nullptr;
  if (reads || writes) {
    std::vector<RawEvent>& events = events_.result.events;
    const bool isThere = !events.empty() && events.back().index == logs_.points; // the life of the block begins
    event = isThere ? &events.back() : &events_.add(EventKind::rmw, step ? step->instruction : nullptr);
    event->kind = reads && writes ? EventKind::rmw : reads && !isThere ? EventKind::read : EventKind::write;
    event->address = writes ? to : from.begin;
    event->variable = nameOfBlock(from.begin, step);
    if (reads) values_.readElsewhere(*event, from.begin, from.size);
  }
  memory_.bytes.copy(to, from.begin, from.size);
  values_.wrote(event, to, from.size);
}

bool OperationReader::wasCancelledIn(const format::OpRecord& record) const {
  return record.state == format::OpState::intent && isAcquisition(EventKind(record.kind)) &&
         logs_.hasOperation() && !failure_.crashIsNext();
}

// The call returned an error, or a try did not succeed and is no event of the model.
static bool didNothing(const format::OpRecord& record) {
  if (record.state != format::OpState::done || record.result == 0) return false;
  switch (EventKind(record.kind)) {
  case EventKind::trylock:
  case EventKind::tryrdlock:
  case EventKind::trywrlock:
  case EventKind::semTrywait:
  case EventKind::wake: return false; // the result is the outcome
  default: return true;
  }
}

bool OperationReader::makeEvent(const format::OpRecord& record, const Step* step) {
  const EventKind kind = EventKind(record.kind);
  if (record.state == format::OpState::intent && isAcquisition(kind)) {
    if (failure_.crashIsNext()) return true; // in this very operation
    if (!wasCancelledIn(record)) return endsIn(record, step), false;
    return requestTaken(record, step), true;
  }
  if (didNothing(record)) return true;
  switch (kind) {
  case EventKind::write: return outsideWrote(record, step), true;
  case EventKind::send: return sent(record, step), true;
  case EventKind::input:
  case EventKind::alloc: // its value comes with the result of the call
    noteLife(record);
    if (&record == context_.end.allocated) lifeBegins(record, step);
    return true;
  case EventKind::destroy:
  case EventKind::free:
    if (context_.keepsMarks && !context_.discovering)
      events_.result.ended.push_back({record.object, kind == EventKind::destroy,
                                      record.inLibrary ? kNoPoint : logs_.points, logs_.lastTimestamp,
                                      record.timestamp});
    noteLife(record);
    if (endsLife(record)) lifeEnds(record, step);
    if (const Life* life = record.moves ? context_.lives.lastAt(record.object, record.timestamp) : nullptr)
      moved_ = life->block;
    return true;
  case EventKind::failure:
    if (!failure_.isFailing()) return false; // another one was first
    break;
  default: break;
  }
  if (!changesHolder(record)) return true;
  fill(events_.add(kind, step ? step->instruction : nullptr), record, step);
  if (kind == EventKind::futexWait && !context_.discovering) findsInWord(record, step);
  if (kind == EventKind::failure && step) return failure_.failsHere(*step), false;
  if (kind == EventKind::exit && failure_.isExiting()) return failure_.hasExited(), false;
  return true;
}

void OperationReader::fill(RawEvent& event, const format::OpRecord& record, const Step* step) const {
  const EventKind kind = EventKind(record.kind);
  event.tail = record.timestamp > context_.end.failureTime;
  event.timestamp = record.timestamp;
  event.address = record.object;
  context_.sharing.noteSync(record.object);
  if (kind == EventKind::fork) context_.sharing.threadBegins();
  if (kind == EventKind::fork || kind == EventKind::join) event.peerSerial = uint32_t(record.argument);
  if (kind == EventKind::waitBegin) event.mutex = record.argument;
  if (kind == EventKind::semInit || kind == EventKind::barrierArrive)
    event.outcome = uint32_t(record.argument);
  else
    event.outcome = record.result == 0 ? 0 : kind == EventKind::wake && record.result == EINTR ? 2 : 1;
  event.timed = record.timed;
  logs_.path.note(uint64_t(kind) << 32 | event.outcome);
  event.mark = logs_.path.lastMark();
  event.variable = nameOfObject(record.object, step);
}

// The kernel lets nobody wait who would not find in the word what it expects there.
void OperationReader::findsInWord(const format::OpRecord& record, const Step* step) {
  constexpr unsigned kWord = 4;
  values_.readElsewhere(events_.result.events.back(), record.object, kWord);
  if (!memory_.bytes.knows(record.object, kWord)) return;
  const Scalar found = memory_.bytes.load(record.object, kWord);
  if (!found.isSymbolic()) return;
  const ExprId expected = context_.exprs.constant(record.argument, kWord * 8);
  events_.addCondition(context_.exprs.binary(ExprOp::eq, found.expr, expected), step != nullptr,
                       step ? step->instruction : nullptr);
}

// A function that fills a buffer was announced, and is recorded when it has done so: what it allocates comes
// before.
static bool isAnnounced(const Step* step) {
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  return call && lastRecordOf(*call) == EventKind::write;
}

// What a library does has no index of its own: it belongs to the point at which its thread is, which is that of
// the wrapped call in which it happens, or else the last that the thread has passed.
RawEvent& OperationReader::lifeEvent(EventKind kind, const format::OpRecord& record, const Step* step) {
  const bool hasPassed = record.inLibrary && !isAnnounced(step);
  events_.settleUses();
  if (hasPassed && lastPointIsEvent()) {
    events_.result.events.back().isUse = false;
    return events_.result.events.back();
  }
  RawEvent& event = events_.add(record.inLibrary ? EventKind::rmw : kind, step ? step->instruction : nullptr);
  fill(event, record, nullptr);
  event.index -= hasPassed;
  return event;
}

bool OperationReader::lastPointIsEvent() const {
  const std::vector<RawEvent>& events = events_.result.events;
  return !events.empty() && events.back().index + 1 == logs_.points;
}

// For the uses that come before it (uses_before_free.h).
void OperationReader::noteLife(const format::OpRecord& record) {
  if (!context_.discovering) return;
  UsesBeforeFree::Standing here = events_.standing();
  here.points -= record.inLibrary && here.points > 0;
  context_.uses.noteOperation(record, here);
}

bool OperationReader::endsLife(const format::OpRecord& record) const {
  const bool isAsked = !context_.discovering && !context_.keepsMarks && context_.uses.isAsked(record);
  return isAsked || &record == context_.end.freed;
}

// The allocation of the block whose use is the failure.
void OperationReader::lifeBegins(const format::OpRecord& record, const Step* step) {
  // Where a library's allocation has no place of its own, the block was always there.
  if (!record.inLibrary || isAnnounced(step) || !lastPointIsEvent())
    lifeEvent(EventKind::write, record, step).parts.push_back(beginOfLife(context_.exprs, record));
  if (!step) return;
  events_.result.allocatedAt = step->instruction;
  events_.result.allocatedBy = stack_.callers();
}

// The `free` of a block whose uses matter: it found the block alive, and ended its life (lives.h).
void OperationReader::lifeEnds(const format::OpRecord& record, const Step* step) {
  const llvm::Instruction* at = step ? step->instruction : nullptr;
  RawEvent& event = lifeEvent(EventKind::rmw, record, step);
  event.parts.push_back(endOfLife(context_.exprs, record));
  if (EventKind(record.kind) == EventKind::destroy)
    event.variable = nameOfObject(record.object, step);
  else if (event.variable.empty())
    event.variable = nameOfBlock(record.object, step);
  if (&record == context_.end.freed) events_.result.freedEvent = events_.result.events.size() - 1;
  if (context_.discovering) return;
  const uint32_t life = context_.newSymbol(1);
  event.parts.back().symbol = life;
  event.parts.back().observed = 1;
  events_.addCondition(context_.exprs.negate(isOver(context_.exprs, life)), false, at);
}

// The argument of the call that is the object has a name, if anything has.
std::string OperationReader::nameOfObject(uint64_t object, const Step* step) const {
  if (format::isSignalObject(object)) return nameOfSignal(format::signalOf(object));
  const auto* call = step && object ? dyn_cast<CallBase>(step->instruction) : nullptr;
  for (unsigned i = 0; call && i < std::min<unsigned>(call->arg_size(), 2); ++i)
    if (call->getArgOperand(i)->getType()->isPointerTy() && stack_.operand(*step, i)->bits == object)
      return stack_.nameOf(call->getArgOperand(i), step->instruction, 1);
  return {};
}

// The pointer to the block, as the program calls it: `queue`, not the member that happens to be its first.
std::string OperationReader::nameOfBlock(uint64_t block, const Step* step) const {
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  for (unsigned i = 0; call && i < call->arg_size(); ++i)
    if (call->getArgOperand(i)->getType()->isPointerTy() && stack_.operand(*step, i)->bits == block)
      return nameOfHolder(stack_.nameOf(call->getArgOperand(i), step->instruction, kWholeObject));
  return {};
}

// False: the thread only takes once more, or gives back once, a recursive mutex that it holds all the same.
bool OperationReader::changesHolder(const format::OpRecord& record) {
  const EventKind kind = EventKind(record.kind);
  switch (kind) {
  case EventKind::lock:
  case EventKind::unlock: return changesHolder(record.object, kind);
  case EventKind::trylock: return record.result != 0 || changesHolder(record.object, kind);
  case EventKind::waitBegin: return changesHolder(record.argument, EventKind::unlock), true;
  default: return true;
  }
}

// A recursive mutex is held from its first lock to its last unlock.
bool OperationReader::changesHolder(uint64_t mutex, EventKind kind) {
  auto at = std::find_if(held_.begin(), held_.end(), [&](auto& entry) { return entry.first == mutex; });
  if (kind == EventKind::unlock) {
    if (at == held_.end()) return false;
    if (--at->second > 0) return false;
    held_.erase(at);
    return true;
  }
  if (at != held_.end()) {
    ++at->second;
    return false;
  }
  held_.push_back({mutex, 1});
  return true;
}

std::vector<uint64_t> OperationReader::heldMutexes() const {
  std::vector<uint64_t> mutexes;
  for (const auto& [mutex, depth] : held_) mutexes.push_back(mutex);
  return mutexes;
}

// The thread took a request to cancel it, which is a semaphore (cancellations.h).
void OperationReader::requestTaken(const format::OpRecord& record, const Step* step) {
  RawEvent& event = events_.add(EventKind::semWait, step ? step->instruction : nullptr);
  event.timestamp = record.timestamp;
  event.address = format::cancellationOf(logs_.serial());
}

// The thread never came out of this operation. If that is the failure, and it would have waited for ever, it is a
// pending event.
void OperationReader::endsIn(const format::OpRecord& record, const Step* step) {
  const EventKind kind = EventKind(record.kind);
  if (!context_.end.isWaiting || !canWait(kind)) return;
  const std::vector<RawEvent>& before = events_.result.events;
  const uint64_t mutex = kind == EventKind::wake && !before.empty() ? before.back().mutex : 0;
  RawEvent& event = events_.add(kind, step ? step->instruction : nullptr);
  event.tail = false;
  event.pending = true;
  event.bystander = record.timed;
  event.timestamp = record.timestamp;
  event.address = record.object;
  context_.sharing.noteSync(record.object);
  event.mutex = mutex;
  if (kind == EventKind::join) event.peerSerial = uint32_t(record.argument);
  event.variable = nameOfObject(record.object, step);
}

// Nobody outside of the process can end this call, and nobody in it does: like a semaphore that is never posted.
void OperationReader::waitsOutside(const Step& step) {
  RawEvent& event = events_.add(EventKind::semWait, step.instruction);
  event.tail = false;
  event.pending = true;
  event.timestamp = logs_.lastTime();
  event.address =
      format::kSignalObjects + (1 + logs_.serial()) * format::kSignalsPerThread; // signal 0 is never sent
  context_.sharing.noteSync(event.address);
  event.variable = nameOfChannel(&step);
}

// What a function outside wrote, and the runtime has recorded: the buffer that read() filled, the guard of a
// function-local static. What came out of a channel is one event with the change of its count.
void OperationReader::outsideWrote(const format::OpRecord& record, const Step* step) {
  const uint64_t at = record.object, size = record.argument;
  format::ChannelUse use = {};
  if (record.channel) use = channelUse();
  if (record.channel && !use.channel && !context_.discovering) events_.noteUnmodelled("a pipe or socket");
  if (size > 0) memory_.bytes.storeBytes(at, logs_.takeValues(size), size);
  const bool counts = countsShared(use);
  RawEvent* event = nullptr;
  if (counts || (size > 0 && context_.sharing.touchesShared(at, size))) {
    std::vector<RawEvent>& events = events_.result.events;
    // It may have freed a block on the way, which is part of the same event then.
    const bool isThere = !counts && !events.empty() && events.back().index == logs_.points;
    event = isThere ? &events.back()
                    : &events_.add(counts ? EventKind::rmw : EventKind::write, step ? step->instruction : nullptr);
    event->address = counts ? format::placeOfChannel(use.channel) : at;
    event->variable = counts ? nameOfChannel(step) : nameOfObject(at, step);
  }
  if (size > 0) values_.wrote(event, at, size);
  if (counts) tookFromChannel(use, step);
}

format::ChannelUse OperationReader::channelUse() {
  format::ChannelUse use;
  std::memcpy(&use, logs_.takeValues(sizeof use), sizeof use);
  return use;
}

// A thread of its own sends: the count of what was sent is memory, which it changes as an atomic operation does.
// It finds there what it found, because what others read depends on who was first.
void OperationReader::sent(const format::OpRecord& record, const Step* step) {
  const format::ChannelUse use = channelUse();
  if (use.units == 0 || !use.channel) return;
  const uint64_t count = format::placeOfChannel(use.channel);
  if (context_.discovering) // it counts on
    for (bool writes : {false, true}) context_.sharing.note(logs_.serial(), count, 8, writes);
  if (!context_.sharing.touchesShared(count, 8)) return;
  RawEvent& event = events_.add(EventKind::rmw, step ? step->instruction : nullptr);
  event.tail = record.timestamp > context_.end.failureTime;
  event.timestamp = record.timestamp;
  event.address = count;
  event.variable = nameOfChannel(step);
  const ExprId before = countIn(event, count, use.position);
  event.parts.back().written = context_.exprs.constant(use.position + use.units, 64);
  fix(ExprOp::eq, before, use.position, step);
}

// Some thread sends what another one takes, or several take.
bool OperationReader::countsShared(const format::ChannelUse& use) {
  if (!use.channel) return false;
  const uint64_t counts = format::placeOfChannel(use.channel);
  if (context_.discovering) {
    context_.sharing.note(logs_.serial(), counts, 8, false);
    if (use.units && !(use.sent & format::kOnlyLooks))
      for (bool writes : {false, true}) context_.sharing.note(logs_.serial(), counts + 8, 8, writes);
  }
  return context_.sharing.touchesShared(counts, 16);
}

// The read got these bytes because nobody had taken them, and enough had been sent; and if it would have got more,
// no more had been. Who only looks leaves them there.
void OperationReader::tookFromChannel(const format::ChannelUse& use, const Step* step) {
  const uint64_t counts = format::placeOfChannel(use.channel), end = use.position + use.units;
  const bool exactly = use.sent & format::kExactly;
  RawEvent& event = events_.result.events.back();
  ExprPool& exprs = context_.exprs;
  ExprId taken = kNoExpr;
  if (use.units > 0 && context_.sharing.touchesShared(counts + 8, 8)) {
    taken = countIn(event, counts + 8, use.position);
    if (!(use.sent & format::kOnlyLooks)) event.parts.back().written = exprs.constant(end, 64);
  }
  if (context_.sharing.touchesShared(counts, 8)) {
    const ExprId sent = countIn(event, counts, std::nullopt);
    const ExprId bytes = exprs.binary(ExprOp::bitAnd, sent, exprs.constant(format::kChannelEnd - 1, 64));
    if (exactly && use.units == 0) // it has seen the end, or that there is nothing
      fix(ExprOp::eq, sent, use.sent & ~format::kExactly, step);
    else
      events_.addCondition(exprs.binary(exactly ? ExprOp::eq : ExprOp::ule, exprs.constant(end, 64), bytes), false,
                           step ? step->instruction : nullptr);
  }
  if (taken != kNoExpr) fix(ExprOp::eq, taken, use.position, step);
}

// What the event finds there, as a symbol.
ExprId OperationReader::countIn(RawEvent& event, uint64_t count, std::optional<uint64_t> observed) {
  RawPart part;
  part.address = count;
  part.size = 8;
  part.symbol = context_.newSymbol(observed);
  part.observed = observed;
  event.parts.push_back(part);
  return context_.exprs.symbol(part.symbol, 64);
}

void OperationReader::fix(ExprOp relation, ExprId found, uint64_t value, const Step* step) {
  ExprPool& exprs = context_.exprs;
  events_.addCondition(exprs.binary(relation, found, exprs.constant(value, 64)), false,
                       step ? step->instruction : nullptr);
}

// The variable that has the descriptor.
std::string OperationReader::nameOfChannel(const Step* step) const {
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  const auto* descriptor = call && call->arg_size() > 0 ? dyn_cast<LoadInst>(call->getArgOperand(0)) : nullptr;
  std::string name = descriptor ? stack_.nameOf(descriptor->getPointerOperand(), descriptor, 4) : "";
  return name.empty() ? "what is sent" : name;
}

} // namespace symbiosis
