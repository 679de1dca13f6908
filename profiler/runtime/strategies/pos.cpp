// Partial order sampling: Yuan, Yang, Gu: "Partial order aware concurrency sampling", CAV 2018. Each pending
// operation has a random priority and the highest goes first; when it has gone, the operations that race with it
// (same object, not both reading) get new ones. So independent operations are not reordered in vain.
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {
namespace {

bool race(const control::Operation& a, const control::Operation& b) {
  return a.object && a.object == b.object &&
         !(a.kind == uint8_t(EventKind::read) && b.kind == uint8_t(EventKind::read));
}

} // namespace

Turn pos(const Choices& choices, Random& random, const format::ControlConfig&) {
  ThreadState* best = nullptr;
  for (uint32_t i = 0; i < choices.count; ++i) {
    control::ControlledThread& control = choices.threads[i]->control;
    const uint64_t operation = control.pending.index + control.silent + 1;
    if (control.priorityOf != operation) {
      control.priorityOf = operation;
      control.priority = random.next();
    }
    if (!best || control.priority > best->control.priority) best = choices.threads[i];
  }
  for (uint32_t i = 0; i < choices.count; ++i)
    if (choices.threads[i] != best && race(choices.threads[i]->control.pending, best->control.pending))
      choices.threads[i]->control.priorityOf = 0;
  return {best, 1};
}

} // namespace symbiosis::runtime::strategies
