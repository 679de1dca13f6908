#include "dsp/unguarded.h"
#include "constraints/vector_clocks.h"
#include "dsp/critical_sections.h"
#include "dsp/failure_slice.h"
#include "dsp/sentences.h"
#include "trace/evaluated_schedule.h"
#include "trace/sync_model.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace symbiosis {
namespace {

constexpr size_t kMostEvents = 100'000;

// What was ordered in the failing run by any synchronisation, locks included: what was handed over under a lock,
// or through a pipe, is not in anybody's way.
class RunOrder {
public:
  explicit RunOrder(const EvaluatedSchedule& run) : trace_(run.trace()), clocks_(run.trace()) {
    for (EventRef event : run.order()) {
      if (event != trace_.threads[trace_.threadOf(event)].firstEvent) clocks_.inherit(event - 1, event);
      if (run.happened(event)) order(event);
    }
  }
  bool areConcurrent(EventRef a, EventRef b) const { return !clocks_.precedes(a, b) && !clocks_.precedes(b, a); }

private:
  // Each operation on an object comes after the one before, except that a lock follows only releases.
  void order(EventRef event) {
    const Event& e = trace_.event(event);
    if (e.kind == EventKind::fork && e.peer != kNone) follows(event, starts_[e.peer]);
    if (e.kind == EventKind::start) inheritFrom(event, starts_[e.id.thread]);
    if (e.kind == EventKind::exit) follows(event, ends_[e.id.thread]);
    if (e.kind == EventKind::join && e.peer != kNone) inheritFrom(event, ends_[e.peer]);
    if (e.kind == EventKind::rmw)
      for (const Part& part : trace_.partsOf(event)) follows(event, cells_[part.cell]);
    if (!isSync(e.kind) || e.object == kNone) return;
    if (sync::locks(e.kind, e.outcome)) return inheritFrom(event, objects_[e.object]);
    follows(event, objects_[e.object]);
    if (e.kind == EventKind::waitBegin && e.mutex != kNone) follows(event, objects_[e.mutex]);
  }
  struct Last {
    EventRef event = kNoEvent;
  };
  void inheritFrom(EventRef event, const Last& last) {
    if (last.event != kNoEvent) clocks_.inherit(last.event, event);
  }
  void follows(EventRef event, Last& last) {
    inheritFrom(event, last);
    last.event = event;
  }

  const SymbolicTrace& trace_;
  VectorClocks clocks_;
  std::map<uint32_t, Last> objects_, cells_, starts_, ends_;
};

struct Use {
  EventRef event = kNoEvent;
  bool writes = false;
};

class Search {
public:
  Search(const SymbolicTrace& trace, const EventOrder& failing)
      : trace_(trace), run_(trace, failing), sections_(trace), order_(run_) {}

  std::optional<Unguarded> find() {
    collect(FailureSlice(run_, FailureSlice::Deciders::ofFailingThread).cells());
    for (const auto& [cell, uses] : uses_) tryCell(uses);
    return best_;
  }

private:
  using Guards = std::map<uint32_t, std::vector<EventRef>>; // by mutex: uses in its critical sections

  // Memory that somebody changes atomically needs no lock.
  void collect(const std::set<uint32_t>& cells) {
    std::set<uint32_t> atomic;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
      const Event& event = trace_.event(ref);
      if (!isAccess(event.kind) || !run_.happened(ref)) continue;
      for (const LockedRegion& region : sections_.around(ref))
        if (event.object != kNone) guardsOfObject_[event.object][region.mutex].push_back(ref);
      for (uint32_t part = event.firstPart; part < event.firstPart + event.partCount; ++part) {
        const uint32_t cell = trace_.parts[part].cell;
        if (!cells.contains(cell) || !run_.touches(part)) continue;
        if (event.kind == EventKind::rmw) atomic.insert(cell);
        uses_[cell].push_back({ref, trace_.parts[part].written != kNoExpr});
      }
    }
    for (uint32_t cell : atomic) uses_.erase(cell);
  }

  // A lock that is held around some use of the cell, and a use without it at a time when nothing kept another
  // away.
  void tryCell(const std::vector<Use>& uses) {
    constexpr size_t kMostUses = 400;
    Guards guardedBy;
    for (const Use& use : uses)
      for (const LockedRegion& region : sections_.around(use.event)) guardedBy[region.mutex].push_back(use.event);
    // A lock around other parts of the same object is meant for all of it.
    if (guardedBy.empty()) guardedBy = guardsOfObject_[trace_.event(uses.front().event).object];
    if (guardedBy.empty() || uses.size() > kMostUses) return;
    for (const Use& bare : uses)
      for (const Use& other : uses)
        if (isRace(bare, other))
          for (const auto& [mutex, guarded] : guardedBy) tryLock(bare, other.event, mutex, guarded);
  }
  bool isRace(const Use& a, const Use& b) const {
    return trace_.threadOf(a.event) != trace_.threadOf(b.event) && (a.writes || b.writes) &&
           !sections_.haveLockInCommon(a.event, b.event) && order_.areConcurrent(a.event, b.event);
  }
  void tryLock(const Use& bare, EventRef other, uint32_t mutex, const std::vector<EventRef>& guarded) {
    if (sectionOf(bare.event, mutex) != kNoEvent) return;
    std::set<EventRef> begins;
    for (EventRef use : guarded) begins.insert(sectionOf(use, mutex));
    const bool isHeld = sectionOf(other, mutex) != kNoEvent; // by the one in whose way it is
    const EventRef shown = isHeld ? other : guarded.back();
    consider({bare.event, other, shown, sectionOf(shown, mutex), begins.size()}, isHeld, bare.writes);
  }
  EventRef sectionOf(EventRef event, uint32_t mutex) const {
    for (const LockedRegion& region : sections_.around(event))
      if (region.mutex == mutex) return region.first;
    return kNoEvent;
  }

  // One that holds the lock and is disturbed says most; then more sections say more clearly that it is the cell's
  // lock; then what stands nearest to each other in the failing run.
  void consider(const Unguarded& found, bool isHeld, bool isWrite) {
    const int64_t a = run_.position(found.bare), b = run_.position(found.other);
    const auto key = std::tuple(isHeld, found.sections, isWrite, -std::abs(a - b));
    if (best_ && key <= bestKey_) return;
    best_ = found;
    bestKey_ = key;
  }

  const SymbolicTrace& trace_;
  EvaluatedSchedule run_;
  CriticalSections sections_;
  RunOrder order_;
  std::map<uint32_t, std::vector<Use>> uses_; // by cell
  std::map<uint32_t, Guards> guardsOfObject_;
  std::optional<Unguarded> best_;
  std::tuple<bool, size_t, bool, int64_t> bestKey_;
};

} // namespace

std::optional<Unguarded> findUnguarded(const SymbolicTrace& trace, const EventOrder& failing) {
  if (trace.events.size() > kMostEvents) return std::nullopt;
  return Search(trace, failing).find();
}

static bool asksForOrderOnly(BugClass bugClass) {
  return bugClass == BugClass::orderViolation || bugClass == BugClass::other ||
         bugClass == BugClass::stalePointer || bugClass == BugClass::lostWakeup;
}

void sayForgottenLock(const SymbolicTrace& trace, const EventOrder& failing, Classification& classification) {
  const std::optional<Unguarded> found = findUnguarded(trace, failing);
  if (!found) return;
  const std::string& lock = trace.event(found->lock).variable;
  if (lock.empty() || classification.hint.find(lock) != std::string::npos) return;
  const std::string hint = Sentences(trace, failing, shownFailure(trace, {})).forgottenLockHint(*found);
  classification.hint = asksForOrderOnly(classification.bugClass) ? hint : classification.hint + " " + hint;
}

} // namespace symbiosis
