// Theory. A local search (as WalkSAT is one) over complete orders, with the distance of search-based testing as
// its measure. An order is *played*: an event that is not possible when its turn comes is done as soon as it is,
// so that every order that does not end in a deadlock becomes one that the synchronisation allows. Path conditions
// that do not hold are counted, and the run goes on with the values it has. The cost of an order is what is
// broken, each with its distance from holding (branch_distance.h).
//
// A change begins at a broken condition and walks back through the values: to a read that it depends on, to the
// write that the read saw, to a read that this value depends on, and so on, a random number of steps. Around the
// read at which the walk ends, the events of one thread are moved to one end of a stretch of random length. So
// what is changed is what the condition is made of. Changes that do not make it worse are kept, others sometimes;
// when nothing helps for long, a new order is begun with.
#include "constraints/value_descent.h"
#include "constraints/branch_distance.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace symbiosis {

ValueDescent::ValueDescent(const CompiledTrace& code)
    : code_(code), state_(code, Execution::Journal::none), partOfSymbol_(code.trace.symbols.size(), kNone),
      successors_(code.events.size()), position_(code.events.size()) {
  for (uint32_t i = 0; i < code.trace.parts.size(); ++i)
    if (code.trace.parts[i].symbol != kNone) partOfSymbol_[code.trace.parts[i].symbol] = i;
  for (const CompiledEvent& event : code.events) completed_ += event.completed;
}

// --- playing an order ---

bool ValueDescent::canTake(EventRef event) const {
  if (missing_[event] > 0) return false;
  if (event == code_.ending.failure() && goal_ == Goal::failing && completedLeft_ > 0) return false;
  return state_.isPossible(event);
}

void ValueDescent::blame(Try& result, ExprId expr, bool wanted) {
  const double distance = branchDistance(code_, state_, expr, wanted);
  if (distance == 0) return;
  result.broken.push_back({expr, wanted});
  result.cost += 1 + distance;
}

void ValueDescent::take(EventRef event, Try& result) {
  const bool isOnPath = state_.step(event) == Execution::Step::done;
  result.order.push_back(event);
  completedLeft_ -= code_.events[event].completed;
  for (EventRef next : successors_[event]) --missing_[next];
  if (isOnPath) return;
  for (uint32_t i = code_.firstCondition[event]; i < code_.firstCondition[event + 1]; ++i)
    blame(result, code_.trace.conditions[code_.conditions[i].condition].expr, true);
}

void ValueDescent::catchUp(Try& result) {
  for (bool moved = true; moved && lateThreads_ > 0;) {
    moved = false;
    for (ThreadIndex thread = 0; thread < late_.size(); ++thread) {
      if (late_[thread] == 0 || !canTake(state_.nextOf(thread))) continue;
      for (; late_[thread] > 0 && canTake(state_.nextOf(thread)); --late_[thread])
        take(state_.nextOf(thread), result);
      lateThreads_ -= late_[thread] == 0;
      moved = true;
    }
  }
}

void ValueDescent::judgeGoal(Try& result) {
  const std::vector<ExprId>& bug = code_.trace.failure.bug;
  if (goal_ == Goal::failing) {
    for (ExprId expr : bug) blame(result, expr, true);
    return;
  }
  if (!state_.bugHolds()) return;
  if (bug.empty()) result.cost += 1; // nothing helps
  // One conjunct must not hold, whichever is nearest; all are worth a change.
  double nearest = 1;
  for (ExprId expr : bug) {
    nearest = std::min(nearest, branchDistance(code_, state_, expr, false));
    result.broken.push_back({expr, false});
  }
  result.cost += 1 + nearest;
}

// False: a deadlock.
bool ValueDescent::play(const EventOrder& wish, Try& result) {
  watch_->check();
  state_.reset();
  missing_ = initiallyMissing_;
  late_.assign(code_.trace.threads.size(), 0);
  lateThreads_ = 0;
  completedLeft_ = completed_;
  result.order.clear();
  result.broken.clear();
  result.cost = 0;
  for (EventRef event : wish) {
    const ThreadIndex thread = code_.events[event].thread;
    if (late_[thread] == 0 && canTake(event)) {
      take(event, result);
      if (lateThreads_ > 0) catchUp(result);
    } else {
      lateThreads_ += late_[thread]++ == 0;
    }
  }
  played_ += double(wish.size());
  if (result.order.size() < wish.size()) return false;
  judgeGoal(result);
  return true;
}

// --- changing one ---

size_t ValueDescent::anyScale(size_t most) {
  const unsigned bits = unsigned(std::bit_width(most));
  return 1 + below(size_t{1} << below(bits + 1));
}

// A read that the value depends on; kNoEvent: none.
EventRef ValueDescent::readIn(ExprId expr) {
  const ExprPool& exprs = code_.trace.exprs;
  for (;;) {
    const ExprNode& node = exprs.node(expr);
    if (node.op == ExprOp::symbol)
      return code_.trace.symbols[node.value].event == kNoEvent ? kNoEvent : partOfSymbol_[node.value];
    const ExprId operands[] = {node.a, node.b, node.c};
    expr = kNoExpr;
    for (size_t i = 0, first = below(3); i < 3 && expr == kNoExpr; ++i) {
      const ExprId one = operands[(first + i) % 3];
      if (one != kNoExpr && !exprs.isConstant(one)) expr = one;
    }
    if (expr == kNoExpr) return kNoEvent;
  }
}

EventRef ValueDescent::whomToChange() {
  uint32_t part = readIn(now_.broken[below(now_.broken.size())].expr);
  if (part == kNone) return EventRef(below(code_.events.size()));
  for (size_t steps = anyScale(code_.events.size()) - 1; steps > 0; --steps) {
    const EventRef write = readFrom_[part];
    if (write == kNoEvent) break;
    uint32_t next = kNone;
    for (const Part& written : code_.trace.partsOf(write))
      if (written.cell == code_.parts[part].cell && written.written != kNoExpr) next = readIn(written.written);
    if (next == kNone) break;
    part = next;
  }
  return code_.trace.symbols[code_.trace.parts[part].symbol].event;
}

EventOrder ValueDescent::changed() {
  const EventRef read = whomToChange();
  const size_t at = position_[read], length = anyScale(now_.order.size());
  const bool isBefore = below(2) == 0; // the stretch ends at the read, or begins there
  const size_t begin = isBefore ? at - std::min(at, length) : at;
  const size_t end = isBefore ? at + 1 : std::min(at + length + 1, now_.order.size());
  const ThreadIndex thread = code_.events[now_.order[begin + below(end - begin)]].thread;
  const bool toFront = below(2) == 0;
  EventOrder order = now_.order;
  std::stable_partition(order.begin() + long(begin), order.begin() + long(end),
                        [&](EventRef event) { return (code_.events[event].thread == thread) == toFront; });
  return order;
}

// A thread runs on for a while, then another.
EventOrder ValueDescent::randomOrder() {
  const size_t threads = code_.trace.threads.size(), stay = anyScale(64);
  std::vector<uint32_t> next(threads, 0);
  EventOrder order;
  ThreadIndex current = 0;
  while (order.size() < code_.events.size()) {
    if (below(stay) == 0) current = ThreadIndex(below(threads));
    while (next[current] == code_.trace.threads[current].eventCount)
      current = ThreadIndex((current + 1) % threads);
    order.push_back(code_.trace.threads[current].firstEvent + next[current]++);
  }
  return order;
}

void ValueDescent::accept(Try& next) {
  std::swap(now_, next);
  readFrom_ = state_.readFrom();
  for (size_t i = 0; i < now_.order.size(); ++i) position_[now_.order[i]] = uint32_t(i);
}

// Until the goal, or until nothing has become better for `most` events run.
EventOrder ValueDescent::descend(const EventOrder& start, double most) {
  constexpr double kTemperature = 0.02;
  Try next;
  if (!play(start, next)) return {};
  accept(next);
  double best = now_.cost;
  for (double last = played_; now_.cost > 0 && !now_.broken.empty() && played_ - last < most;) {
    if (!play(changed(), next)) continue;
    const double worse = next.cost - now_.cost;
    if (worse > 0 && double(random_() >> 11) * 0x1p-53 > std::exp(-worse / kTemperature)) continue;
    accept(next);
    if (now_.cost >= best) continue;
    best = now_.cost;
    last = played_;
  }
  return now_.cost == 0 ? now_.order : EventOrder{};
}

EventOrder ValueDescent::run(Goal goal, std::span<const OrderEdge> edges, const EventOrder& start,
                             double mostEvents, const CallWatch& watch) {
  assert(code_.ending.looksAtEverything());
  constexpr double kFirstMoves = 2000;
  goal_ = goal;
  watch_ = &watch;
  initiallyMissing_.assign(code_.events.size(), 0);
  for (std::vector<EventRef>& list : successors_) list.clear();
  for (const OrderEdge& edge : edges) {
    successors_[edge.before].push_back(edge.after);
    ++initiallyMissing_[edge.after];
  }
  random_.seed(1);
  earlier_ += played_;
  played_ = 0;
  double moves = kFirstMoves;
  for (bool isFirst = true; played_ < mostEvents; isFirst = false, moves *= 1.1) {
    EventOrder found =
        descend(isFirst && !start.empty() ? start : randomOrder(), moves * double(code_.events.size()));
    if (!found.empty()) return found;
  }
  return {};
}

} // namespace symbiosis
