#include "random_trace.h"
#include "all_interleavings.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace symbiosis::testing {

namespace {

constexpr uint32_t kCells = 3, kMutexes = 2;
constexpr uint32_t kSyncObject = 2 + kMutexes; // objects 0 and 1 are memory, then the mutexes

class Generator {
public:
  Generator(std::mt19937& random, unsigned bodyEvents, Sync sync)
      : random_(random), budget_(bodyEvents), sync_(sync) {}

  SymbolicTrace run() {
    makeObjects();
    if (sync_ == Sync::all) makeSyncObject();
    drafts_.resize(2 + (chance(40) ? 1 : 0) + (chance(20) ? 1 : 0));
    failingThread_ = below(uint32_t(drafts_.size()));
    for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) add(thread, EventKind::start);
    for (ThreadIndex child = 1; child < drafts_.size(); ++child)
      add(chance(80) ? 0 : child - 1, EventKind::fork).event.peer = child;
    while (budget_ > drafts_.size()) addStep(below(uint32_t(drafts_.size())));
    for (ThreadIndex thread = uint32_t(drafts_.size()); thread-- > 0;) endThread(thread);
    assemble();
    chooseConditions();
    return std::move(trace_);
  }

private:
  struct Draft {
    Event event;
    std::vector<Part> parts;
    std::vector<ExprId> conditions;
  };

  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  ExprPool& exprs() { return trace_.exprs; }

  void makeObjects() {
    // One object of two cells, which may be accessed together, and one of a single wider cell.
    trace_.objects = {{ObjectKind::global, "global:pair", "pair", 2}, {ObjectKind::global, "global:x", "x", 4}};
    trace_.cells = {{0, 0, 1, kNoExpr}, {0, 1, 1, kNoExpr}, {1, 0, 4, kNoExpr}};
    for (Cell& cell : trace_.cells) cell.initial = exprs().constant(below(2), cell.size * 8u);
    if (chance(15)) { // an initial value that nobody knows, or that was observed
      trace_.symbols.push_back({.width = 8, .event = kNoEvent, .observed = {}});
      if (chance(50)) trace_.symbols[0].observed = 1;
      trace_.cells[0].initial = exprs().symbol(0, 8);
    }
    for (uint32_t m = 0; m < kMutexes; ++m)
      trace_.objects.push_back({ObjectKind::global, fmt::format("global:m{}", m), fmt::format("m{}", m), 40});
  }

  void makeSyncObject() {
    trace_.objects.push_back({ObjectKind::global, "global:s", "s", 40});
    family_ = below(5);
  }

  Draft& add(ThreadIndex thread, EventKind kind) {
    drafts_[thread].emplace_back();
    Draft& draft = drafts_[thread].back();
    draft.event.kind = kind;
    draft.event.id = {thread, drafts_[thread].size() - 1};
    return draft;
  }

  void addStep(ThreadIndex thread) {
    --budget_;
    const uint32_t dice = below(100);
    if (sync_ == Sync::all && chance(65)) return addSync(thread);
    if (dice < 35)
      addAccess(thread, EventKind::read);
    else if (dice < 70)
      addAccess(thread, EventKind::write);
    else if (dice < 80)
      addAccess(thread, EventKind::rmw);
    else
      addMutexOperation(thread);
  }

  // One sort of sync object per trace, so that operations meet.
  void addSync(ThreadIndex thread) {
    const uint32_t object = kSyncObject;
    Draft* draft = nullptr;
    switch (family_) {
    case 0: return addConditionOperation(thread);
    case 1: return addRwOperation(thread);
    case 2:
      if (thread == 0 && !semaphoreIsMade_) {
        semaphoreIsMade_ = true;
        draft = &add(thread, EventKind::semInit);
        draft->event.outcome = below(3);
      } else {
        constexpr EventKind kKinds[] = {EventKind::semPost, EventKind::semPost, EventKind::semWait,
                                        EventKind::semTrywait};
        draft = &add(thread, kKinds[below(4)]);
        if (draft->event.kind == EventKind::semTrywait) draft->event.outcome = chance(50) ? 0 : 11;
      }
      draft->event.object = object;
      return;
    case 3:
      for (EventKind kind : {EventKind::barrierArrive, EventKind::barrierLeave}) {
        draft = &add(thread, kind);
        draft->event.object = object;
        if (kind == EventKind::barrierArrive) draft->event.outcome = 2;
        if (kind == EventKind::barrierArrive && chance(8)) return; // arrives and never leaves
      }
      return;
    default:
      if (!onceHasBegun_ || chance(3)) {
        onceHasBegun_ = true;
        add(thread, EventKind::onceBegin).event.object = object;
        if (chance(50)) addAccess(thread, EventKind::write);
        if (chance(95)) add(thread, EventKind::onceEnd).event.object = object;
      } else
        add(thread, EventKind::oncePass).event.object = object;
    }
  }

  void addConditionOperation(ThreadIndex thread) {
    std::vector<uint32_t>& held = heldBy(thread);
    const uint32_t mutex = 2;
    const auto at = std::find(held.begin(), held.end(), mutex);
    if (at == held.end() && chance(60)) {
      const bool all = chance(25);
      add(thread, all ? EventKind::broadcast : EventKind::signal).event.object = kSyncObject;
      return;
    }
    if (at == held.end()) {
      add(thread, EventKind::lock).event.object = mutex;
      held.push_back(mutex);
    }
    Draft& begin = add(thread, EventKind::waitBegin);
    begin.event.object = kSyncObject;
    begin.event.mutex = mutex;
    Draft& wake = add(thread, EventKind::wake);
    wake.event.object = kSyncObject;
    wake.event.outcome = chance(25) ? 110 : 0;
    add(thread, EventKind::lock).event.object = mutex;
  }

  void addRwOperation(ThreadIndex thread) {
    unsigned& holds = rwHolds_[thread];
    constexpr EventKind kKinds[] = {EventKind::rdlock, EventKind::wrlock, EventKind::tryrdlock,
                                    EventKind::trywrlock};
    const bool releases = holds > 0 && chance(70);
    Draft& draft = add(thread, releases || chance(2) ? EventKind::rwunlock : kKinds[below(4)]);
    draft.event.object = kSyncObject;
    if (draft.event.kind == EventKind::rwunlock) {
      holds -= holds > 0;
      return;
    }
    if (draft.event.kind == EventKind::tryrdlock || draft.event.kind == EventKind::trywrlock)
      draft.event.outcome = chance(60) ? 16 : 0;
    holds += draft.event.outcome == 0;
  }

  void addAccess(ThreadIndex thread, EventKind kind) {
    Draft& draft = add(thread, kind);
    const uint32_t cell = chance(60) ? 0 : below(kCells);
    draft.event.object = trace_.cells[cell].object;
    draft.parts.push_back({.cell = cell, .symbol = kNone, .written = kNoExpr});
    if (cell == 0 && chance(30)) draft.parts.push_back({.cell = 1, .symbol = kNone, .written = kNoExpr});
    for (Part& part : draft.parts) {
      const unsigned width = trace_.cells[part.cell].size * 8u;
      if (kind != EventKind::write) {
        part.symbol = uint32_t(trace_.symbols.size());
        trace_.symbols.push_back({.width = uint8_t(width), .event = kNoEvent, .observed = {}});
        known(thread).push_back(exprs().symbol(part.symbol, width));
      }
      if (kind != EventKind::read) part.written = randomValue(thread, width);
    }
    if (kind != EventKind::write && chance(35)) draft.conditions.push_back(randomTest(thread));
  }

  // A lock, or the release of one that is held; acquisition may be by trylock, and a trylock may find it
  // busy.
  void addMutexOperation(ThreadIndex thread) {
    const uint32_t mutex = 2 + (chance(70) ? 0 : below(kMutexes)); // objects 0 and 1 are memory
    std::vector<uint32_t>& held = heldBy(thread);
    const auto at = std::find(held.begin(), held.end(), mutex);
    if (chance(at == held.end() && isUsedByOther(thread, mutex) ? 40 : 3)) {
      Draft& draft = add(thread, EventKind::trylock);
      draft.event.object = mutex;
      draft.event.outcome = 16;
    } else if (at != held.end()) {
      held.erase(at);
      add(thread, EventKind::unlock).event.object = mutex;
    } else {
      held.push_back(mutex);
      add(thread, chance(25) ? EventKind::trylock : EventKind::lock).event.object = mutex;
    }
  }

  bool isUsedByOther(ThreadIndex thread, uint32_t mutex) const {
    for (ThreadIndex other = 0; other < drafts_.size(); ++other)
      for (const Draft& draft : drafts_[other])
        if (other != thread && draft.event.object == mutex) return true;
    return false;
  }

  void endThread(ThreadIndex thread) {
    const bool fails = thread == failingThread_;
    for (unsigned& holds = rwHolds_[thread]; holds > 0 && !chance(8); --holds)
      add(thread, EventKind::rwunlock).event.object = kSyncObject;
    if (thread == 0 && drafts_.size() > 1 && chance(30)) add(0, EventKind::join).event.peer = 1;
    if (fails && chance(80)) addAccess(thread, EventKind::read);
    if (fails) add(thread, EventKind::failure);
    std::vector<uint32_t>& held = heldBy(thread);
    while (!held.empty() && !chance(10)) {
      Draft& draft = add(thread, EventKind::unlock);
      draft.event.object = held.back();
      draft.event.synthetic = fails || chance(50);
      held.pop_back();
    }
    const bool hasTail = !fails && chance(35);
    if (hasTail && chance(60)) addTest(thread);
    if (!fails && (chance(50) || thread == 1)) add(thread, EventKind::exit);
    if (!hasTail) return;
    for (uint32_t i = 0, tail = 1 + below(3); i < tail && i < drafts_[thread].size() - 1; ++i)
      drafts_[thread][drafts_[thread].size() - 1 - i].event.tail = true;
  }

  // A read whose value decides the path.
  void addTest(ThreadIndex thread) {
    addAccess(thread, EventKind::read);
    drafts_[thread].back().conditions.assign(1, randomTest(thread));
  }

  ExprId randomKnown(ThreadIndex thread) {
    const std::vector<ExprId>& own = known(thread);
    return own[own.size() - 1 - below(uint32_t(std::min<size_t>(own.size(), 2)))];
  }
  ExprId resize(ExprId expr, unsigned width) {
    return exprs().width(expr) < width ? exprs().zext(expr, width) : exprs().extract(expr, 0, width);
  }
  ExprId randomValue(ThreadIndex thread, unsigned width) {
    if (known(thread).empty() || chance(40)) return exprs().constant(below(3), width);
    const ExprId value = resize(randomKnown(thread), width);
    switch (below(4)) {
    case 0: return exprs().binary(ExprOp::add, value, exprs().constant(1 + below(2), width));
    case 1: return exprs().binary(ExprOp::sub, value, resize(randomKnown(thread), width));
    case 2: return exprs().ite(randomTest(thread), value, exprs().constant(below(3), width));
    default: return value;
    }
  }
  ExprId randomTest(ThreadIndex thread) {
    if (known(thread).empty()) return exprs().truth(chance(50));
    const ExprId value = randomKnown(thread);
    const unsigned width = exprs().width(value);
    const ExprId other = chance(70) ? exprs().constant(below(3), width) : resize(randomKnown(thread), width);
    constexpr ExprOp kTests[] = {ExprOp::eq, ExprOp::eq, ExprOp::ult, ExprOp::sle};
    return exprs().binary(kTests[below(4)], value, other);
  }

  void assemble() {
    trace_.threads.resize(drafts_.size());
    for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) {
      if (thread > 0) trace_.threads[thread].id = fmt::format("0.{}", thread);
      for (Draft& draft : drafts_[thread]) append(draft);
    }
    finishThreads(trace_);
  }
  void append(Draft& draft) {
    const EventRef ref = EventRef(trace_.events.size());
    draft.event.firstPart = uint32_t(trace_.parts.size());
    draft.event.partCount = uint32_t(draft.parts.size());
    for (const Part& part : draft.parts) {
      if (part.symbol != kNone) trace_.symbols[part.symbol].event = ref;
      trace_.parts.push_back(part);
    }
    for (ExprId expr : draft.conditions) planned_.push_back({expr, ref, ConditionKind::branch, kNone});
    if (draft.event.kind == EventKind::failure) trace_.failure.event = ref;
    trace_.events.push_back(draft.event);
  }

  // Mostly the conditions are made to hold in some interleaving, as they do in a recorded run.
  void chooseConditions() {
    const uint32_t count = chance(10) ? 0 : 1 + below(2);
    std::vector<ExprId> bug;
    for (uint32_t i = 0; i < count; ++i)
      bug.push_back(randomTest(chance(80) ? failingThread_ : below(uint32_t(drafts_.size()))));
    const EventOrder witness = chance(85) ? randomInterleaving(trace_, random_) : EventOrder{};
    Evaluator evaluator(trace_);
    if (!witness.empty()) evaluator.run(witness);
    auto holding = [&](ExprId expr) {
      return !witness.empty() && evaluator.value(expr) == 0 ? exprs().negate(expr) : expr;
    };
    for (Condition condition : planned_) {
      if (!trace_.event(condition.after).tail || chance(60)) condition.expr = holding(condition.expr);
      trace_.conditions.push_back(condition);
    }
    for (ExprId expr : bug) trace_.failure.bug.push_back(chance(85) ? holding(expr) : expr);
  }

  std::vector<ExprId>& known(ThreadIndex thread) { return known_.resize(drafts_.size()), known_[thread]; }
  std::vector<uint32_t>& heldBy(ThreadIndex thread) { return held_.resize(drafts_.size()), held_[thread]; }

  std::mt19937& random_;
  size_t budget_;
  const Sync sync_;
  uint32_t family_ = 0; // which sort of sync object
  bool semaphoreIsMade_ = false, onceHasBegun_ = false;
  std::map<ThreadIndex, unsigned> rwHolds_;
  ThreadIndex failingThread_ = 0;
  std::vector<std::vector<Draft>> drafts_; // by thread
  std::vector<std::vector<ExprId>> known_; // by thread: symbols read so far
  std::vector<std::vector<uint32_t>> held_;
  std::vector<Condition> planned_;
  SymbolicTrace trace_;
};

} // namespace

SymbolicTrace randomTrace(std::mt19937& random, unsigned bodyEvents, Sync sync) {
  return Generator(random, bodyEvents, sync).run();
}

} // namespace symbiosis::testing
