// The default engine: one path, per thread, guided by the recording (DESIGN §6). Two walks over all threads: the
// first finds out which memory is shared, the second makes events and expressions of it; then the threads' results
// are put together into one trace.
#include "symexec/cancellations.h"
#include "symexec/executor.h"
#include "symexec/initial_guesses.h"
#include "symexec/objects.h"
#include "symexec/pending.h"
#include "symexec/symexec.h"
#include "symexec/walk_together.h"
#include "trace/waits.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

using namespace llvm;

namespace symbiosis {
namespace {

// The globals as the program was linked; zero-initialised memory needs no entry.
void fillInitialMemory(Memory& memory, const Snapshot& snapshot, const AddressMap& addresses, Planner& planner) {
  for (const GlobalVariable* global : snapshot.globals()) {
    const uint64_t address = addresses.addressOf(global);
    if (!address || !global->hasInitializer() || global->getInitializer()->isNullValue()) continue;
    const Constant* value = global->getInitializer();
    if (const auto* data = dyn_cast<ConstantDataSequential>(value)) {
      memory.storeBytes(address, reinterpret_cast<const uint8_t*>(data->getRawDataValues().data()),
                        data->getRawDataValues().size());
      continue;
    }
    const std::vector<Scalar> scalars = planner.constant(value);
    const std::vector<ScalarLayout>& layout = planner.layouts.of(value->getType());
    for (size_t i = 0; i < layout.size(); ++i)
      memory.store(address + layout[i].offset, layout[i].bytes, scalars[i]);
  }
}

class Assembler {
public:
  Assembler(const Recording& recording, const AddressMap& addresses, NameFinder& names, Memory& initial,
            SymbolicTrace& trace)
      : recording_(recording), initial_(initial), trace_(trace), objects_(recording, addresses, names, trace) {}

  void assemble(std::vector<ThreadEvents>& threads, uint32_t symbols, bool endsWaiting) {
    endsWaiting_ = endsWaiting;
    trace_.symbols.resize(symbols);
    if (endsWaiting_) {
      std::vector<uint32_t> serials;
      for (const ThreadLog& log : recording_.threads) serials.push_back(log.serial);
      dropThoseWhoCouldGoOn(threads, serials);
    }
    objects_.addHeap();
    for (size_t t = 0; t < threads.size(); ++t) {
      threadOf_[recording_.threads[t].serial] = ThreadIndex(t);
      objects_.addStack(recording_.threads[t], threads[t].stackObjects);
    }
    findThreadsThatNeverRan(ThreadIndex(threads.size()));
    for (ThreadIndex t = 0; t < threads.size(); ++t) addThread(t, threads[t]);
    if (!cancellations_.allTaken()) trace_.unmodelled.push_back("pthread_cancel");
    trace_.threads.insert(trace_.threads.end(), neverRan_.begin(), neverRan_.end());
    finishThreads(trace_);
    for (size_t c = 0; c < trace_.cells.size(); ++c)
      if (trace_.cells[c].initial == kNoExpr)
        trace_.cells[c].initial = trace_.exprs.constant(guesses_.of(uint32_t(c)), trace_.cells[c].size * 8u);
    findFloats(trace_);
    describeFailure(threads);
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
    trace_.threads.push_back(info);
    const size_t firstEvent = trace_.events.size();
    written_.clear();
    for (const RawEvent& raw : events.events) addEvent(thread, raw);
    trace_.threads[thread].startFunction = startFunctionOf(events, firstEvent);
    if (events.failureEvent) {
      trace_.failure.event = EventRef(firstEvent + *events.failureEvent);
      trace_.failure.bug = events.bug;
      Event& failing = trace_.events[trace_.failure.event];
      if (failing.location == kNone) failing.location = locationOf(events.failureAt);
    }
    if (!endsWaiting_) releaseHeld(thread, events, firstEvent);
    for (const RawCondition& condition : events.conditions)
      if (!endsWaiting_ || !events.events[condition.after].tail)
        trace_.conditions.push_back({condition.expr, EventRef(firstEvent + condition.after),
                                     condition.isBranch ? ConditionKind::branch : ConditionKind::address,
                                     locationOf(condition.instruction)});
    for (const std::string& name : events.unmodelled)
      if (std::find(trace_.unmodelled.begin(), trace_.unmodelled.end(), name) == trace_.unmodelled.end())
        trace_.unmodelled.push_back(name);
  }

  // A std::thread starts in the library; the first function of the user's own is what people call it by.
  std::string startFunctionOf(const ThreadEvents& events, size_t firstEvent) const {
    const std::string name = demangle(events.startFunction);
    if (!name.starts_with("std::") && !name.starts_with("__")) return name.substr(0, name.find('('));
    for (size_t e = firstEvent; e < trace_.events.size(); ++e) {
      std::vector<uint32_t> places = trace_.events[e].stack;
      places.push_back(trace_.events[e].location);
      for (uint32_t at : places) {
        if (at == kNone || trace_.locations[at].file.starts_with("/usr/")) continue;
        const SourceLocation& place = trace_.locations[at];
        return place.function == "operator()" ? fmt::format("lambda:{}", place.line) : place.function;
      }
    }
    return name;
  }

  static bool isWeaklyOrdered(const Instruction* access) {
    if (!access || !access->isAtomic() || isa<FenceInst>(access)) return false;
    const auto order = [&] {
      if (const auto* load = dyn_cast<LoadInst>(access)) return load->getOrdering();
      if (const auto* store = dyn_cast<StoreInst>(access)) return store->getOrdering();
      if (const auto* change = dyn_cast<AtomicRMWInst>(access)) return change->getOrdering();
      return cast<AtomicCmpXchgInst>(access)->getSuccessOrdering();
    }();
    return order != AtomicOrdering::SequentiallyConsistent;
  }

  void addEvent(ThreadIndex thread, const RawEvent& raw) {
    if (isAccess(raw.kind) && isWeaklyOrdered(raw.instruction)) ++trace_.weaklyOrdered;
    Event event;
    event.id = {thread, raw.index};
    event.kind = raw.kind;
    // Where the failure has no moment, what may not have happened is what need not decide anything.
    event.tail = raw.tail && !endsWaiting_;
    event.pending = raw.pending;
    event.bystander = raw.bystander;
    event.outcome = raw.outcome;
    event.timestamp = raw.timestamp;
    event.variable = raw.variable;
    event.location = locationOf(raw.instruction, raw.callers);
    for (const Instruction* caller : raw.callers)
      if (uint32_t at = locationOf(caller); at != kNone) event.stack.push_back(at);
    if (auto peer = threadOf_.find(raw.peerSerial); peer != threadOf_.end()) event.peer = peer->second;
    const EventRef ref = EventRef(trace_.events.size());
    event.firstPart = uint32_t(trace_.parts.size());
    if (isAccess(raw.kind)) {
      for (const RawPart& part : raw.parts) addPart(part, raw, ref, event);
      event.partCount = uint32_t(trace_.parts.size()) - event.firstPart;
      if (raw.isFloat)
        for (size_t i = event.firstPart; i < trace_.parts.size(); ++i)
          trace_.cells[trace_.parts[i].cell].isFloat = true;
    } else if (raw.address) {
      if (Cancellations::isRequest(raw)) event.variable = cancellations_.note(raw, recording_);
      event.object = objects_.syncObject(raw.address, raw.notBefore, raw.notAfter, event.variable);
      if (event.variable.empty() || isReservedName(event.variable))
        event.variable = trace_.objects[event.object].name;
      if (raw.mutex) event.mutex = objects_.syncObject(raw.mutex, raw.notBefore, raw.notAfter, {});
    }
    trace_.events.push_back(std::move(event));
  }

  void addPart(const RawPart& raw, const RawEvent& event, EventRef ref, Event& out) {
    ObjectTable::Place place = objects_.find(raw.address, event.notBefore, event.notAfter);
    if (raw.isLife) place.offset = trace_.objects[place.object].size; // a cell behind all others
    if (out.object == kNone) out.variable = objects_.betterName(out.variable, place), out.object = place.object;
    auto [at, isNew] = cellOf_.try_emplace({place.object, place.offset}, uint32_t(trace_.cells.size()));
    const uint32_t cell = at->second;
    if (isNew) {
      trace_.cells.push_back({place.object, place.offset, raw.size, kNoExpr});
      guesses_.addCell();
      if (raw.isLife) trace_.cells[cell].initial = trace_.exprs.constant(1, 8);
      if (trace_.objects[place.object].kind == ObjectKind::global)
        trace_.cells[cell].initial =
            trace_.exprs.constant(initial_.load(raw.address, raw.size).bits, raw.size * 8u);
    }
    Part part{cell, kNone, raw.written, raw.guard};
    // Another object than the one that the access was in the recorded run: it stays there.
    if (raw.guard != kNoExpr && place.object != out.object)
      trace_.conditions.push_back({trace_.exprs.negate(raw.guard), ref, ConditionKind::address, out.location});
    if (raw.symbol != ~uint32_t{0}) {
      part.symbol = raw.symbol;
      trace_.symbols[raw.symbol] = {uint8_t(raw.size * 8), ref, raw.observed};
      if (raw.observed && !written_[cell]) guesses_.wasRead(cell, *raw.observed, event.notBefore);
    }
    if (raw.written != kNoExpr && raw.wasHere) written_[cell] = true;
    if (raw.written != kNoExpr && trace_.exprs.isConstant(raw.written))
      guesses_.wasWritten(cell, trace_.exprs.node(raw.written).value);
    trace_.parts.push_back(part);
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
    if (endsWaiting_) {
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
  ObjectTable objects_;
  std::map<uint32_t, ThreadIndex> threadOf_; // by serial
  Cancellations cancellations_;
  std::vector<TraceThread> neverRan_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> cellOf_;
  InitialGuesses guesses_;
  std::map<uint32_t, bool> written_; // cells that the current thread has written
  std::map<std::tuple<std::string, uint32_t, uint32_t, std::string>, uint32_t> locations_;
  std::unordered_map<const DILocation*, uint32_t> locationOf_;
};

// Under the values that were observed every condition must hold: the run did take this path.
Result<void> checkAgainstObservation(const SymbolicTrace& trace) {
  ObservedValues values(trace.exprs);
  for (const SymbolInfo& symbol : trace.symbols) values.add(symbol.observed);
  for (const Condition& condition : trace.conditions)
    if (values.of(condition.expr) == 0)
      return internalError(
          fmt::format("after {}: the condition {} does not hold under the recorded values (a bug in "
                      "symbiosis)",
                      trace.describe(condition.after), toText(trace, condition.expr)));
  return {};
}

// The record that freed the memory whose use was the failure; null: nothing did.
const format::OpRecord* freedBefore(const Recording& recording, uint64_t time) {
  const format::FailureRecord& failure = *recording.failure;
  if (failure.cause != format::FailureCause::signal || failure.code <= 0 || !failure.address) return nullptr;
  const format::OpRecord *allocated = nullptr, *freed = nullptr;
  auto each = [&](EventKind kind, auto consider) {
    for (const ThreadLog& thread : recording.threads)
      for (const format::OpRecord& record : thread.ops)
        if (EventKind(record.kind) == kind && record.object && record.timestamp <= time) consider(record);
  };
  each(EventKind::alloc, [&](const format::OpRecord& record) {
    if (failure.address - record.object >= record.argument) return;
    if (!allocated || record.timestamp > allocated->timestamp) allocated = &record;
  });
  if (!allocated) return nullptr;
  each(EventKind::free, [&](const format::OpRecord& record) {
    if (record.object == allocated->object && record.timestamp > allocated->timestamp) freed = &record;
  });
  return freed;
}

Error nobodyWaits() {
  return gaveUp("the run took too long, but no thread waits for another one: it may run in circles, wait for "
                "something outside, or only be slow. Try --timeout with more seconds, or add an assert()");
}

std::string spoiledCondition(const SymbolicTrace& trace, size_t number, format::Level level) {
  const uint32_t location =
      number < trace.conditions.size() ? trace.conditions[number].location : trace.failure.location;
  const SourceLocation unknown, &at = location == kNone ? unknown : trace.locations[location];
  return fmt::format("what is decided at {}:{} depends on a value in shared memory that level {} does not record; "
                     "profile again with --record full",
                     at.file, at.line, format::levelName(level));
}

void noteAllocations(const Recording& recording, ExecutionContext& context) {
  for (const ThreadLog& thread : recording.threads)
    for (const format::OpRecord& record : thread.ops)
      if (EventKind(record.kind) == EventKind::alloc) {
        uint64_t& size = context.allocated[record.object];
        size = std::max(size, record.argument);
      }
}

// The first walk: which memory is shared?
void discover(const Recording& recording, ExecutionContext& context) {
  if (context.level == format::Level::path) return walkTogether(recording, context);
  for (const ThreadLog& thread : recording.threads) ThreadExecutor(context, thread).run();
}

// The second walk, again until no access may touch more than was known when the walk began; then what one of them
// may touch is nobody else's private memory.
std::vector<ThreadEvents> makeEvents(const Recording& recording, ExecutionContext& context) {
  constexpr int kMostWalks = 4;
  context.discovering = false;
  const SymexecStats before = context.stats;
  for (int walk = 1;; ++walk) {
    context.pinned = walk == kMostWalks;
    std::vector<ThreadEvents> threads;
    std::exception_ptr failed; // but another thread may tell that there is more to be known
    for (const ThreadLog& thread : recording.threads) {
      try {
        threads.push_back(ThreadExecutor(context, thread).run());
      } catch (const std::runtime_error&) {
        if (!failed) failed = std::current_exception();
      }
    }
    if (!context.mayTouchMore && failed) std::rethrow_exception(failed);
    if (!context.mayTouchMore) return threads;
    context.exprs = ExprPool();
    context.unknowns.reset();
    context.observed.reset();
    context.nextSymbol = 0;
    context.selections = 0;
    context.mayTouchMore = false;
    context.stats.changedFromOutside = before.changedFromOutside;
    context.stats.firstChange = before.firstChange;
  }
}

class GuidedExecutor : public SymbolicEngine {
public:
  Result<SymbolicTrace> execute(const Recording& recording, const SymexecOptions& options,
                                SymexecStats& stats) override {
    if (recording.info.ending.kind == EndingKind::timedOut && !recording.failure &&
        std::none_of(recording.threads.begin(), recording.threads.end(), endsWaiting))
      return nobodyWaits(); // and the log may be as long as the time limit
    Result<std::unique_ptr<Snapshot>> snapshot = Snapshot::load(recording.program());
    if (!snapshot) return snapshot.error();
    AddressMap addresses(**snapshot, recording);
    Planner planner(**snapshot, addresses);
    NameFinder names((*snapshot)->module());
    SymbolicTrace trace;
    Memory initial(trace.exprs);
    fillInitialMemory(initial, **snapshot, addresses, planner);
    Sharing sharing(options.everythingShared);
    ExecutionContext context{**snapshot, addresses, planner, trace.exprs, initial, names, sharing, stats};
    const Ending& ending = recording.info.ending;
    if (!recording.failure && ending.kind == EndingKind::exited && ending.code != recording.info.expectedExit)
      context.expectedExit = recording.info.expectedExit;
    context.recorded = recording.info.level;
    context.level = std::min(recording.info.level, options.atMost);
    noteAllocations(recording, context);
    if (recording.failure) {
      context.failure = &*recording.failure;
      for (const ThreadLog& thread : recording.threads)
        for (const format::OpRecord& record : thread.ops)
          if (thread.serial == recording.failure->serial && EventKind(record.kind) == EventKind::failure)
            context.failureTime = record.timestamp;
      context.freed = freedBefore(recording, context.failureTime);
    }
    context.endsWaiting =
        !recording.failure && (ending.kind == EndingKind::timedOut || ending.kind == EndingKind::deadlocked);
    try {
      discover(recording, context);
      std::vector<ThreadEvents> threads = makeEvents(recording, context);
      Assembler(recording, addresses, names, initial, trace)
          .assemble(threads, context.nextSymbol, context.endsWaiting);
      trace.guessedAddresses = context.level == format::Level::path && recording.granted.empty() &&
                               std::any_of(trace.conditions.begin(), trace.conditions.end(),
                                           [](const Condition& c) { return c.kind == ConditionKind::address; });
      if (std::optional<size_t> spoiled = context.unknowns.firstSpoiled(trace))
        return gaveUp(spoiledCondition(trace, *spoiled, context.level));
    } catch (const ExecutionError& error) {
      return internalError(error.what());
    } catch (const NotRecorded& error) {
      return gaveUp(error.what());
    }
    if (trace.failure.event == kNoEvent && context.endsWaiting) return nobodyWaits();
    if (trace.failure.event == kNoEvent)
      return gaveUp(fmt::format(
          "the recorded run ended with {}, and where that happened cannot be found. Add an assert() for "
          "what went wrong and profile again",
          recording.info.problem.empty() ? toText(recording.info.ending) : recording.info.problem));
    if (Result<void> checked = checkAgainstObservation(trace); !checked) return checked.error();
    return trace;
  }
};

} // namespace

Result<SymbolicTrace> executeSymbolically(const Recording& recording, const SymexecOptions& options,
                                          SymexecStats* stats) {
  SymexecStats ignored;
  return GuidedExecutor().execute(recording, options, stats ? *stats : ignored);
}

} // namespace symbiosis
