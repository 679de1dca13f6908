// Follows a schedule. Its entries name some events; a thread whose entry is next runs freely up to it, everybody
// else stands still. The first thing that does not fit ends the process and says what was expected and what came.
#include "profiler/runtime/control/control.h"
#include "trace/sync_model.h"

namespace symbiosis::runtime::control {
namespace {

using format::ControlEntry;
using format::EntryType;

const format::ControlThread* threads = nullptr;
const ControlEntry* entries = nullptr;
uint64_t position = 0;
ThreadState* threadOfSlot[format::kMostControlledThreads] = {};

Text& slotName(Text& text, uint32_t slot) {
  if (threads[slot].parent != slot)
    slotName(text, threads[slot].parent) << "." << uint64_t{threads[slot].ordinal};
  else
    text << "0";
  return text;
}

Text& whatIsExpected(Text& text) {
  const ControlEntry& entry = entries[position];
  text << "schedule entry " << position + 1 << " of " << config.entries << ": expected thread ";
  slotName(text, entry.thread);
  switch (entry.type) {
  case EntryType::event:
  case EntryType::check: return text << " to " << kindName(entry.kind) << " (event " << entry.index << ")";
  case EntryType::position: return text << " to come to event " << entry.index;
  case EntryType::release: return text << " to release the mutex of event " << entry.index;
  case EntryType::crash: return text << " to crash before event " << entry.index;
  case EntryType::pass: return text << " to pass the failure (event " << entry.index << ")";
  case EntryType::proceed: return text << " to be granted " << kindName(entry.kind) << " " << entry.index;
  case EntryType::hold: return text << " to wait at " << kindName(entry.kind) << " " << entry.index;
  case EntryType::turn: return text << " to have a turn";
  case EntryType::reached:
  case EntryType::awaits: break; // no schedule
  }
  return text;
}

// The rest is up to the strategy.
void abandonSchedule() {
  status->continuedElsewhere = 1;
  position = config.entries;
}

// The schedule wants something else than what there is. Beyond the check that failed in the recorded run nobody
// knows what the threads do, so there that is no divergence.
void diverge(const ThreadState* thread, const char* why) {
  if (status->passedFailure) return abandonSchedule();
  Text text;
  whatIsExpected(text) << ", but ";
  if (thread)
    text << "it stands before " << kindName(thread->control.pending.kind) << " (event "
         << thread->control.pending.index << ")" << (*why ? ", " : "");
  text << why;
  if (thread && thread->control.pending.kind == uint8_t(EventKind::lock) &&
      ownerOf(thread->control.pending.object) != ~0u) {
    text << " of thread ";
    text.thread(ownerOf(thread->control.pending.object));
  }
  endProcess(format::ControlOutcome::diverged);
}

[[noreturn]] void divergeAtEnd() {
  Text text;
  text << "the schedule has ended after " << config.entries << " entries, but thread ";
  text.thread(self->serial) << " goes on with " << kindName(self->control.pending.kind) << " (event "
                            << self->control.pending.index << ")";
  endProcess(format::ControlOutcome::diverged);
}

bool fits(const ControlEntry& entry, const ThreadState& thread) {
  const Operation& pending = thread.control.pending;
  // A sync operation looks at the life of its object first, and may stand there as that.
  // So does an access behind which a library ends a life, before the thread comes to another point.
  const bool endsLife = pending.counted && isAccess(kindOf(pending)) && entry.kind == uint8_t(EventKind::rmw);
  const bool anyAccess = pending.anyAccess || endsLife || (pending.counted && isSync(kindOf(pending)));
  const bool kindFits = entry.kind == effectiveKind(thread) || (anyAccess && isAccess(EventKind(entry.kind)));
  return kindFits && (!entry.site || entry.site == pending.site) &&
         (!entry.object || entry.object == effectiveObject(thread));
}

// Where the thread stands, compared with the entry: -1 not there yet, 0 there, 1 already past it.
int compare(const ControlEntry& entry, const ControlledThread& control, bool silentToo) {
  const Operation& pending = control.pending;
  if (pending.index != entry.index) return pending.index < entry.index ? -1 : 1;
  if (silentToo) return control.silent == entry.silent ? 0 : control.silent < entry.silent ? -1 : 1;
  return pending.counted ? 0 : -1;
}

// What comes from outside may come later than it did in the recorded run.
bool canGoOn(const ThreadState& thread) { return isEnabled(thread) || awaitCall(thread.control.pending); }

// Below: false means that there is no wish yet; look at the next entry.

// The thread runs what the schedule does not list.
bool runUnlisted(ThreadState& thread, uint64_t stop, Wish& wish) {
  if (!canGoOn(thread)) return diverge(&thread, "which must wait"), false;
  wish = {&thread, stop};
  return true;
}

// After entry `position` was granted at `index`: where the thread must be asked again.
uint64_t stopAfter(uint32_t slot, uint64_t index) {
  if (position == config.entries) return index + 1;
  const ControlEntry& next = entries[position];
  const bool runsOn = next.thread == slot && next.type != EntryType::release && next.index > index;
  return runsOn ? next.index : index + 1;
}

// The schedule has a wake that no signal ends.
bool wakesWithout(const ControlEntry& entry) {
  return entry.kind == uint8_t(EventKind::wake) && entry.type == EntryType::event && entry.choice != 0;
}

bool take(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  thread.control.pending.wakesAlone = wakesWithout(entry) && entry.choice == format::kWakesAlone;
  if (!canGoOn(thread)) return diverge(&thread, "which must wait"), false;
  if (wakesWithout(entry) && thread.control.pending.signalled) return diverge(&thread, "and was signalled"), false;
  thread.control.pending.choice = entry.choice;
  status->consumed = ++position;
  wish = {&thread, stopAfter(entry.thread, thread.control.pending.index)};
  return true;
}

// The entry has come true without a grant.
bool done() {
  status->consumed = ++position;
  return false;
}

bool wishOfEvent(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  const int where = compare(entry, thread.control, (entry.kind & format::kSilentBit) != 0);
  if (where < 0) return runUnlisted(thread, entry.index, wish);
  if (where > 0 || !fits(entry, thread)) return diverge(&thread, ""), false;
  return take(thread, wish);
}

bool wishOfPosition(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  const int where = compare(entry, thread.control, true);
  if (where < 0) return runUnlisted(thread, entry.index, wish);
  if (where > 0 || (entry.kind && !fits(entry, thread))) return diverge(&thread, ""), false;
  return done();
}

bool wishOfRelease(ThreadState& thread, Wish& wish) {
  if (!holdsSince(thread.serial, entries[position].index)) return done();
  // If it never comes to the release, that is for reasons that the recorded run cannot know.
  if (!isEnabled(thread)) return abandonSchedule(), false;
  wish = {&thread, ~uint64_t{0}};
  return true;
}

bool hasPassed() {
  status->passedFailure = 1;
  return done();
}

bool wishOfCheck(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  const int where = compare(entry, thread.control, false);
  if (where < 0 && canGoOn(thread)) return runUnlisted(thread, entry.index, wish);
  if (where != 0 || !fits(entry, thread)) return hasPassed();
  return take(thread, wish);
}

bool wishOfPass(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  if (status->passedFailure) return done();
  if (compare(entry, thread.control, false) < 0) return runUnlisted(thread, entry.index, wish);
  if (thread.control.pending.kind == uint8_t(EventKind::failure)) return take(thread, wish);
  return hasPassed();
}

// The crash itself asks nobody; a thread that stands before a later point has not crashed.
bool wishOfCrash(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  if (compare(entry, thread.control, false) < 0) return runUnlisted(thread, entry.index, wish);
  return diverge(&thread, ""), false;
}

bool wishOfProceed(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  const int where = compare(entry, thread.control, false);
  if (where < 0) return runUnlisted(thread, entry.index, wish);
  if (where > 0) return diverge(&thread, ""), false;
  if (!take(thread, wish)) return false;
  status->passedFailure = 1;
  return true;
}

bool wishOfHold(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  const int where = compare(entry, thread.control, false);
  if (where < 0 && canGoOn(thread)) return runUnlisted(thread, entry.index, wish);
  if (where == 0) thread.control.pending.timed = false;
  return done();
}

// What is asked for may have become impossible, or happen otherwise: then somebody else has the next turn.
bool wishOfTurn(ThreadState& thread, Wish& wish) {
  const ControlEntry& entry = entries[position];
  if (compare(entry, thread.control, true) >= 0 || !isEnabled(thread)) return done();
  wish = {&thread, entry.index};
  return true;
}

bool wishOf(ThreadState& thread, Wish& wish) {
  switch (entries[position].type) {
  case EntryType::event: return wishOfEvent(thread, wish);
  case EntryType::position: return wishOfPosition(thread, wish);
  case EntryType::release: return wishOfRelease(thread, wish);
  case EntryType::check: return wishOfCheck(thread, wish);
  case EntryType::pass: return wishOfPass(thread, wish);
  case EntryType::crash: return wishOfCrash(thread, wish);
  case EntryType::proceed: return wishOfProceed(thread, wish);
  case EntryType::hold: return wishOfHold(thread, wish);
  case EntryType::turn: return wishOfTurn(thread, wish);
  case EntryType::reached:
  case EntryType::awaits: break; // no schedule
  }
  return done();
}

// After the last entry of a strict schedule: only the thread that has the baton, only what others do not feel.
Wish wishAtStrictEnd() {
  const Operation& pending = self->control.pending;
  if (self->control.phase == Phase::waiting && isMinor(pending)) return {self, ~uint64_t{0}};
  for (uint32_t i = 0; i < liveCount; ++i)
    if (isEnabled(*live[i])) divergeAtEnd();
  return {nullptr, 0};
}

} // namespace

void startFollowing(const format::ControlConfig& file) {
  threads = reinterpret_cast<const format::ControlThread*>(&file + 1);
  entries = reinterpret_cast<const ControlEntry*>(threads + file.threads);
  if (startOrderings(entries, file.entries)) position = file.entries;
}

const ThreadState* threadAt(uint32_t slot) { return threadOfSlot[slot]; }

uint32_t parentOf(uint32_t slot) { return threads[slot].parent; }

uint32_t findSlot(const ThreadState& thread) {
  for (uint32_t slot = 0; slot < config.threads; ++slot) {
    const bool isMain = threads[slot].parent == slot;
    const bool same = isMain ? thread.parentSerial == thread.serial
                             : thread.parentSerial != thread.serial && threadOfSlot[threads[slot].parent] &&
                                   threadOfSlot[threads[slot].parent]->serial == thread.parentSerial &&
                                   threads[slot].ordinal == thread.ordinal;
    if (!same) continue;
    threadOfSlot[slot] = const_cast<ThreadState*>(&thread);
    return slot;
  }
  return ~0u;
}

bool isOnRecordedPath() {
  return position < config.entries && !status->passedFailure && entries[position].type != EntryType::turn;
}

// The next wake that the schedule has for this thread is one without a signal.
static bool isToWakeWithout(const ThreadState* thread) {
  for (uint64_t at = position; at < config.entries; ++at)
    if (entries[at].kind == uint8_t(EventKind::wake) && threadOfSlot[entries[at].thread] == thread)
      return wakesWithout(entries[at]);
  return false;
}

uint32_t scheduledWaiter(const void* condition) {
  const uint32_t waiters = waitersOn(condition);
  for (uint64_t at = position; at < config.entries; ++at) {
    // Of turns nobody knows which of them begins with a wake: the thread whose turn comes first is meant.
    if (entries[at].type != EntryType::turn &&
        !sync::ruleOf(EventKind(entries[at].kind & ~format::kSilentBit)).isReached)
      continue;
    for (uint32_t i = 0; i < waiters; ++i)
      if (waiterOn(condition, i) == threadOfSlot[entries[at].thread] && !isToWakeWithout(waiterOn(condition, i)))
        return i;
  }
  for (uint32_t i = 0; i < waiters; ++i)
    if (!isToWakeWithout(waiterOn(condition, i))) return i;
  return 0;
}

Wish nextWish() {
  Wish wish = {};
  while (position < config.entries) {
    const ControlEntry& entry = entries[position];
    ThreadState* thread = threadOfSlot[entry.thread];
    const bool isTurn = entry.type == EntryType::turn;
    if (isTurn && (!thread || thread->control.phase == Phase::finished))
      done();
    else if (!thread)
      diverge(nullptr, "no such thread has been created");
    else if (thread->control.phase == Phase::finished &&
             (entry.type == EntryType::check || entry.type == EntryType::pass))
      hasPassed(); // it has ended without the failure
    else if (thread->control.phase == Phase::finished && entry.type != EntryType::release)
      diverge(nullptr, "it has ended");
    else if (wishOf(*thread, wish))
      return wish;
  }
  if (config.strict && config.entries) return wishAtStrictEnd();
  return {nullptr, 0};
}

} // namespace symbiosis::runtime::control
