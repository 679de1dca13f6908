#include "symexec/failure_finder.h"
#include "symexec/failing_check.h"
#include "symexec/signal_names.h"
#include "symexec/test_reports.h"
#include <csignal>

using namespace llvm;

namespace symbiosis {

FailureFinder::FailureFinder(WalkContext& context, LogReader& logs, CallStack& stack, ScalarMath& math,
                             EventMaker& events)
    : context_(context), logs_(logs), stack_(stack), math_(math), events_(events), result_(events.result),
      isFailing_(context.end.failure && context.end.failure->serial == logs.serial()),
      isCrashing_(isFailing_ && context.end.failure->cause == format::FailureCause::signal) {}

bool FailureFinder::crashRecordIsNext() const {
  const format::OpRecord* record = logs_.operationHere();
  return record && EventKind(record->kind) == EventKind::failure;
}

unsigned FailureFinder::doubt() const {
  if (!isCrashing_) return 0;
  return !result_.failureEvent ? 2 : !result_.isExplained;
}

void FailureFinder::leavesAt(const Step& call) {
  if (outside_.step != &call || outside_.frame != stack_.top().instance) outside_ = events_.markHere(call);
}

// main returns, or exit() is called, with a status that makes the run a failure: the bug condition is that the
// status differs from the expected one or, if it was chosen by a branch, that branch.
// A run that passed has decided there to pass.
void FailureFinder::exitsHere(const Step& step, const Scalar& status) {
  ExprPool& exprs = context_.exprs;
  auto isExpected = [&](int expected) { // the parent process sees the lowest byte
    return exprs.binary(ExprOp::eq, exprs.extract(status.expr, 0, 8),
                        exprs.constant(uint64_t(expected) & 0xFF, 8));
  };
  if (context_.end.passedWith && status.isSymbolic())
    events_.addCondition(isExpected(*context_.end.passedWith), false, step.instruction);
  if (!context_.end.expectedExit || isExiting()) return;
  result_.failureAt = step.instruction;
  if (status.isSymbolic()) {
    result_.bug = {exprs.negate(isExpected(*context_.end.expectedExit))};
  } else {
    if (const auto* returns = dyn_cast<ReturnInst>(step.instruction); returns && status.known)
      result_.bug = takeChoiceOfStatus(result_.conditions, result_.events, *returns, status.bits);
    if (result_.bug.empty())
      result_.bug = takeFailingCheck(result_.conditions, result_.events, stack_.withCallers(*step.instruction));
  }
  exit_ = events_.markHere(step);
}

void FailureFinder::hasExited() {
  events_.forgetSince(exit_, result_.events.back());
  result_.failureEvent = result_.events.size() - 1;
}

void FailureFinder::failsHere(const Step& step) {
  result_.failureEvent = result_.events.size() - 1;
  result_.failureAt = step.instruction;
  result_.bug = takeFailingCheck(result_.conditions, result_.events, stack_.withCallers(*step.instruction));
}

void FailureFinder::noteReport(const Step& step) {
  CallMark here = events_.markHere(step);
  here.statement = stack_.statementOf(step.instruction, &here.frame);
  const bool isSame = report_.step && report_.frame == here.frame && isSameLine(report_.statement, here.statement);
  if (!isSame) report_ = here;
}

// In the code that is instrumented, the last call of a failed check; null: it is another trap.
const Instruction* FailureFinder::reportingCall(const Step* step) const {
  if (const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr)
    if (endsFailedCheck(call->getCalledFunction())) return call;
  for (size_t depth = stack_.depth(); depth-- > 1;)
    if (endsFailedCheck(stack_[depth].plan->function)) return stack_[depth - 1].current().instruction;
  return nullptr;
}

static FailureKind kindOf(format::HeapMisuse misuse) {
  switch (misuse) {
  case format::HeapMisuse::none: break;
  case format::HeapMisuse::useAfterFree: return FailureKind::useAfterFree;
  case format::HeapMisuse::doubleFree: return FailureKind::doubleFree;
  case format::HeapMisuse::useAfterDestroy: return FailureKind::useAfterDestroy;
  case format::HeapMisuse::invalidFree: return FailureKind::invalidFree;
  }
  return FailureKind::crash;
}

void FailureFinder::endedBySignal(const Step* step) {
  const format::FailureRecord& failure = *context_.end.failure;
  const auto* call = step ? dyn_cast<CallBase>(step->instruction) : nullptr;
  const StringRef callee = call && call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
  result_.failureKind = kindOf(failure.misuse);
  const Instruction* report = failure.signal == SIGTRAP && report_.step ? reportingCall(step) : nullptr;
  if (report) {
    result_.failureKind = FailureKind::assertion;
    result_.failureMessage.clear(); // its line says it
  } else if (failure.signal == SIGABRT && callee == "abort") {
    result_.failureMessage = "abort()";
  } else if (failure.signal == SIGABRT && *failure.exceptionType) {
    result_.failureKind = FailureKind::exception;
    result_.failureMessage = exceptionText(failure);
  } else if (failure.signal == SIGABRT && callee == "_ZSt9terminatev") {
    result_.failureKind = FailureKind::exception;
    result_.failureMessage = "std::terminate()";
  } else if (result_.failureMessage.empty()) {
    result_.failureMessage = nameOfSignal(failure.signal);
  }
  if (failure.index != format::kNoIndex) logs_.points = failure.index;
  // An exception that was caught only to be found unwanted: what matters is why it was thrown.
  const bool wasThrown = result_.failureKind == FailureKind::exception && thrown_.step;
  const bool isUnderWay = step && outside_.step == step && outside_.frame == stack_.top().instance;
  result_.failureAt = wasThrown ? thrown_.step->instruction : report ? report : step ? step->instruction : nullptr;
  RawEvent& event = events_.add(EventKind::failure, result_.failureAt);
  event.tail = false;
  event.timestamp = logs_.takeOperation().timestamp;
  if (wasThrown || report)
    events_.forgetSince(wasThrown ? thrown_ : report_, event);
  else if (isUnderWay && (call->doesNotReturn() || result_.failureKind == FailureKind::exception))
    events_.forgetSince(outside_, event);
  result_.failureEvent = result_.events.size() - 1;
  if (result_.bug.empty() && result_.failureAt)
    result_.bug =
        takeFailingCheck(result_.conditions, result_.events,
                         wasThrown ? std::vector{result_.failureAt} : stack_.withCallers(*result_.failureAt));
}

} // namespace symbiosis
