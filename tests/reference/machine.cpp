#include "tests/reference/machine.h"
#include <cassert>

namespace symbiosis::reference {

static bool holds(int left, Comparison comparison, int right) {
  switch (comparison) {
  case Comparison::equal: return left == right;
  case Comparison::unequal: return left != right;
  case Comparison::less: return left < right;
  case Comparison::lessOrEqual: return left <= right;
  case Comparison::greater: return left > right;
  case Comparison::greaterOrEqual: return left >= right;
  }
  return false;
}

static Outcome atLine(OutcomeKind kind, const char* what, unsigned line) {
  return {kind, std::string(what) + " at line " + std::to_string(line)};
}

static int value(const ThreadState& self, const Operand& operand) {
  return (operand.from < 0 ? 0 : self.registers[size_t(operand.from)]) + operand.constant;
}

static bool conditionHolds(const ThreadState& self, const Op& op) {
  return holds(self.registers[op.target], op.comparison, value(self, op.operand));
}

static void access(ThreadState& self, const Op& op, int& cell) {
  const int old = cell, operand = value(self, op.operand);
  int& target = self.registers[op.target];
  switch (op.kind) {
  case OpKind::read: target = old; break;
  case OpKind::write: cell = operand; break;
  case OpKind::add: cell = old + operand, target = old; break;
  case OpKind::exchange: cell = operand, target = old; break;
  default:
    if (old == operand) cell = value(self, op.second);
    target = old == operand;
  }
}

// The same op begins a wait and, when its thread has been woken, ends it.
static std::optional<Outcome> beginOrEndWait(State& state, ThreadState& self, int me, const Op& op) {
  int& owner = state.owners[op.mutex];
  if (self.phase == Phase::reacquires) {
    owner = me;
    self.phase = Phase::runs;
    return std::nullopt;
  }
  if (owner != me) return atLine(OutcomeKind::undefined, "undefined", op.line);
  owner = kNobody;
  self.phase = Phase::waits;
  return std::nullopt;
}

State Machine::begin() const {
  State state;
  state.threads.resize(program_.threads.size());
  state.shared = program_.initial;
  state.owners.assign(program_.mutexes.size(), kNobody);
  state.tokens = program_.tokens;
  for (size_t thread = 0; thread < state.threads.size(); ++thread) runAlone(state, thread);
  return state;
}

std::vector<Step> Machine::possible(const State& state) const {
  std::vector<Step> steps;
  for (uint8_t thread = 0; thread < state.threads.size(); ++thread) addSteps(state, thread, steps);
  return steps;
}

std::optional<Outcome> Machine::make(State& state, const Step& step) const {
  ThreadState& self = state.threads[step.thread];
  if (step.spurious) {
    self.phase = Phase::reacquires;
    return std::nullopt;
  }
  if (std::optional<Outcome> outcome = perform(state, step)) return outcome;
  if (self.phase != Phase::waits) {
    ++self.at;
    runAlone(state, step.thread);
  }
  return std::nullopt;
}

Outcome Machine::outcomeOf(const State& state) const {
  std::string waiting;
  for (size_t thread = 0; thread < state.threads.size(); ++thread)
    if (const char* what = waitsIn(state, thread))
      waiting += (waiting.empty() ? "T" : ", T") + std::to_string(thread + 1) + " " + what;
  if (!waiting.empty()) return {OutcomeKind::deadlock, "deadlock: " + waiting};
  for (const FinalCheck& check : program_.finals)
    if (!holds(state.shared[check.variable], check.comparison, check.constant))
      return atLine(OutcomeKind::fails, "fails", check.line);
  std::string text = "ends";
  for (size_t i = 0; i < state.shared.size(); ++i)
    text += " " + program_.variables[i] + "=" + std::to_string(state.shared[i]);
  return {OutcomeKind::ends, text};
}

std::vector<bool> Machine::finalChecks(const State& state) const {
  std::vector<bool> results;
  if (!allEnded(state)) return results;
  for (const FinalCheck& check : program_.finals) {
    results.push_back(holds(state.shared[check.variable], check.comparison, check.constant));
    if (!results.back()) break;
  }
  return results;
}

bool Machine::allEnded(const State& state) const {
  for (size_t thread = 0; thread < state.threads.size(); ++thread)
    if (next(state, thread).kind != OpKind::end) return false;
  return true;
}

void Machine::note(ThreadState& self, bool what) const {
  if (options_.countPaths) self.path.push_back(what);
}

// Whatever nobody else can see or influence, up to the next step.
void Machine::runAlone(State& state, size_t thread) const {
  ThreadState& self = state.threads[thread];
  for (;; ++self.at) {
    const Op& op = next(state, thread);
    if (op.kind == OpKind::compute) {
      self.registers[op.target] = value(self, op.operand);
    } else if (op.kind == OpKind::branch) {
      const bool goesOn = conditionHolds(self, op);
      note(self, goesOn);
      if (!goesOn) self.at = uint16_t(op.jump - 1);
    } else if (op.kind == OpKind::jump) {
      self.at = uint16_t(op.jump - 1);
    } else if (op.kind == OpKind::assertion) {
      const bool goesOn = conditionHolds(self, op);
      note(self, goesOn);
      if (!goesOn) return;
    } else {
      return;
    }
  }
}

void Machine::addSteps(const State& state, uint8_t thread, std::vector<Step>& steps) const {
  const ThreadState& self = state.threads[thread];
  const Op& op = next(state, thread);
  if (self.phase == Phase::waits) {
    if (options_.spuriousWakes) steps.push_back({thread, kNoWaiter, true});
    return;
  }
  if (self.phase == Phase::reacquires) {
    if (state.owners[op.mutex] == kNobody) steps.push_back({thread});
    return;
  }
  if (op.kind == OpKind::end) return;
  if (op.kind == OpKind::lock && state.owners[op.object] != kNobody) return;
  if (op.kind == OpKind::take && state.tokens[op.object] == 0) return;
  const std::vector<uint8_t> waiters =
      op.kind == OpKind::signal ? waitersOf(state, op.object) : std::vector<uint8_t>();
  if (waiters.empty()) steps.push_back({thread});
  for (const uint8_t waiter : waiters) steps.push_back({thread, waiter});
}

std::vector<uint8_t> Machine::waitersOf(const State& state, uint8_t condition) const {
  std::vector<uint8_t> waiters;
  for (uint8_t thread = 0; thread < state.threads.size(); ++thread)
    if (state.threads[thread].phase == Phase::waits && next(state, thread).object == condition)
      waiters.push_back(thread);
  return waiters;
}

std::optional<Outcome> Machine::perform(State& state, const Step& step) const {
  ThreadState& self = state.threads[step.thread];
  const Op& op = next(state, step.thread);
  switch (op.kind) {
  case OpKind::assertion: return atLine(OutcomeKind::fails, "fails", op.line);
  case OpKind::exit:
    for (size_t thread = 0; thread < state.threads.size(); ++thread)
      if (thread != step.thread && next(state, thread).kind == OpKind::exit)
        return atLine(OutcomeKind::undefined, "undefined", op.line);
    return Outcome{OutcomeKind::exits, "exit " + std::to_string(value(self, op.operand))};
  case OpKind::read:
  case OpKind::write:
  case OpKind::add:
  case OpKind::exchange:
  case OpKind::replace: access(self, op, state.shared[op.object]); return std::nullopt;
  default: return synchronise(state, step, op);
  }
}

std::optional<Outcome> Machine::synchronise(State& state, const Step& step, const Op& op) const {
  ThreadState& self = state.threads[step.thread];
  const int me = step.thread;
  switch (op.kind) {
  case OpKind::lock: state.owners[op.object] = me; break;
  case OpKind::tryLock:
    self.registers[op.target] = state.owners[op.object] == kNobody;
    if (self.registers[op.target]) state.owners[op.object] = me;
    note(self, self.registers[op.target]);
    break;
  case OpKind::unlock:
    if (state.owners[op.object] != me) return atLine(OutcomeKind::undefined, "undefined", op.line);
    state.owners[op.object] = kNobody;
    break;
  case OpKind::wait: return beginOrEndWait(state, self, me, op);
  case OpKind::signal:
    if (step.waiter != kNoWaiter) state.threads[step.waiter].phase = Phase::reacquires;
    break;
  case OpKind::broadcast:
    for (const uint8_t waiter : waitersOf(state, op.object)) state.threads[waiter].phase = Phase::reacquires;
    break;
  case OpKind::post: ++state.tokens[op.object]; break;
  case OpKind::take: --state.tokens[op.object]; break;
  case OpKind::tryTake:
    self.registers[op.target] = state.tokens[op.object] > 0;
    if (self.registers[op.target]) --state.tokens[op.object];
    note(self, self.registers[op.target]);
    break;
  default: assert(false && "not a step");
  }
  return std::nullopt;
}

const char* Machine::waitsIn(const State& state, size_t thread) const {
  if (state.threads[thread].phase == Phase::waits) return "wait";
  if (state.threads[thread].phase == Phase::reacquires) return "lock";
  const OpKind kind = next(state, thread).kind;
  return kind == OpKind::end ? nullptr : kind == OpKind::lock ? "lock" : "take";
}

} // namespace symbiosis::reference
