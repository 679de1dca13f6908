#include "symexec/event_maker.h"
#include "symexec/library_names.h"
#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <iterator>

using namespace llvm;

namespace symbiosis {

void EventMaker::setTime(RawEvent& event) const {
  event.index = logs_.points;
  event.notBefore = logs_.lastTimestamp;
  event.notAfter = logs_.latestNow();
  event.tail = logs_.exhausted() || event.notAfter > context_.end.failureTime;
  event.mark = logs_.path.lastMark();
}

RawEvent EventMaker::made(EventKind kind, const Instruction* at) const {
  RawEvent event;
  setTime(event);
  event.kind = kind;
  event.instruction = at;
  event.callers = stack_.callers();
  const DILocation* place = at ? at->getDebugLoc().get() : nullptr;
  event.isLibrarys = at && (!place || isLibraryCode(place->getScope()->getSubprogram()));
  return event;
}

RawEvent& EventMaker::add(EventKind kind, const Instruction* at) {
  settleUses();
  result.events.push_back(made(kind, at));
  return result.events.back();
}

// --- uses of blocks that another thread frees ---

UsesBeforeFree::Standing EventMaker::standing() const {
  return {logs_.serial(), logs_.points, logs_.operations(), logs_.lastTimestamp, logs_.latestNow()};
}

RawPart EventMaker::findsAlive(const Life& life) {
  // Who asks about all paths asks whether the use can come behind the end.
  return findAlive(context_.newSymbol(1), *life.freed, !context_.keepsMarks);
}

void EventMaker::addUse(RawEvent& event, const Life& life) { event.parts.push_back(findsAlive(life)); }

void EventMaker::addUse(EventKind kind, const Instruction* at, const Life& life, uint64_t address,
                        function_ref<std::string()> name) {
  const auto same = std::find_if(uses_.begin(), uses_.end(), [&](const Use& use) { return use.life == &life; });
  Use use{&life, stack_.top().instance, address, {}};
  if (same == uses_.end()) {
    use.event = made(kind, at);
    use.event.parts.push_back(findsAlive(life));
  } else if (same->event.instruction == at && same->frame == use.frame) { // in a loop
    use.event = std::move(same->event);
    setTime(use.event);
    if (same->address != address) use.event.variable = nameOfHolder(use.event.variable);
    uses_.erase(same);
    uses_.push_back(std::move(use));
    return;
  } else {
    use.event = made(kind, at);
    use.event.parts = std::move(same->event.parts);
    uses_.erase(same);
  }
  use.event.variable = name();
  use.event.isUse = true;
  uses_.push_back(std::move(use));
}

// One access may use two blocks.
void EventMaker::settleUses() {
  for (Use& use : uses_) {
    std::vector<RawEvent>& events = result.events;
    if (!events.empty() && events.back().isUse && events.back().index == use.event.index)
      events.back().parts.push_back(use.event.parts.front());
    else
      events.push_back(std::move(use.event));
  }
  uses_.clear();
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
  std::vector<RawEvent> before; // uses that were not events yet
  for (size_t i = mark.events; i < result.events.size(); ++i)
    if (result.events[i].isUse && result.events[i].index < mark.points)
      before.push_back(std::move(result.events[i]));
  result.events.resize(mark.events);
  std::move(before.begin(), before.end(), std::back_inserter(result.events));
  result.events.push_back(std::move(last));
  result.conditions.resize(mark.conditions);
  result.unmodelled.resize(mark.unmodelled);
}

} // namespace symbiosis
