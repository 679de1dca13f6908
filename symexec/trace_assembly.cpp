#include "symexec/trace_assembly.h"
#include "symexec/cancellations.h"
#include "symexec/idle_loops.h"
#include "symexec/initial_guesses.h"
#include "symexec/library_names.h"
#include "symexec/objects.h"
#include "symexec/pending.h"
#include "trace/life.h"
#include "trace/sync_model.h"
#include "trace/waits.h"
#include "llvm/Demangle/Demangle.h"
#include <filesystem>
#include <fmt/format.h>
#include <map>

using namespace llvm;

namespace symbiosis {
namespace {

class Assembler {
public:
  Assembler(const TraceSources& sources, SymbolicTrace& trace)
      : recording_(sources.recording), initial_(sources.initial), trace_(trace), lives_(sources.lives),
        objects_(sources.recording, sources.addresses, sources.names, trace) {}

  void assemble(std::vector<ThreadEvents>& threads, uint32_t symbols, bool endsWaiting) {
    endsWaiting_ = endsWaiting;
    trace_.symbols.resize(symbols);
    if (endsWaiting_) {
      std::vector<uint32_t> serials;
      for (const ThreadLog& log : recording_.threads) serials.push_back(log.serial);
      dropThoseWhoCouldGoOn(threads, serials);
    }
    objects_.addHeap(lives_);
    for (size_t t = 0; t < threads.size(); ++t) {
      threadOf_[recording_.threads[t].serial] = ThreadIndex(t);
      objects_.addStack(t, threads[t].stackObjects);
    }
    findThreadsThatNeverRan(ThreadIndex(threads.size()));
    for (ThreadIndex t = 0; t < threads.size(); ++t) addThread(t, threads[t]);
    objects_.settleSyncNames();
    if (!cancellations_.allTaken()) trace_.unmodelled.push_back("pthread_cancel");
    trace_.threads.insert(trace_.threads.end(), neverRan_.begin(), neverRan_.end());
    finishThreads(trace_);
    for (size_t c = 0; c < trace_.cells.size(); ++c)
      if (trace_.cells[c].initial == kNoExpr)
        trace_.cells[c].initial = trace_.exprs.constant(guesses_.of(uint32_t(c)), trace_.cells[c].size * 8u);
    findFloats(trace_);
    describeFailure(threads);
    describeBlock();
  }

private:
  // Threads that were created but did nothing before the process ended have no log; their forks still name them.
  void findThreadsThatNeverRan(ThreadIndex next) {
    for (const ThreadLog& parent : recording_.threads) {
      unsigned ordinal = 0;
      for (const format::OpRecord& record : parent.ops) {
        if (EventKind(record.kind) != EventKind::fork) continue;
        ++ordinal;
        if (!threadOf_.try_emplace(uint32_t(record.argument), next).second) continue;
        ++next;
        TraceThread thread;
        thread.id = fmt::format("{}.{}", parent.id, ordinal);
        neverRan_.push_back(thread);
      }
    }
  }

  void addThread(ThreadIndex thread, const ThreadEvents& events) {
    TraceThread info;
    info.id = recording_.threads[thread].id;
    info.marks = events.marks;
    trace_.threads.push_back(info);
    const size_t firstEvent = trace_.events.size();
    written_.clear();
    for (const RawEvent& raw : events.events) {
      addEvent(thread, raw);
      if (!events.marks.empty() && raw.instruction) trace_.events.back().idle = idleLoops_.isIn(*raw.instruction);
    }
    trace_.threads[thread].startFunction = thread == 0 ? "main" : startFunctionOf(events);
    if (events.allocatedAt) trace_.failure.allocated = locationOf(events.allocatedAt, events.allocatedBy);
    if (events.freedEvent) trace_.failure.freed = EventRef(firstEvent + *events.freedEvent);
    if (events.failureEvent) {
      trace_.failure.event = EventRef(firstEvent + *events.failureEvent);
      trace_.failure.bug = events.bug;
      Event& failing = trace_.events[trace_.failure.event];
      if (failing.location == kNone) failing.location = locationOf(events.failureAt);
    }
    if (!endsWaiting_) releaseHeld(thread, events, firstEvent);
    for (const RawCondition& condition : events.conditions) {
      if (endsWaiting_ && events.events[condition.after].tail) continue;
      trace_.conditions.push_back({condition.expr, EventRef(firstEvent + condition.after),
                                   condition.isBranch ? ConditionKind::branch : ConditionKind::address,
                                   locationOf(condition.instruction), condition.mark,
                                   condition.otherSide != nullptr});
      if (!events.marks.empty()) noteIdling(condition);
    }
    for (const EndedObject& ended : events.ended) noteEnd(thread, ended);
    for (const std::string& name : events.unmodelled)
      if (std::find(trace_.unmodelled.begin(), trace_.unmodelled.end(), name) == trace_.unmodelled.end())
        trace_.unmodelled.push_back(name);
  }

  // A std::thread starts in the library; the first function of the user's own is what people call it by, be it
  // inlined.
  static std::string startFunctionOf(const ThreadEvents& events) {
    const std::string name = demangle(events.startFunction);
    if (!name.starts_with("std::") && !name.starts_with("__")) return name.substr(0, name.find('('));
    for (const RawEvent& event : events.events) {
      std::vector<const Instruction*> places = event.callers;
      if (event.instruction) places.push_back(event.instruction);
      for (const Instruction* at : places)
        if (const DILocation* first = outermostOwn(at)) {
          const StringRef function = first->getScope()->getSubprogram()->getName();
          return function == "operator()" ? fmt::format("lambda:{}", first->getLine()) : function.str();
        }
    }
    return name;
  }
  // Of the functions that are inlined around the instruction, the outermost of the user's own; null: none.
  static const DILocation* outermostOwn(const Instruction* at) {
    const DILocation* found = nullptr;
    for (const DILocation* place = at->getDebugLoc(); place; place = place->getInlinedAt())
      if (!isLibraryCode(place->getScope()->getSubprogram())) found = place;
    return found;
  }

  static bool isAtomic(const Instruction* access) {
    return access && access->isAtomic() && !isa<FenceInst>(access);
  }
  static bool isWeaklyOrdered(const Instruction* access) {
    if (!isAtomic(access)) return false;
    const auto order = [&] {
      if (const auto* load = dyn_cast<LoadInst>(access)) return load->getOrdering();
      if (const auto* store = dyn_cast<StoreInst>(access)) return store->getOrdering();
      if (const auto* change = dyn_cast<AtomicRMWInst>(access)) return change->getOrdering();
      return cast<AtomicCmpXchgInst>(access)->getSuccessOrdering();
    }();
    return order != AtomicOrdering::SequentiallyConsistent;
  }

  void addEvent(ThreadIndex thread, const RawEvent& raw) {
    Event event;
    event.atomic = isAccess(raw.kind) && isAtomic(raw.instruction);
    event.weak = isAccess(raw.kind) && isWeaklyOrdered(raw.instruction);
    if (event.weak) ++trace_.weaklyOrdered;
    event.timed = raw.timed;
    event.mark = raw.mark;
    event.id = {thread, raw.index};
    event.kind = raw.kind;
    // A run that ended because threads wait has no failing moment after which tail events could be placed; instead
    // the conditions after them are left out (addThread).
    event.tail = raw.tail && !endsWaiting_;
    event.pending = raw.pending;
    event.bystander = raw.bystander;
    event.outcome = raw.outcome;
    event.timestamp = raw.timestamp;
    event.variable = raw.variable;
    event.inLibrary = raw.isLibrarys;
    event.location = locationOf(raw.instruction, raw.callers);
    for (const Instruction* caller : raw.callers)
      if (uint32_t at = locationOf(caller); at != kNone) event.stack.push_back(at);
    if (auto peer = threadOf_.find(raw.peerSerial); peer != threadOf_.end()) event.peer = peer->second;
    const EventRef ref = EventRef(trace_.events.size());
    event.firstPart = uint32_t(trace_.parts.size());
    if (!isAccess(raw.kind) && raw.address) {
      if (Cancellations::isRequest(raw)) event.variable = cancellations_.note(raw, recording_);
      event.object = objects_.syncObject(raw.address, momentOf(raw, event), event.variable);
      if (event.variable.empty() || isLibraryName(event.variable))
        event.variable = trace_.objects[event.object].name;
      // What latches, futures and the like wait in.
      const bool isFutex = sync::ruleOf(raw.kind).sort == sync::Sort::futex;
      if (isFutex && (event.variable.empty() || isLibraryName(event.variable)))
        event.variable = "an object of the library";
      if (raw.mutex) event.mutex = objects_.syncObject(raw.mutex, momentOf(raw, event), {});
    }
    for (const RawPart& part : raw.parts) addPart(part, raw, ref, event);
    event.partCount = uint32_t(trace_.parts.size()) - event.firstPart;
    if (raw.isFloat)
      for (size_t i = event.firstPart; i < trace_.parts.size(); ++i)
        trace_.cells[trace_.parts[i].cell].isFloat = !trace_.cells[trace_.parts[i].cell].isLife;
    trace_.events.push_back(std::move(event));
  }

  static ObjectTable::Moment momentOf(const RawEvent& raw, const Event& event) {
    return {raw.notBefore, raw.notAfter, event.id.thread, raw.index};
  }

  void addPart(const RawPart& raw, const RawEvent& event, EventRef ref, Event& out) {
    ObjectTable::Place place = objects_.find(raw.address, momentOf(event, out));
    if (raw.isLife) place.offset = trace_.objects[place.object].size; // a cell behind all others
    if (out.object == kNone)
      out.variable = objects_.betterName(out.variable, place, event.isLibrarys), out.object = place.object;
    auto [at, isNew] = cellOf_.try_emplace({place.object, place.offset}, uint32_t(trace_.cells.size()));
    const uint32_t cell = at->second;
    if (isNew) {
      trace_.cells.push_back({place.object, place.offset, raw.size, kNoExpr});
      guesses_.addCell();
      trace_.cells[cell].isLife = raw.isLife;
      if (raw.isLife)
        trace_.cells[cell].initial = trace_.exprs.constant(1, 8);
      else if (raw.address >= format::kChannels)
        trace_.cells[cell].initial = trace_.exprs.constant(0, 64);
      else if (trace_.objects[place.object].kind == ObjectKind::global)
        trace_.cells[cell].initial =
            trace_.exprs.constant(initial_.load(raw.address, raw.size).bits, raw.size * 8u);
    }
    Part part{cell, kNone, raw.written, raw.guard};
    // This target lies in another object than the one that the recorded run accessed: the access is never here.
    if (raw.guard != kNoExpr && place.object != out.object)
      trace_.conditions.push_back(
          {trace_.exprs.negate(raw.guard), ref, ConditionKind::address, out.location, out.mark, false});
    if (raw.symbol != ~uint32_t{0}) {
      part.symbol = raw.symbol;
      trace_.symbols[raw.symbol] = {uint8_t(raw.size * 8), ref, raw.observed};
      if (raw.observed && !raw.isLife && !written_[cell]) guesses_.wasRead(cell, *raw.observed, event.notBefore);
    }
    if (raw.findsAlive)
      trace_.conditions.push_back({trace_.exprs.negate(isOver(trace_.exprs, raw.symbol)), ref,
                                   ConditionKind::address, out.location, out.mark, false});
    if (raw.written != kNoExpr && raw.wasHere) written_[cell] = true;
    if (raw.written != kNoExpr && trace_.exprs.isConstant(raw.written))
      guesses_.wasWritten(cell, trace_.exprs.node(raw.written).value);
    trace_.parts.push_back(part);
  }

  // Of the condition that was added last.
  void noteIdling(const RawCondition& raw) {
    const auto* branch = dyn_cast_or_null<BranchInst>(raw.instruction);
    if (!branch || !raw.otherSide || !branch->isConditional()) return;
    Condition& condition = trace_.conditions.back();
    const BasicBlock& taken = *branch->getSuccessor(branch->getSuccessor(0) == raw.otherSide ? 1 : 0);
    condition.idles = idleLoops_.staysIn(*branch, taken);
    condition.wouldIdle = idleLoops_.staysIn(*branch, *raw.otherSide);
  }

  void noteEnd(ThreadIndex thread, const EndedObject& ended) {
    const ObjectTable::Moment when{ended.notBefore, ended.notAfter, thread, ended.index};
    const uint32_t object = ended.isDestroyed ? objects_.syncObject(ended.address, when, {})
                                              : objects_.find(ended.address, when).object;
    trace_.objects[object].endedBy = thread;
    trace_.objects[object].endedAt = ended.index;
  }

  // Locks that a thread still holds when everything ends get synthetic releases (Symbiosis §4.2).
  void releaseHeld(ThreadIndex thread, const ThreadEvents& events, size_t firstEvent) {
    uint64_t index = events.events.empty() ? 0 : events.events.back().index;
    for (size_t i = events.heldMutexes.size(); i-- > 0;) {
      const Event* acquired = nullptr;
      for (size_t e = trace_.events.size(); e-- > firstEvent && !acquired;) {
        const RawEvent& raw = events.events[e - firstEvent < events.events.size() ? e - firstEvent : 0];
        if (e - firstEvent < events.events.size() && raw.address == events.heldMutexes[i] &&
            (raw.kind == EventKind::lock || raw.kind == EventKind::trylock))
          acquired = &trace_.events[e];
      }
      if (!acquired) continue;
      Event release;
      release.id = {thread, ++index};
      release.kind = EventKind::unlock;
      release.synthetic = true;
      release.object = acquired->object;
      release.variable = acquired->variable;
      release.location = trace_.events.back().location;
      release.firstPart = uint32_t(trace_.parts.size());
      trace_.events.push_back(std::move(release));
    }
  }

  // The wait that says most about the others: one of a circle, or for something that is not just the end of
  // another.
  void describeWaiting() {
    Failure& failure = trace_.failure;
    failure.kind = FailureKind::deadlock; // for now: it lets us ask
    std::vector<Wait> waits = findWaits(trace_);
    std::erase_if(waits, [&](const Wait& wait) { return trace_.event(wait.event).bystander; });
    const std::vector<Wait> circle = findCircle(trace_, waits);
    if (waits.empty()) return;
    const bool isProved =
        recording_.info.ending.kind == EndingKind::deadlocked || !circle.empty() || everybodyWaits(trace_);
    failure.kind = isProved ? FailureKind::deadlock : FailureKind::hang;
    failure.event = (circle.empty() ? waits : circle).front().event;
    if (circle.empty() && trace_.event(failure.event).kind == EventKind::join)
      for (const Wait& wait : waits)
        if (trace_.event(wait.event).kind != EventKind::join) failure.event = wait.event;
    if (!circle.empty())
      for (const Wait& wait : waits)
        trace_.events[wait.event].bystander =
            std::none_of(circle.begin(), circle.end(), [&](const Wait& w) { return w.event == wait.event; });
    std::vector<std::string> names;
    for (const Wait& wait : circle) names.push_back(trace_.threads[trace_.threadOf(wait.event)].displayName);
    failure.message =
        names.empty()       ? fmt::format("{} of {} threads wait for ever", waits.size(), trace_.threads.size())
        : names.size() == 1 ? fmt::format("{} waits for itself", names[0])
                            : fmt::format("{} and {} wait for each other",
                                          fmt::join(names.begin(), names.end() - 1, ", "), names.back());
  }

  void describeFailure(const std::vector<ThreadEvents>& threads) {
    Failure& failure = trace_.failure;
    if (hasPassed(recording_)) {
      failure.kind = FailureKind::none;
      failure.message = toText(recording_.info.ending);
    } else if (endsWaiting_) {
      describeWaiting();
    } else if (recording_.failure && recording_.failure->cause == format::FailureCause::assertion) {
      failure.kind = FailureKind::assertion;
      failure.message = recording_.failure->expression;
    } else if (recording_.failure) {
      for (const ThreadEvents& thread : threads)
        if (thread.failureEvent) {
          failure.kind = thread.failureKind;
          failure.message = thread.failureMessage;
        }
    } else {
      failure.kind = FailureKind::exit;
      failure.message =
          fmt::format("{}, expected {}", toText(recording_.info.ending), recording_.info.expectedExit);
    }
    if (failure.event != kNoEvent) failure.location = trace_.events[failure.event].location;
    if (failure.kind == FailureKind::assertion && failure.message.empty()) failure.message = failingStatement();
  }

  // The block whose use is the failure: not there before it was allocated, and named as the program names it.
  void describeBlock() {
    const EventRef freed = trace_.failure.freed, used = useOfGone(trace_);
    if (freed == kNoEvent || used == kNoEvent) return;
    uint32_t life = trace_.partsOf(freed).front().cell;
    for (const Part& part : trace_.partsOf(freed))
      if (trace_.cells[part.cell].isLife) life = part.cell;
    TraceObject& block = trace_.objects[trace_.cells[life].object];
    auto isOfBlock = [&](EventRef event) {
      const auto parts = trace_.partsOf(event);
      return std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.cell == life; });
    };
    if (trace_.failure.kind == FailureKind::useAfterDestroy) {
      trace_.events[used].variable = trace_.event(freed).variable; // it may be only a part of its object
      return;
    }
    const std::string byFree = trace_.event(freed).variable, byUse = nameOfHolder(trace_.event(used).variable);
    // A library frees what is inside of its object; who uses it knows it by a name of its own.
    auto isOwn = [](const std::string& name) { return !name.empty() && !isLibraryName(name); };
    const bool preferUse = trace_.event(freed).inLibrary && isOwn(byUse);
    block.name = isOwn(byFree) && !preferUse ? byFree : isOwn(byUse) ? byUse : "";
    for (EventRef event = 0; event < trace_.events.size(); ++event) {
      if (!isOfBlock(event)) continue;
      const LifeStep step = lifeStepOf(trace_, event);
      if (step == LifeStep::begins) trace_.cells[life].initial = trace_.exprs.constant(0, 8);
      if (step == LifeStep::begins || step == LifeStep::ends) trace_.events[event].variable = block.name;
    }
  }

  // What a check says of itself if nobody else does: its line.
  std::string failingStatement() const {
    const uint32_t at = trace_.failure.location;
    std::optional<std::string_view> line;
    if (at != kNone) line = recording_.sources.line(trace_.locations[at].file, trace_.locations[at].line);
    const std::string_view text = StringRef(line.value_or("")).trim().rtrim(';');
    return text.empty() ? "a check of GoogleTest" : std::string(text);
  }

  uint32_t locationOf(const DILocation* at) {
    auto [seen, isFirst] = locationOf_.try_emplace(at, kNone);
    if (isFirst) seen->second = newLocation(at);
    return seen->second;
  }
  uint32_t newLocation(const DILocation* at) {
    std::filesystem::path file = at->getFilename().str();
    if (file.is_relative()) file = std::filesystem::path(at->getDirectory().str()) / file;
    const DISubprogram* function = at->getScope()->getSubprogram();
    SourceLocation location{file.lexically_normal().string(), at->getLine(), at->getColumn(),
                            function ? function->getName().str() : std::string()};
    auto key = std::make_tuple(location.file, location.line, location.column, location.function);
    auto [known, isNew] = locations_.try_emplace(key, uint32_t(trace_.locations.size()));
    if (isNew) trace_.locations.push_back(std::move(location));
    return known->second;
  }
  // What the optimiser moved has no place of its own; its neighbours tell where it is.
  static const DILocation* placeAt(const Instruction& instruction) {
    auto isPlace = [](const Instruction& at) { return at.getDebugLoc() && at.getDebugLoc().getLine() != 0; };
    if (isPlace(instruction)) return instruction.getDebugLoc().get();
    for (const Instruction* at = instruction.getNextNode(); at; at = at->getNextNode())
      if (isPlace(*at)) return at->getDebugLoc().get();
    for (const Instruction* at = instruction.getPrevNode(); at; at = at->getPrevNode())
      if (isPlace(*at)) return at->getDebugLoc().get();
    return instruction.getDebugLoc().get();
  }
  // The innermost place in the user's own code: system headers and libraries explain nothing.
  uint32_t locationOf(const Instruction* instruction, const std::vector<const Instruction*>& callers = {}) {
    auto inUserCode = [](const DILocation* at) {
      return at->getLine() != 0 && !at->getFilename().starts_with("/usr/") &&
             !at->getDirectory().starts_with("/usr/");
    };
    const DILocation* fallback = nullptr;
    for (size_t i = callers.size() + 1; i-- > 0;) {
      const Instruction* current = i == callers.size() ? instruction : callers[i];
      if (!current) continue;
      for (const DILocation* at = placeAt(*current); at; at = at->getInlinedAt()) {
        if (inUserCode(at)) return locationOf(at);
        if (!fallback) fallback = at;
      }
    }
    return fallback ? locationOf(fallback) : kNone;
  }

  const Recording& recording_;
  bool endsWaiting_ = false;
  Memory& initial_;
  SymbolicTrace& trace_;
  const HeapLives& lives_;
  ObjectTable objects_;
  IdleLoops idleLoops_;
  std::map<uint32_t, ThreadIndex> threadOf_; // by serial
  Cancellations cancellations_;
  std::vector<TraceThread> neverRan_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> cellOf_;
  InitialGuesses guesses_;
  std::map<uint32_t, bool> written_; // cells that the current thread has written
  std::map<std::tuple<std::string, uint32_t, uint32_t, std::string>, uint32_t> locations_;
  std::unordered_map<const DILocation*, uint32_t> locationOf_;
};

} // namespace

void assembleTrace(const TraceSources& sources, std::vector<ThreadEvents>& threads, uint32_t symbols,
                   bool endsWaiting, SymbolicTrace& trace) {
  Assembler(sources, trace).assemble(threads, symbols, endsWaiting);
}

} // namespace symbiosis
