#include "symexec/event_maker.h"
#include <cassert>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

RawEvent& EventMaker::add(EventKind kind, const Instruction* at) {
  RawEvent event;
  event.index = logs_.points;
  event.kind = kind;
  event.instruction = at;
  event.notBefore = logs_.lastTimestamp;
  event.notAfter = logs_.latestNow();
  event.tail = logs_.exhausted() || event.notAfter > context_.end.failureTime;
  event.callers = stack_.callers();
  event.mark = logs_.path.lastMark();
  const DILocation* place = at ? at->getDebugLoc().get() : nullptr;
  event.isLibrarys = at && (!place || isLibraryCode(place->getScope()->getSubprogram()));
  result.events.push_back(std::move(event));
  return result.events.back();
}

// The value to which the condition fixes a term, if that is what it does.
static uint64_t fixedTo(const ExprPool& exprs, ExprId condition) {
  const ExprNode& node = exprs.node(condition);
  if (node.op != ExprOp::eq) return 0;
  if (exprs.isConstant(node.a)) return exprs.constantValue(node.a);
  return exprs.isConstant(node.b) ? exprs.constantValue(node.b) : 0;
}

void EventMaker::addCondition(ExprId expr, bool isBranch, const Instruction* at, const BasicBlock* otherSide) {
  if (context_.exprs.isConstant(expr) || context_.unknowns.isFixed(expr)) return;
  if (!context_.unknowns.isUsable(expr))
    throw NotRecorded(
        fmt::format("thread {}: what is decided {} depends on shared memory and on a value that level {} "
                    "does not record; profile again with --record full",
                    logs_.id(), stack_.lineOf(at), format::levelName(context_.level)));
  // What holds once holds for good; but a branch may be the failing check, so those stay.
  if (!isBranch && !fixed_.insert(expr).second) return;
  assert(!result.events.empty() && "a symbolic value without a read");
  if (!isBranch) logs_.path.note(fixedTo(context_.exprs, expr)); // a branch has left its mark
  result.conditions.push_back({expr, result.events.size() - 1, isBranch, at, otherSide,
                               isBranch ? stack_.statementOf(at) : nullptr, logs_.path.lastMark()});
}

void EventMaker::noteUnmodelled(const std::string& what) {
  if (std::find(result.unmodelled.begin(), result.unmodelled.end(), what) == result.unmodelled.end())
    result.unmodelled.push_back(what);
}

CallMark EventMaker::markHere(const Step& step) const {
  return {&step,
          stack_.top().instance,
          result.events.size(),
          result.conditions.size(),
          result.unmodelled.size(),
          logs_.points,
          nullptr};
}

void EventMaker::forgetSince(const CallMark& mark, RawEvent& failure) {
  failure.outcome = uint32_t(logs_.points - mark.points);
  failure.index = mark.points;
  RawEvent last = std::move(failure);
  result.events.resize(mark.events);
  result.events.push_back(std::move(last));
  result.conditions.resize(mark.conditions);
  result.unmodelled.resize(mark.unmodelled);
}

} // namespace symbiosis
