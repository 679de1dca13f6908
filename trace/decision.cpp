#include "trace/decision.h"
#include "trace/life.h"
#include "trace/trace_end.h"
#include <algorithm>

namespace symbiosis {

bool hasOutcome(const Event& event) {
  switch (event.kind) {
  case EventKind::trylock:
  case EventKind::tryrdlock:
  case EventKind::trywrlock:
  case EventKind::semTrywait: return true;
  case EventKind::wake: return event.outcome != 0; // one that a signal ended may have had no time limit
  default: return false;
  }
}

uint32_t locationOf(const SymbolicTrace& trace, const Decision& decision) {
  const uint32_t own = trace.event(decision.event).location;
  if (decision.condition == kNone) return own;
  const uint32_t at = trace.conditions[decision.condition].location;
  return at == kNone ? own : at;
}

EventRef firstReadOf(const SymbolicTrace& trace, const Decision& decision) {
  EventRef first = decision.event;
  if (decision.condition == kNone) return first;
  for (uint32_t symbol : trace.exprs.symbolsIn(trace.conditions[decision.condition].expr)) {
    const EventRef read = trace.symbols[symbol].event;
    if (read != kNoEvent && trace.threadOf(read) == trace.threadOf(decision.event)) first = std::min(first, read);
  }
  return first;
}

namespace {

bool dependsOnOthers(const SymbolicTrace& trace, ExprId expr) {
  if (isAboutLives(trace, expr)) return false;
  const std::vector<uint32_t> symbols = trace.exprs.symbolsIn(expr);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](uint32_t symbol) { return trace.symbols[symbol].event != kNoEvent; });
}

// That enough had been sent through a channel is what a thread waits for there: it decides nothing because of it.
// That there was nothing, or no more to come, is something else.
bool isWaitedFor(const SymbolicTrace& trace, const Condition& condition) {
  const ExprNode& asked = trace.exprs.node(condition.expr);
  if (asked.op == ExprOp::eq &&
      (trace.exprs.node(asked.a).op == ExprOp::symbol || trace.exprs.node(asked.b).op == ExprOp::symbol))
    return false;
  for (uint32_t symbol : trace.exprs.symbolsIn(condition.expr))
    for (const Part& part : trace.partsOf(condition.after))
      if (part.symbol == symbol && part.written == kNoExpr &&
          trace.objects[trace.cells[part.cell].object].id.starts_with(kChannelId))
        return true;
  return false;
}

// Decisions of one thread at one place, one after the other, that say the same: only the ends of the run are kept.
std::vector<Decision> withoutRounds(const SymbolicTrace& trace, const std::vector<Decision>& all) {
  constexpr size_t kRoundsThatAreNoSpin = 3;
  auto isNextRound = [&](const Decision& a, const Decision& b) {
    return locationOf(trace, a) != kNone && locationOf(trace, a) == locationOf(trace, b) &&
           (a.condition == kNone) == (b.condition == kNone) &&
           trace.event(a.event).object == trace.event(b.event).object;
  };
  std::vector<Decision> result;
  for (size_t first = 0; first < all.size();) {
    size_t end = first + 1;
    while (end < all.size() && isNextRound(all[end - 1], all[end])) ++end;
    for (size_t i = first; i < end; ++i)
      if (end - first <= kRoundsThatAreNoSpin || i == first || i + 2 >= end) result.push_back(all[i]);
    first = end;
  }
  return result;
}

} // namespace

std::vector<Decision> allDecisions(const SymbolicTrace& trace, ThreadIndex thread) {
  std::vector<Decision> decisions;
  const EventRef first = trace.threads[thread].firstEvent, end = first + trace.threads[thread].eventCount;
  for (EventRef ref = first; ref < end; ++ref)
    if (hasOutcome(trace.event(ref)) || trace.event(ref).kind == EventKind::wake)
      decisions.push_back({ref, kNone});
  for (uint32_t c = 0; c < trace.conditions.size(); ++c) {
    const Condition& condition = trace.conditions[c];
    if (condition.after >= first && condition.after < end && dependsOnOthers(trace, condition.expr))
      decisions.push_back({condition.after, c});
  }
  // The outcome of an event comes before what is decided with it.
  std::stable_sort(decisions.begin(), decisions.end(),
                   [](const Decision& a, const Decision& b) { return a.event < b.event; });
  return decisions;
}

std::vector<Decision> decisionsIn(const SymbolicTrace& trace, const EventOrder& order) {
  std::vector<uint32_t> position(trace.events.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  const EventRef failure = TraceEnd(trace).failure();
  const uint32_t end = failure == kNoEvent ? uint32_t(order.size()) : position[failure];
  auto counts = [&](EventRef ref) {
    const Event& event = trace.event(ref);
    return position[ref] <= end && !event.pending && !event.synthetic;
  };
  std::vector<std::vector<Decision>> ofThread(trace.threads.size());
  for (uint32_t c = 0; c < trace.conditions.size(); ++c) {
    const Condition& condition = trace.conditions[c];
    if (counts(condition.after) && dependsOnOthers(trace, condition.expr) && !isWaitedFor(trace, condition))
      ofThread[trace.threadOf(condition.after)].push_back({condition.after, c});
  }
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (hasOutcome(trace.event(ref)) && counts(ref)) ofThread[trace.threadOf(ref)].push_back({ref, kNone});
  std::vector<Decision> decisions;
  for (std::vector<Decision>& own : ofThread) {
    std::stable_sort(own.begin(), own.end(),
                     [](const Decision& a, const Decision& b) { return a.event < b.event; });
    const std::vector<Decision> kept = withoutRounds(trace, own);
    decisions.insert(decisions.end(), kept.begin(), kept.end());
  }
  std::stable_sort(decisions.begin(), decisions.end(),
                   [&](const Decision& a, const Decision& b) { return position[a.event] < position[b.event]; });
  return decisions;
}

} // namespace symbiosis
