// Each operation of a tiny program is one point of its thread in the executable, counted from 1; the return from a
// wait is two of them, the wake and the lock. A failing assertion and an exit are points as well. What an
// operation is called there is said here once more, so that a plan that is followed shows that both mean the same.
#include "tests/reference/witness_plan.h"
#include "tests/reference/machine.h"
#include <algorithm>
#include <cassert>

namespace symbiosis::reference {

static EventKind kindInTraces(OpKind kind) {
  switch (kind) {
  case OpKind::read: return EventKind::read;
  case OpKind::write: return EventKind::write;
  case OpKind::add:
  case OpKind::exchange:
  case OpKind::replace: return EventKind::rmw;
  case OpKind::lock: return EventKind::lock;
  case OpKind::unlock: return EventKind::unlock;
  case OpKind::tryLock: return EventKind::trylock;
  case OpKind::wait: return EventKind::waitBegin;
  case OpKind::signal: return EventKind::signal;
  case OpKind::broadcast: return EventKind::broadcast;
  case OpKind::post: return EventKind::semPost;
  case OpKind::take: return EventKind::semWait;
  case OpKind::tryTake: return EventKind::semTrywait;
  case OpKind::assertion: return EventKind::failure;
  case OpKind::exit: return EventKind::exit;
  case OpKind::compute:
  case OpKind::branch:
  case OpKind::jump:
  case OpKind::end: break;
  }
  assert(false && "not a step");
  return EventKind::failure;
}

namespace {

class PlanWriter {
public:
  PlanWriter(const TinyProgram& program, const std::vector<format::ControlEntry>& beginning)
      : program_(program), machine_(program, {}), state_(machine_.begin()), points_(program.threads.size(), 1) {
    plan_.threads.push_back({0, 0});
    for (uint32_t thread = 1; thread <= program.threads.size(); ++thread) plan_.threads.push_back({0, thread});
    plan_.entries = beginning;
  }

  void add(const Step& step) {
    const ThreadState& self = state_.threads[step.thread];
    const Op& op = program_.threads[step.thread][self.at];
    if (self.phase == Phase::reacquires) {
      addPoint(step.thread, EventKind::wake);
      addPoint(step.thread, EventKind::lock);
    } else {
      addPoint(step.thread, kindInTraces(op.kind));
      if (op.kind == OpKind::wait) waiting_.push_back(step.thread);
      if (op.kind == OpKind::signal && step.waiter != kNoWaiter) plan_.entries.back().choice = choiceOf(step, op);
    }
    machine_.make(state_, step);
    std::erase_if(waiting_, [&](uint8_t thread) { return state_.threads[thread].phase != Phase::waits; });
  }

  Plan take() { return std::move(plan_); }

private:
  void addPoint(uint8_t thread, EventKind kind) {
    format::ControlEntry entry{};
    entry.thread = thread + 1u;
    entry.kind = uint8_t(kind);
    entry.index = points_[thread]++;
    plan_.entries.push_back(entry);
  }

  // One more than its place among those who wait there, the oldest first.
  uint16_t choiceOf(const Step& signal, const Op& op) const {
    uint16_t place = 1;
    for (const uint8_t thread : waiting_) {
      if (thread == signal.waiter) break;
      place += program_.threads[thread][state_.threads[thread].at].object == op.object;
    }
    return place;
  }

  const TinyProgram& program_;
  Machine machine_;
  State state_;
  std::vector<uint64_t> points_; // by thread: the next one
  std::vector<uint8_t> waiting_; // threads, in the order in which they began to
  Plan plan_;
};

} // namespace

Plan planFor(const TinyProgram& program, const Steps& steps, const std::vector<format::ControlEntry>& beginning) {
  PlanWriter writer(program, beginning);
  for (const Step& step : steps) writer.add(step);
  return writer.take();
}

} // namespace symbiosis::reference
