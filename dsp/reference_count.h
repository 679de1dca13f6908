#pragma once
// A block that was freed too early, or twice, because of its reference count. The count decided if
//
//   1. the thread that freed the block did so behind a branch on a cell that several threads update: the count;
//   and
//   2. a thread changes the count and looks at it again later, to see whether it was the last, or to do more with
//   the block;
//      between the two another thread changes the count, too:
//
//        T1: refs--          2 -> 1
//        T2: refs--          1 -> 0
//        T2: refs == 0?      yes: frees the block
//        T1: refs == 0?      yes, or the block is gone
//
//      or it loses an update of the count: it reads it, another thread writes it, and it writes what it made of
//      its read.
//
// Then what was broken is the step from the change to the test, not the order of the free and the use. A count
// that is changed and tested in one step (an atomic, a lock around both) has no such pair, and the free is then
// only early.
#include "trace/evaluated_schedule.h"
#include <optional>

namespace symbiosis {

struct BrokenCount {
  EventRef first = kNoEvent, last = kNoEvent; // of one thread: the change and the test; or the read and the write
  EventRef intruder = kNoEvent;               // the other thread's change between them
  EventRef test = kNoEvent;                   // what the freeing thread looked at before it freed
  bool isLostUpdate = false;
};

// Of a failure whose block was freed by `trace.failure.freed` and used by `use`, along the failing schedule.
// Nothing: no count decided.
std::optional<BrokenCount> findBrokenCount(const EvaluatedSchedule& failing, EventRef use);

} // namespace symbiosis
