// A program is run by a random scheduler while its trace is written: conditions are what held in that run, and the
// bug condition is what the check saw. Programs end in a check by the main thread that fails because of one
// unprotected update, early use or torn pair, planted in the middle of the run.
#include "generated_traces.h"
#include "trace/evaluator.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <unordered_map>

namespace symbiosis::bench {

const char* toText(Shape shape) {
  switch (shape) {
  case Shape::bank: return "bank";
  case Shape::queue: return "queue";
  case Shape::crasher: return "crasher";
  case Shape::pfscan: return "pfscan";
  case Shape::orderViolation: return "order violation";
  case Shape::lockFree: return "lock-free";
  }
  return "?";
}

namespace {

// One thread's program is a list of operations, executed one at a time; `emit` runs with the current memory.
class Generator {
public:
  explicit Generator(const GenerateOptions& options) : options_(options), random_(options.seed) {}

  GeneratedTrace run() {
    perThread_.resize(options_.workers + 1);
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread) at(0, [=, this] { fork(thread); });
    build();
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread) at(0, [=, this] { join(thread); });
    finishCheck();
    interleave();
    return assemble();
  }

private:
  using Operation = std::function<void()>;
  struct Draft {
    Event event;
    std::vector<Part> parts;
    std::vector<ExprId> conditions;
    size_t order = 0;
  };
  struct Thread {
    std::vector<Operation> program;
    size_t next = 0;
    std::vector<Draft> drafts;
    ExprId last = kNoExpr; // value of its latest read
    ExprId saved = kNoExpr;
    bool exited = false;
  };

  ExprPool& exprs() { return trace_.exprs; }
  ExprId constant(uint64_t value) { return exprs().constant(value, 32); }
  void at(ThreadIndex thread, Operation operation) { perThread_[thread].program.push_back(std::move(operation)); }
  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }

  uint32_t variable(const std::string& name, uint32_t initial) {
    trace_.objects.push_back({ObjectKind::global, "global:" + name, name, 4});
    trace_.cells.push_back({uint32_t(trace_.objects.size() - 1), 0, 4, constant(initial)});
    memory_.push_back(initial);
    return uint32_t(trace_.cells.size() - 1);
  }
  uint32_t mutex(const std::string& name) {
    trace_.objects.push_back({ObjectKind::global, "global:" + name, name, 40});
    return uint32_t(trace_.objects.size() - 1);
  }

  Draft& emit(EventKind kind, uint32_t object = kNone) {
    Thread& thread = perThread_[current_];
    Draft& draft = thread.drafts.emplace_back();
    draft.event.id = {current_, thread.drafts.size() - 1};
    draft.event.kind = kind;
    draft.event.object = object;
    draft.order = clock_++;
    if (options_.timestamps) draft.event.timestamp = draft.order + 1;
    return draft;
  }
  void fork(ThreadIndex thread) { emit(EventKind::fork).event.peer = thread; }
  void join(ThreadIndex thread) { emit(EventKind::join).event.peer = thread; }
  void read(uint32_t cell) {
    Draft& draft = emit(EventKind::read, trace_.cells[cell].object);
    const uint32_t symbol = uint32_t(trace_.symbols.size());
    trace_.symbols.push_back({.width = 32, .event = kNoEvent, .observed = {}});
    if (options_.observed) trace_.symbols.back().observed = memory_[cell];
    draft.parts.push_back({cell, symbol, kNoExpr});
    perThread_[current_].last = exprs().symbol(symbol, 32);
    valueOf_[perThread_[current_].last] = memory_[cell];
  }
  void write(uint32_t cell, ExprId value, uint32_t concrete) {
    emit(EventKind::write, trace_.cells[cell].object).parts.push_back({cell, kNone, value});
    memory_[cell] = concrete;
  }
  // cell = value read last + amount
  void writeSum(uint32_t cell, uint32_t amount) {
    const ExprId last = perThread_[current_].last;
    write(cell, exprs().binary(ExprOp::add, last, constant(amount)), uint32_t(valueOf_[last]) + amount);
  }
  // The path continues as it does because the value read last is, or is not, zero.
  void branchOnLast() {
    Thread& thread = perThread_[current_];
    const ExprId isZero = exprs().binary(ExprOp::eq, thread.last, constant(0));
    thread.drafts.back().conditions.push_back(valueOf_[thread.last] == 0 ? isZero : exprs().negate(isZero));
  }

  // lock; body; unlock, a single operation of the scheduler only if nobody else is to come between.
  void locked(ThreadIndex thread, uint32_t lock, std::vector<Operation> body) {
    at(thread, [=, this] {
      emit(EventKind::lock, lock);
      held_[lock] = current_;
    });
    lockAt_[thread][perThread_[thread].program.size() - 1] = lock;
    for (Operation& operation : body) at(thread, std::move(operation));
    at(thread, [=, this] {
      emit(EventKind::unlock, lock);
      held_.erase(lock);
    });
  }
  void increment(ThreadIndex thread, uint32_t cell) {
    at(thread, [=, this] { read(cell); });
    at(thread, [=, this] { writeSum(cell, 1); });
  }

  // The planted bug: whoever reads first waits until the other has written.
  void racyIncrement(ThreadIndex thread) {
    at(thread, [=, this] { read(shared_); });
    waitsAt_[thread] = perThread_[thread].program.size();
    at(thread, [=, this] {
      writeSum(shared_, 1);
      raceIsOver_ = true;
    });
  }

  void build() {
    const uint32_t lock = mutex("m");
    shared_ = variable("shared", 0);
    const size_t perThread = options_.events / options_.workers;
    switch (options_.shape) {
    case Shape::bank: return bank(lock, perThread / 4);
    case Shape::queue: return queue(lock, perThread / 6);
    case Shape::crasher: return crasher(perThread / 3);
    case Shape::pfscan: return pfscan(perThread / 8);
    case Shape::orderViolation: return orderViolation(lock, perThread / 4);
    case Shape::lockFree: return lockFree(perThread / 2);
    }
  }
  bool isMiddle(size_t i, size_t count) const { return i == count / 2; }

  // Deposits under a lock; one of each of two threads is not.
  void bank(uint32_t lock, size_t deposits) {
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread)
      for (size_t i = 0; i < deposits; ++i) {
        if (isMiddle(i, deposits) && thread <= 2) {
          racyIncrement(thread);
          continue;
        }
        locked(thread, lock, {[this] { read(shared_); }, [this] { writeSum(shared_, 1); }});
      }
    expected_ = uint32_t(deposits * options_.workers);
  }
  // Puts and takes under a lock with a split check in the middle.
  void queue(uint32_t lock, size_t operations) {
    const uint32_t filled = variable("filled", uint32_t(4 * operations)), checks = variable("checks", 0);
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread)
      for (size_t i = 0; i < operations; ++i) {
        const uint32_t change = thread % 2 ? 1 : uint32_t(-1);
        locked(thread, lock,
               {[=, this] {
                  read(filled);
                  branchOnLast();
                },
                [=, this] { writeSum(filled, change); }, [=, this] { read(checks); },
                [=, this] { writeSum(checks, 1); }});
        if (isMiddle(i, operations) && thread <= 2) racyIncrement(thread);
      }
    expected_ = 2;
  }
  // Threads with mostly private work on shared memory, and one race.
  void crasher(size_t steps) {
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread) {
      const uint32_t own = variable(fmt::format("own{}", thread), 0),
                     flag = variable(fmt::format("flag{}", thread), 0);
      for (size_t i = 0; i < steps; ++i) {
        increment(thread, own);
        at(thread, [=, this] {
          read(flag);
          branchOnLast();
        });
        if (isMiddle(i, steps) && thread <= 2) racyIncrement(thread);
      }
    }
    expected_ = 2;
  }
  // Work handed out under one lock, results counted under another; one counter is not protected.
  void pfscan(size_t items) {
    const uint32_t workLock = mutex("work"), resultLock = mutex("results");
    const uint32_t nextItem = variable("next", 0), matches = variable("matches", 0);
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread)
      for (size_t i = 0; i < items; ++i) {
        locked(thread, workLock, {[=, this] { read(nextItem); }, [=, this] { writeSum(nextItem, 1); }});
        if (isMiddle(i, items) && thread <= 2) racyIncrement(thread);
        locked(thread, resultLock, {[=, this] { read(matches); }, [=, this] { writeSum(matches, 2); }});
      }
    expected_ = 2;
  }
  // A value is used before the thread that sets it has done so.
  void orderViolation(uint32_t lock, size_t steps) {
    const uint32_t progress = variable("progress", 0);
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread)
      for (size_t i = 0; i < steps; ++i) {
        if (isMiddle(i, steps) && thread == 1) {
          waitsAt_[1] = perThread_[1].program.size();
          at(1, [this] { write(shared_, constant(1), 1); });
        }
        if (isMiddle(i, steps) && thread == 2)
          at(2, [this] {
            read(shared_);
            perThread_[2].saved = perThread_[2].last;
            raceIsOver_ = true;
          });
        locked(thread, lock, {[=, this] { read(progress); }, [=, this] { writeSum(progress, 1); }});
      }
    isOrderViolation_ = true;
  }
  // Increments of a few counters without any lock.
  void lockFree(size_t steps) {
    std::vector<uint32_t> counters{shared_};
    for (int i = 0; i < 3; ++i) counters.push_back(variable(fmt::format("counter{}", i), 0));
    for (ThreadIndex thread = 1; thread <= options_.workers; ++thread)
      for (size_t i = 0; i < steps; ++i) {
        if (isMiddle(i, steps) && thread <= 2) racyIncrement(thread);
        increment(thread, counters[1 + below(3)]);
      }
    expected_ = 2;
  }

  void finishCheck() {
    if (isOrderViolation_) return;
    at(0, [this] { read(shared_); });
  }

  // Random scheduler; the planted races are made to happen by switching often around them.
  bool otherWaits(ThreadIndex thread) const {
    return std::any_of(waitsAt_.begin(), waitsAt_.end(), [&](const auto& wait) {
      return wait.first != thread && perThread_[wait.first].next == wait.second;
    });
  }
  bool canRun(ThreadIndex thread) const {
    const Thread& t = perThread_[thread];
    if (t.next == t.program.size()) return false;
    if (thread == 0 && t.next >= options_.workers) { // joins in order
      const size_t joined = t.next - options_.workers;
      if (joined < options_.workers && !perThread_[joined + 1].exited) return false;
    }
    const auto wait = waitsAt_.find(thread);
    if (wait != waitsAt_.end() && wait->second == t.next && !raceIsOver_ && !otherWaits(thread)) return false;
    const auto locks = lockAt_.find(thread);
    if (locks == lockAt_.end()) return true;
    const auto lock = locks->second.find(t.next);
    return lock == locks->second.end() || !held_.count(lock->second);
  }
  void interleave() {
    current_ = 0;
    emit(EventKind::start);
    for (ThreadIndex i = 0; i < options_.workers; ++i) perThread_[0].program[perThread_[0].next++]();
    for (current_ = 1; current_ <= options_.workers; ++current_) emit(EventKind::start);
    ThreadIndex running = 1;
    for (;;) {
      if (below(100) < 12 || !canRun(running)) running = pickThread();
      if (running == kNone) break;
      current_ = running;
      Thread& thread = perThread_[running];
      thread.program[thread.next++]();
      if (thread.next == thread.program.size() && running != 0) {
        emit(EventKind::exit);
        thread.exited = true;
      }
    }
  }
  ThreadIndex pickThread() {
    const ThreadIndex count = options_.workers + 1, first = below(count);
    for (ThreadIndex i = 0; i < count; ++i)
      if (canRun((first + i) % count)) return (first + i) % count;
    return kNone;
  }

  GeneratedTrace assemble() {
    current_ = 0;
    emit(EventKind::failure);
    const ExprId seen = isOrderViolation_ ? perThread_[2].saved : perThread_[0].last;
    const uint32_t good = isOrderViolation_ ? 1 : expected_;
    trace_.failure.bug = {exprs().negate(exprs().binary(ExprOp::eq, seen, constant(good)))};
    trace_.failure.message = "shared == expected";
    GeneratedTrace result;
    std::vector<std::pair<size_t, EventRef>> order;
    trace_.threads.resize(perThread_.size());
    for (ThreadIndex thread = 0; thread < perThread_.size(); ++thread) {
      if (thread > 0) trace_.threads[thread].id = fmt::format("0.{}", thread);
      for (Draft& draft : perThread_[thread].drafts) {
        const EventRef ref = EventRef(trace_.events.size());
        draft.event.firstPart = uint32_t(trace_.parts.size());
        draft.event.partCount = uint32_t(draft.parts.size());
        for (const Part& part : draft.parts) {
          if (part.symbol != kNone) trace_.symbols[part.symbol].event = ref;
          trace_.parts.push_back(part);
        }
        for (ExprId expr : draft.conditions)
          trace_.conditions.push_back({expr, ref, ConditionKind::branch, kNone});
        if (draft.event.kind == EventKind::failure) trace_.failure.event = ref;
        order.emplace_back(draft.order, ref);
        trace_.events.push_back(std::move(draft.event));
      }
    }
    finishThreads(trace_);
    std::sort(order.begin(), order.end());
    for (const auto& [when, ref] : order) result.recorded.push_back(ref);
    result.trace = std::move(trace_);
    return result;
  }

  const GenerateOptions options_;
  std::mt19937 random_;
  SymbolicTrace trace_;
  std::vector<Thread> perThread_;
  std::vector<uint32_t> memory_; // by cell
  std::unordered_map<ExprId, uint64_t> valueOf_;
  std::unordered_map<uint32_t, ThreadIndex> held_;
  std::unordered_map<ThreadIndex, std::unordered_map<size_t, uint32_t>> lockAt_;
  ThreadIndex current_ = 0;
  size_t clock_ = 0;
  uint32_t shared_ = 0, expected_ = 0;
  bool isOrderViolation_ = false, raceIsOver_ = false;
  std::unordered_map<ThreadIndex, size_t> waitsAt_; // program position of the write that completes the race
};

} // namespace

GeneratedTrace generate(const GenerateOptions& options) {
  constexpr unsigned kMostTries = 20;
  GenerateOptions attempt = options;
  for (unsigned i = 0; i < kMostTries; ++i, ++attempt.seed) {
    GeneratedTrace made = Generator(attempt).run();
    if (Evaluator(made.trace).run(made.recorded).outcome == Outcome::failing) return made;
  }
  return {};
}

} // namespace symbiosis::bench
