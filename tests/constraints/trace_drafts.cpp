#include "trace_drafts.h"
#include "all_interleavings.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis::testing {

TraceDrafts::Draft& TraceDrafts::add(ThreadIndex thread, EventKind kind) {
  drafts_[thread].emplace_back();
  Draft& draft = drafts_[thread].back();
  draft.event.kind = kind;
  draft.event.id = {thread, drafts_[thread].size() - 1};
  return draft;
}

void TraceDrafts::fillParts(ThreadIndex thread, Draft& draft) {
  // Sometimes the access is at one of the two places only, at which depends on what the thread has read.
  const bool isElsewhere = draft.parts.size() == 2 && !known(thread).empty() && chance(25);
  ExprId guard = isElsewhere ? randomTest(thread) : kNoExpr;
  for (Part& part : draft.parts) {
    const unsigned width = trace_.cells[part.cell].size * 8u;
    part.guard = guard;
    if (draft.event.kind != EventKind::write || isElsewhere) {
      part.symbol = uint32_t(trace_.symbols.size());
      trace_.symbols.push_back({.width = uint8_t(width), .event = kNoEvent, .observed = {}});
    }
    if (draft.event.kind != EventKind::write) known(thread).push_back(exprs().symbol(part.symbol, width));
    if (draft.event.kind != EventKind::read) part.written = randomValue(thread, width);
    if (!isElsewhere) continue;
    if (part.written != kNoExpr)
      part.written = exprs().ite(guard, part.written, exprs().symbol(part.symbol, width));
    guard = exprs().negate(guard);
  }
}

ExprId TraceDrafts::randomKnown(ThreadIndex thread) {
  const std::vector<ExprId>& own = known(thread);
  return own[own.size() - 1 - below(uint32_t(std::min<size_t>(own.size(), 2)))];
}

ExprId TraceDrafts::resize(ExprId expr, unsigned width) {
  return exprs().width(expr) < width ? exprs().zext(expr, width) : exprs().extract(expr, 0, width);
}

ExprId TraceDrafts::randomValue(ThreadIndex thread, unsigned width) {
  if (known(thread).empty() || chance(40)) return exprs().constant(below(3), width);
  const ExprId value = resize(randomKnown(thread), width);
  switch (below(4)) {
  case 0: return exprs().binary(ExprOp::add, value, exprs().constant(1 + below(2), width));
  case 1: return exprs().binary(ExprOp::sub, value, resize(randomKnown(thread), width));
  case 2: return exprs().ite(randomTest(thread), value, exprs().constant(below(3), width));
  default: return value;
  }
}

ExprId TraceDrafts::randomTest(ThreadIndex thread) {
  if (known(thread).empty()) return exprs().truth(chance(50));
  const ExprId value = randomKnown(thread);
  const unsigned width = exprs().width(value);
  const ExprId other = chance(70) ? exprs().constant(below(3), width) : resize(randomKnown(thread), width);
  constexpr ExprOp kTests[] = {ExprOp::eq, ExprOp::eq, ExprOp::ult, ExprOp::sle};
  return exprs().binary(kTests[below(4)], value, other);
}

void TraceDrafts::markTail(ThreadIndex thread, uint32_t events) {
  std::vector<Draft>& own = drafts_[thread];
  for (uint32_t i = 0; i < events && i < own.size() - 1; ++i) own[own.size() - 1 - i].event.tail = true;
}

void TraceDrafts::assemble() {
  trace_.threads.resize(drafts_.size());
  for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) {
    if (thread > 0) trace_.threads[thread].id = fmt::format("0.{}", thread);
    for (Draft& draft : drafts_[thread]) append(draft);
  }
  finishThreads(trace_);
}

void TraceDrafts::append(Draft& draft) {
  const EventRef ref = EventRef(trace_.events.size());
  draft.event.firstPart = uint32_t(trace_.parts.size());
  draft.event.partCount = uint32_t(draft.parts.size());
  for (const Part& part : draft.parts) {
    if (part.symbol != kNone) trace_.symbols[part.symbol].event = ref;
    trace_.parts.push_back(part);
  }
  for (ExprId expr : draft.conditions) planned_.push_back({expr, ref, ConditionKind::branch, kNone});
  if (draft.isFailure || draft.event.kind == EventKind::failure) trace_.failure.event = ref;
  trace_.events.push_back(draft.event);
}

void TraceDrafts::chooseConditions(const std::vector<ExprId>& bug, unsigned walks) {
  EventOrder witness;
  if (!chance(85)) walks = 0;
  for (unsigned i = 0; i < walks && witness.empty(); ++i) witness = randomInterleaving(trace_, random_);
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

} // namespace symbiosis::testing
