// Which branches are "the check"? (DESIGN §6.) For assert(a && b) and assert(a || b) all branches stand on the
// line of the failing call; for `if (bad) abort();` and `if (c) assert(0)` it is the nearest branch, the guard. A
// write to shared memory ends the search: what was decided before it is part of the path, not of the check.
//
// Among the branches of the check only those belong to the bug condition whose other side avoids the failing
// block. In assert(a && b) that failed at b, the branch on `a` has the failing block as its other side: negating
// it would not pass the check, so it stays a path condition.
#include "symexec/failing_check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>

using namespace llvm;

namespace symbiosis {
namespace {

bool sameFunctionScope(const DILocation* a, const DILocation* b) {
  return a && b && a->getScope()->getSubprogram() == b->getScope()->getSubprogram() &&
         a->getInlinedAt() == b->getInlinedAt();
}

bool writes(const RawEvent& event) {
  return !event.isUse && (event.kind == EventKind::write || event.kind == EventKind::rmw);
}

// Its number, from 1; 0: there is none.
size_t lastWrite(const std::vector<RawEvent>& events) {
  return size_t(events.rend() - std::find_if(events.rbegin(), events.rend(), writes));
}

bool writesBetween(const std::vector<RawEvent>& events, size_t first, size_t last) {
  for (size_t i = first + 1; i <= last && i < events.size(); ++i)
    if (writes(events[i])) return true;
  return false;
}

// The side that was not taken leads straight to the failing block too.
bool otherSideFails(const RawCondition& condition, const Instruction& failing) {
  const BasicBlock* block = condition.otherSide;
  for (int hops = 0; block && hops < 4; ++hops) {
    if (block == failing.getParent()) return true;
    const auto* jump = dyn_cast<BranchInst>(block->getTerminator());
    if (!jump || jump->isConditional() || block->sizeWithoutDebug() > 1) return false;
    block = jump->getSuccessor(0);
  }
  return false;
}

// `place`: of `failing`, or of a call around it that was inlined; null: unknown.
std::vector<ExprId> takeCheckAt(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                const Instruction& failing, const DILocation* place) {
  std::vector<size_t> check;
  const size_t last = lastWrite(events);
  for (size_t i = conditions.size(); i-- > 0;) {
    const RawCondition& condition = conditions[i];
    if (condition.after + 1 < last) break;
    if (!condition.isBranch) continue; // an address or a concretised value: part of the path
    const DILocation* decidedAt = condition.instruction->getDebugLoc();
    const bool sameScope = sameFunctionScope(decidedAt, place);
    if (isSameLine(decidedAt, place) || isSameLine(condition.statement, place)) {
      check.push_back(i);
      continue;
    }
    const bool isGuard = check.empty() && sameScope;
    // Without debug information the nearest branch in the same function has to do.
    const bool blind =
        check.empty() && (!decidedAt || !place) && condition.instruction->getFunction() == failing.getFunction();
    if (isGuard || blind) check.push_back(i);
    break;
  }
  std::vector<ExprId> bug;
  for (size_t i : check) {
    // A return is where both sides meet; only a call that fails is a side of its own.
    if (isa<CallBase>(failing) && otherSideFails(conditions[i], failing)) continue;
    bug.insert(bug.begin(), conditions[i].expr);
    conditions.erase(conditions.begin() + ptrdiff_t(i));
  }
  return bug;
}

// Blocks in which the returned value becomes this constant: by a store to the slot that is returned, or on the way
// into a phi.
std::vector<const BasicBlock*> whereItBecomes(const ReturnInst& returns, uint64_t status) {
  std::vector<const BasicBlock*> blocks;
  auto isStatus = [&](const Value* value) {
    const auto* constant = dyn_cast<ConstantInt>(value);
    return constant && (constant->getZExtValue() & 0xff) == (status & 0xff);
  };
  std::vector<const Value*> open{returns.getReturnValue()}, seen;
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    if (!value || is_contained(seen, value)) continue;
    seen.push_back(value);
    if (const auto* load = dyn_cast<LoadInst>(value)) {
      for (const User* user : load->getPointerOperand()->users())
        if (const auto* store = dyn_cast<StoreInst>(user); store && isStatus(store->getValueOperand()))
          blocks.push_back(store->getParent());
    } else if (const auto* phi = dyn_cast<PHINode>(value)) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (isStatus(phi->getIncomingValue(i)))
          blocks.push_back(phi->getIncomingBlock(i));
        else
          open.push_back(phi->getIncomingValue(i));
    }
  }
  return blocks;
}

// From one block to another without going through `without`.
bool isReachable(const BasicBlock* from, const BasicBlock* to, const BasicBlock* without) {
  std::vector<const BasicBlock*> open{from}, seen{without};
  while (!open.empty()) {
    const BasicBlock* block = open.back();
    open.pop_back();
    if (block == to) return true;
    if (is_contained(seen, block)) continue;
    seen.push_back(block);
    for (const BasicBlock* next : successors(block)) open.push_back(next);
  }
  return false;
}

} // namespace

std::vector<ExprId> takeChoiceOfStatus(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                       const ReturnInst& returns, uint64_t status) {
  const std::vector<const BasicBlock*> blocks = whereItBecomes(returns, status);
  // The latest branch that leads there, and whose other side does not.
  auto chooses = [&](const RawCondition& condition) {
    if (!condition.isBranch || !condition.otherSide || blocks.empty() ||
        condition.instruction->getFunction() != returns.getFunction())
      return false;
    const BasicBlock* branch = condition.instruction->getParent();
    const bool leadsThere = any_of(blocks, [&](const BasicBlock* block) {
      return any_of(successors(branch), [&](const BasicBlock* next) {
        return next != condition.otherSide && isReachable(next, block, branch);
      });
    });
    return leadsThere && none_of(blocks, [&](const BasicBlock* block) {
             return isReachable(condition.otherSide, block, branch);
           });
  };
  size_t last = conditions.size();
  while (last > 0 && !chooses(conditions[last - 1])) --last;
  if (last == 0) return {};
  const DILocation* place = conditions[last - 1].instruction->getDebugLoc();
  std::vector<ExprId> bug;
  for (size_t i = last; i-- > 0;) {
    const bool isFirst = i + 1 == last;
    if (!isFirst && (!isSameLine(conditions[i].instruction->getDebugLoc(), place) ||
                     writesBetween(events, conditions[i].after, conditions[last - 1 - bug.size()].after)))
      break;
    if (!conditions[i].isBranch || (!isFirst && !chooses(conditions[i]))) break;
    bug.insert(bug.begin(), conditions[i].expr);
  }
  conditions.erase(conditions.begin() + ptrdiff_t(last - bug.size()), conditions.begin() + ptrdiff_t(last));
  return bug;
}

bool isSameLine(const DILocation* a, const DILocation* b) {
  return sameFunctionScope(a, b) && a->getLine() == b->getLine();
}

std::vector<ExprId> takeFailingCheck(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                     const std::vector<const Instruction*>& failing) {
  for (const Instruction* at : failing) {
    const DILocation* place = at->getDebugLoc();
    do {
      std::vector<ExprId> bug = takeCheckAt(conditions, events, *at, place);
      if (!bug.empty()) return bug;
      place = place ? place->getInlinedAt() : nullptr;
    } while (place);
  }
  return {};
}

} // namespace symbiosis
