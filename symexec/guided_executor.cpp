// The default engine: one path, per thread, guided by the recording (DESIGN §6). Two walks over all threads: the
// first finds out which memory is shared, the second makes events and expressions of it; then the threads' results
// are put together into one trace.
#include "symexec/executor.h"
#include "symexec/silent_writes.h"
#include "symexec/symexec.h"
#include "symexec/trace_assembly.h"
#include "symexec/walk_together.h"
#include "llvm/IR/Constants.h"
#include <fmt/format.h>

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

Error nobodyWaits() {
  return gaveUp("the run took too long, but no thread waits for another one: it may run in circles, wait for "
                "something outside, or only be slow. Try --timeout with more seconds, or add an assert()");
}

// libc looks at the heap when a thread ends, for one: whoever broke it did so long before.
Error notLogged(const Recording& recording) {
  std::string who = "a thread";
  for (const ThreadLog& thread : recording.threads)
    if (thread.serial == recording.failure->serial) who = "thread " + thread.id;
  return gaveUp(
      fmt::format("{}: it came when {} had no logs, before it began or after it had ended. Memory that was "
                  "freed twice, or written to when it was gone, is often noticed only there; under control "
                  "it is noticed at once: symbiosis profile --schedule portfolio",
                  toText(*recording.failure), who));
}

std::string spoiledCondition(const SymbolicTrace& trace, size_t number, format::Level level) {
  const uint32_t location =
      number < trace.conditions.size() ? trace.conditions[number].location : trace.failure.location;
  const std::string place =
      location == kNone ? ""
                        : fmt::format(" at {}:{}", trace.locations[location].file, trace.locations[location].line);
  return fmt::format("what is decided{} depends on a value in shared memory that level {} does not record; "
                     "profile again with --record full",
                     place, format::levelName(level));
}

RunEnd endOf(const Recording& recording, const HeapLives& lives) {
  RunEnd end;
  const Ending& ending = recording.info.ending;
  if (!recording.failure) {
    if (ending.kind == EndingKind::exited && !hasPassed(recording)) end.expectedExit = recording.info.expectedExit;
    if (hasPassed(recording)) end.passedWith = recording.info.expectedExit;
    end.isWaiting = ending.kind == EndingKind::timedOut || ending.kind == EndingKind::deadlocked;
    return end;
  }
  end.failure = &*recording.failure;
  for (const ThreadLog& thread : recording.threads)
    for (const format::OpRecord& record : thread.ops)
      if (thread.serial == recording.failure->serial && EventKind(record.kind) == EventKind::failure)
        end.failureTime = record.timestamp;
  if (const Life* life = endedBeforeFault(lives, *recording.failure, end.failureTime)) {
    end.freed = life->freed;
    end.allocated = life->allocated;
  }
  return end;
}

// Whether so much was done that only what no order of the threads decides can be left out (Sharing). What a thread
// that was not created by another one of these does has no beginning.
bool isLongRun(const Recording& recording, const WalkContext& context, uint64_t points) {
  constexpr uint64_t kShort = 200'000; // points
  size_t forks = 0;
  for (const ThreadLog& thread : recording.threads)
    forks += size_t(std::count_if(thread.ops.begin(), thread.ops.end(), [](const format::OpRecord& record) {
      return EventKind(record.kind) == EventKind::fork;
    }));
  const bool mainIsFirst = !recording.threads.empty() && recording.threads[0].serial == Sharing::kMain;
  // Who asks about every schedule, or about races, wants all there is.
  return points > kShort && context.level == format::Level::full && !context.keepsMarks && mainIsFirst &&
         forks + 1 >= recording.threads.size();
}

// The first walk: which memory is shared?
void discover(const Recording& recording, WalkContext& context) {
  if (context.level == format::Level::path) {
    walkTogether(recording, context);
    return context.sharing.settle();
  }
  uint64_t points = 0;
  for (const ThreadLog& thread : recording.threads) {
    ThreadExecutor executor(context, thread);
    executor.run();
    points += executor.points();
  }
  context.isLong = isLongRun(recording, context, points);
  context.sharing.settle(context.isLong);
}

// The second walk. If an access may touch memory that did not count as touched when the walk began, that memory
// may be shared and was walked as private: then everything is walked again. In the last walk all accesses stay
// where they were.
std::vector<ThreadEvents> makeEvents(const Recording& recording, WalkContext& context) {
  constexpr int kMostWalks = 4;
  context.discovering = false;
  context.uses.settle();
  const SymexecStats before = context.stats;
  for (int walk = 1;; ++walk) {
    context.pinned = walk == kMostWalks;
    context.sharing.walkBegins();
    context.early.forgetAll();
    std::vector<ThreadEvents> threads;
    std::exception_ptr failed; // of the first thread; counts only if no thread calls for another walk
    for (const ThreadLog& thread : recording.threads) {
      try {
        threads.push_back(ThreadExecutor(context, thread).run());
      } catch (const std::runtime_error&) {
        if (!failed) failed = std::current_exception();
      }
    }
    if (!context.mayTouchMore && failed) std::rethrow_exception(failed);
    if (!context.mayTouchMore) return threads;
    context.forgetSymbols();
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
    const HeapLives lives(recording);
    UsesBeforeFree uses(recording, lives);
    WalkContext context{**snapshot, addresses, planner, trace.exprs, initial, names, sharing, stats, lives, uses};
    context.end = endOf(recording, lives);
    context.recorded = recording.info.level;
    context.keepsMarks = options.keepMarks;
    context.level = std::min(recording.info.level, options.atMost);
    try {
      discover(recording, context);
      std::vector<ThreadEvents> threads = makeEvents(recording, context);
      assembleTrace({recording, addresses, names, initial, lives}, threads, context.symbols, context.end.isWaiting,
                    trace);
      acceptSilentWrites(trace);
      trace.guessedAddresses = context.level == format::Level::path && recording.granted.empty() &&
                               std::any_of(trace.conditions.begin(), trace.conditions.end(),
                                           [](const Condition& c) { return c.kind == ConditionKind::address; });
      context.unknowns.dropFixed(trace);
      if (std::optional<size_t> spoiled = context.unknowns.firstSpoiled(trace))
        return gaveUp(spoiledCondition(trace, *spoiled, context.level));
    } catch (const ExecutionError& error) {
      return internalError(error.what());
    } catch (const NotRecorded& error) {
      return gaveUp(error.what());
    }
    if (trace.failure.event == kNoEvent && context.end.isWaiting) return nobodyWaits();
    if (trace.failure.event == kNoEvent && recording.failure && recording.failure->outsideLogs)
      return notLogged(recording);
    if (trace.failure.event == kNoEvent && !hasPassed(recording))
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
