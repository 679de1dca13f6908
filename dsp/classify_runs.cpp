// What to call the difference between two runs that part at a decision. r is the read that decides (thread T), f
// what it saw in the failing run and a what it saw in the alternate, each by a write of some thread. Looked for in
// this order:
//
// - calls that mix: r looks into an object of a library (a map), and a thread has changed that in the middle of a
// call of
//   another one (`counters[name]`)
// - lost update: what T makes of r replaces what another thread has written in between
// - wakes only one: T waits for what another thread waits for, too, and the signal has reached that one
// - test before wait: T tests r, finds nothing, and waits for ever; the write that it needed came in between. If T
//   does both under one lock, it is the signal that is missing
// - if for while: T has been woken and does not test again what it waited for
// - broken count: the failure is that a block was freed too early, and r is of the count that decided it
// - changed apart: T changes r and reads it again, and another thread has changed it in between
// - double claim: another thread has read the same as T before either of them wrote; what they read is a pointer
// - check-then-act: T acts on what it tested; in between another thread has changed it
// - stale pointer: r is a pointer, and another thread has replaced it
// - order violation: r comes before a write that it needs, or after one that should have waited
// - too soon: r sees the same in both runs, but only in the alternate has another thread written what the check
// reads
//
// Where the decision makes no significant difference, it is called nothing: a run that passes, and no more; but
// for a variable whose updates are lost in the failing run only (dsp/kept_updates.h).
#include "dsp/gone_objects.h"
#include "dsp/other_path.h"
#include "dsp/sentences.h"
#include "dsp/shown_run.h"
#include "dsp/waiting.h"
#include "trace/trace_end.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace symbiosis {
namespace {

constexpr size_t kFailing = 0, kAlternate = 1;

class RunsClassifier {
public:
  RunsClassifier(const OtherPath& path, const Dsp& dsp)
      : path_(path), failing_(path.runs[kFailing], path.orders[kFailing]),
        sentences_(path.runs[kFailing], path.orders[kFailing], shownFailure(path.runs[kFailing], {})),
        sections_(path.runs[kFailing]) {
    if (path.decision.event == kNoEvent) return;
    read_ = path.joined.own[kFailing][path.decision.event];
    seen_ = sourceOf(dsp.failingDataflows);
    needed_ = sourceOf(dsp.alternateDataflows);
  }

  Classification classify() {
    if (read_ == kNoEvent || !path_.isDecisive) return withoutDecision();
    for (auto shape : {&RunsClassifier::callsThatMix, &RunsClassifier::brokenCount, &RunsClassifier::lostUpdate,
                       &RunsClassifier::wakesOnlyOne, &RunsClassifier::testBeforeWait, &RunsClassifier::ifForWhile,
                       &RunsClassifier::changedApart, &RunsClassifier::doubleClaim, &RunsClassifier::checkThenAct,
                       &RunsClassifier::stalePointer, &RunsClassifier::orderViolation, &RunsClassifier::tooSoon})
      if (auto found = (this->*shape)()) return *found;
    return unnamed();
  }

private:
  // --- what happened ---

  const SymbolicTrace& failingTrace() const { return path_.runs[kFailing]; }
  const SymbolicTrace& joined() const { return path_.joined.trace; }
  const Event& read() const { return failingTrace().event(read_); }

  // The write behind what the decision read, in events of the joined trace.
  EventRef sourceOf(const std::vector<Dataflow>& flows) const {
    for (const Dataflow& flow : flows)
      if (flow.to == path_.decision.event) return flow.from;
    return kNoEvent;
  }
  bool isByOther(EventRef write) const {
    return write != kNoEvent && joined().threadOf(write) != read().id.thread;
  }
  // The failing run has the write, but only behind the read.
  bool comesTooLate(EventRef write) const {
    if (!isByOther(write)) return false;
    const EventRef own = path_.joined.own[kFailing][write];
    return own == kNoEvent || failing_.position(own) == kNone || failing_.isBefore(read_, own);
  }
  template <typename Fits> EventRef nextOfThread(EventRef from, Fits fits) const {
    const TraceThread& thread = failingTrace().threads[failingTrace().threadOf(from)];
    for (EventRef ref = from + 1; ref < thread.firstEvent + thread.eventCount; ++ref)
      if (fits(failingTrace().event(ref))) return ref;
    return kNoEvent;
  }
  bool sameCells(EventRef a, EventRef b) const {
    for (const Part& x : failingTrace().partsOf(a))
      for (const Part& y : failingTrace().partsOf(b))
        if (x.cell == y.cell) return true;
    return false;
  }
  bool isWrite(const Event& event) const { return event.kind == EventKind::write || event.kind == EventKind::rmw; }
  // What T does with what it has read: its next write to the same place, else to the same object; where the other
  // thread does the same as T, also the first that T would not have done otherwise.
  EventRef act() const {
    const EventRef same = nextOfThread(read_, [&](const Event& event) {
      return isWrite(event) && sameCells(EventRef(&event - failingTrace().events.data()), read_);
    });
    if (same != kNoEvent) return same;
    const bool areAlike = needed_ != kNoEvent && joined().threads[joined().threadOf(needed_)].startFunction ==
                                                     failingTrace().threads[read().id.thread].startFunction;
    return nextOfThread(read_, [&](const Event& event) {
      if (!isWrite(event)) return false;
      if (event.object != kNone && event.object == read().object) return true;
      return areAlike && path_.joined.isMissing(kAlternate, joinedOf(event));
    });
  }
  EventRef joinedOf(const Event& own) const {
    return path_.joined.joined[kFailing][EventRef(&own - failingTrace().events.data())];
  }

  // --- the shapes ---

  // The one around r, or else the last before it: an object that two threads used at once is no longer what it
  // was.
  std::optional<Classification> callsThatMix() {
    constexpr size_t kMostEvents = 20'000;
    if (!isInCall(read_) || failingTrace().events.size() > kMostEvents) return {};
    std::vector<EventRef> latest(failingTrace().threads.size(), kNoEvent); // use of the object, by thread
    EventRef user = kNoEvent, intruder = kNoEvent;
    const Call mine = callAround(read_);
    for (EventRef ref : path_.orders[kFailing]) {
      if (failing_.isBefore(mine.last, ref)) break;
      const ThreadIndex thread = failingTrace().threadOf(ref);
      if (!isInCall(ref) || !isSameObject(ref, read_)) continue;
      for (ThreadIndex other = 0; other < latest.size() && isWrite(failingTrace().event(ref)); ++other)
        if (other != thread && latest[other] != kNoEvent && isInside(ref, latest[other]) &&
            touches(callAround(latest[other]), ref))
          user = latest[other], intruder = ref;
      latest[thread] = ref;
    }
    if (user == kNoEvent) return {};
    const std::string names[] = {ownerIn(failingTrace().event(user).variable), ownerIn(read().variable)};
    return mixed(names[names[0].starts_with("this->") ? 1 : 0], user, intruder);
  }
  struct Call {
    EventRef first = kNoEvent, last = kNoEvent; // of one thread
  };
  // An access that a library makes for a line of the program, to an object that has a name.
  bool isInCall(EventRef ref) const {
    const Event& event = failingTrace().event(ref);
    return event.inLibrary && isAccess(event.kind) && event.location != kNone && !event.variable.empty() &&
           failing_.happened(ref);
  }
  // What the library does for the same line, before it and after it.
  Call callAround(EventRef ref) const {
    Call call{ref, ref};
    const TraceThread& thread = failingTrace().threads[failingTrace().threadOf(ref)];
    auto isOfCall = [&](EventRef other) {
      const Event& event = failingTrace().event(other);
      return event.inLibrary && isAccess(event.kind) && event.location == failingTrace().event(ref).location &&
             failing_.happened(other);
    };
    while (call.first > thread.firstEvent && isOfCall(call.first - 1)) --call.first;
    while (call.last + 1 < thread.firstEvent + thread.eventCount && isOfCall(call.last + 1)) ++call.last;
    return call;
  }
  bool isInside(EventRef ref, EventRef ofCall) const {
    const Call call = callAround(ofCall);
    return failing_.isBefore(call.first, ref) && failing_.isBefore(ref, call.last);
  }
  // It looks at, or changes, memory that the write changes: names may be alike where objects are not.
  bool touches(const Call& call, EventRef write) const {
    for (EventRef ref = call.first; ref <= call.last; ++ref)
      if (sameCells(ref, write)) return true;
    return false;
  }
  Classification mixed(const std::string& object, EventRef user, EventRef intruder) const {
    Classification result = named(BugClass::atomicityViolation);
    result.variable = object;
    const std::string name = shortenMiddle(object, 24);
    const std::string story = fmt::format("{} changes {} ({}) while {} is in the middle of using it ({})",
                                          who(intruder), name, place(intruder), who(user), place(user));
    const std::string whole = fmt::format("{}; {}.", story, consequence());
    result.headline = characters(whole) <= kLongestHeadline ? whole : story + ".";
    const std::string locks = sentences_.differentLocksHint(user, intruder);
    const std::string places =
        place(user) == place(intruder) ? place(user) : fmt::format("{} and {}", place(user), place(intruder));
    result.hint =
        !locks.empty()
            ? locks
            : fmt::format("{} must not be used while another thread changes it: hold one lock, exclusively, "
                          "around {}.",
                          name, places);
    Call call = callAround(user); // what stands next to the intruder
    while (call.first < call.last && failing_.isBefore(call.first + 1, intruder)) ++call.first;
    while (call.last > call.first && failing_.isBefore(intruder, call.last - 1)) --call.last;
    const std::vector<EventRef>& joinedRef = path_.joined.joined[kFailing];
    result.region = AtomicRegion{joinedRef[call.first], joinedRef[call.last], {joinedRef[intruder]}};
    return result;
  }
  // `results` of `results.end()`.
  static std::string ownerIn(const std::string& variable) {
    return variable.ends_with("()") ? variable.substr(0, variable.rfind('.')) : variable;
  }
  // By their names: in a member function `this->seen` is what others call `catalogue.seen`.
  bool isSameObject(EventRef a, EventRef b) const {
    std::string names[] = {ownerIn(failingTrace().event(a).variable), ownerIn(failingTrace().event(b).variable)};
    if (names[0].size() < names[1].size()) std::swap(names[0], names[1]);
    constexpr std::string_view kThis = "this->";
    const bool isMember = names[1].starts_with(kThis);
    const std::string last = isMember ? names[1].substr(kThis.size()) : names[1];
    return names[0] == names[1] || (isMember && names[0].ends_with("." + last)) ||
           (isMember && names[0].ends_with("->" + last));
  }

  std::optional<Classification> lostUpdate() {
    if (!path_.lostUpdate) return {};
    const EventRef lost = path_.joined.own[kFailing][path_.lostUpdate->intruders.front()];
    const EventRef write = path_.joined.own[kFailing][path_.lostUpdate->last];
    Classification result = named(BugClass::lostUpdate);
    result.variable = failingTrace().event(lost).variable;
    result.region = path_.lostUpdate;
    const std::string story =
        fmt::format("{}'s {} = {} ({}) is lost: {} read {} ({}), then writes {}", who(lost),
                    shortenMiddle(result.variable, 24), formatValue(failing_.accessValue(lost)), place(lost),
                    who(write), value(), place(read_), formatValue(failing_.accessValue(write)));
    const std::string whole = fmt::format("{} ({}); {}.", story, place(write),
                                          path_.isDecisive ? consequence() : "the run that passes loses none");
    result.headline = characters(whole) <= kLongestHeadline ? whole : fmt::format("{} ({}).", story, place(write));
    const std::string locks = sentences_.differentLocksHint(read_, lost);
    result.hint = locks.empty() ? sentences_.atomicHint(read_, write) : locks;
    return result;
  }

  // Two threads wait for the same, it comes, and who signals wakes one of them.
  std::optional<Classification> wakesOnlyOne() {
    if (TraceEnd(failingTrace()).kind() != TraceEndKind::waiting) return {};
    for (EventRef wait = 0; wait < failingTrace().events.size(); ++wait) {
      const Event& event = failingTrace().event(wait);
      if (!event.pending || event.kind != EventKind::wake || !wouldGoOn(wait)) continue;
      for (EventRef woken = 0; woken < failingTrace().events.size(); ++woken)
        if (const EventRef signal = signalInstead(wait, woken); signal != kNoEvent)
          return wokenAlone(wait, woken, signal);
    }
    return {};
  }
  // What the thread tested before it waits has been changed since by another one.
  bool wouldGoOn(EventRef wait) const {
    const EventRef began = wait - 1; // the wait-begin, which gave the mutex back
    for (const LockedRegion& region : sections_.ofThread(failingTrace().threadOf(wait)))
      for (EventRef read = region.first; read < began && region.last == began; ++read)
        for (const Part& part : failingTrace().partsOf(read))
          if (const EventRef write = failing_.lastWrite(part.cell);
              part.symbol != kNone && write != kNoEvent &&
              failingTrace().threadOf(write) != failingTrace().threadOf(wait) && failing_.isBefore(read, write))
            return true;
    return false;
  }
  // The signal that ended another thread's wait, when this one waited already; kNoEvent: there is none.
  EventRef signalInstead(EventRef wait, EventRef woken) const {
    const Event& event = failingTrace().event(woken);
    if (event.kind != EventKind::wake || event.pending || event.object != failingTrace().event(wait).object ||
        !failing_.happened(woken))
      return kNoEvent;
    const EventRef signal = failing_.wokenBy(woken);
    const bool isOne = signal != kNoEvent && failingTrace().event(signal).kind == EventKind::signal;
    return isOne && failing_.isBefore(wait - 1, signal) ? signal : kNoEvent;
  }
  Classification wokenAlone(EventRef wait, EventRef woken, EventRef signal) const {
    Classification result = named(BugClass::lostWakeup);
    result.variable = failingTrace().event(wait).variable;
    result.headline = fmt::format("{}'s signal ({}) wakes {} alone; {} waits for the same ({}), for ever.",
                                  who(signal), place(signal), who(woken), who(wait), place(wait));
    result.hint = fmt::format("Wake all who wait: make the signal at {} a broadcast, or signal once for each.",
                              place(signal));
    return result;
  }

  std::optional<Classification> testBeforeWait() {
    if (TraceEnd(failingTrace()).kind() != TraceEndKind::waiting || !comesTooLate(needed_)) return {};
    const EventRef wait = nextOfThread(read_, [](const Event& event) { return event.pending; });
    if (wait == kNoEvent) return {};
    if (auto silent = notSignalled(wait)) return silent;
    Classification result = named(BugClass::testThenWait);
    result.headline =
        fmt::format("{} tests {} ({}) before {} sets it ({}), so it waits for ever ({}).", who(read_), variable(),
                    place(read_), whoJoined(needed_), placeJoined(needed_), place(wait));
    const std::string mutex = mutexOf(wait);
    result.hint = fmt::format("Test {} and wait under one lock: hold {} from {} to {}, and test in a loop.",
                              variable(), mutex.empty() ? "the mutex" : mutex, place(read_), place(wait));
    return result;
  }

  // T tests and waits under one lock, as it should, and who then makes true what it waits for does not signal that
  // condition.
  std::optional<Classification> notSignalled(EventRef wait) const {
    const EventRef began = wait - 1, write = path_.joined.own[kFailing][needed_];
    const Event& waiting = failingTrace().event(wait);
    if (waiting.kind != EventKind::wake || write == kNoEvent || !failing_.happened(write)) return {};
    const std::vector<LockedRegion> regions = sections_.around(read_);
    if (std::none_of(regions.begin(), regions.end(), [&](const LockedRegion& r) { return r.last == began; }))
      return {};
    EventRef other = kNoEvent; // what it signals instead
    const TraceThread& setter = failingTrace().threads[failingTrace().threadOf(write)];
    for (EventRef ref = write + 1; ref < setter.firstEvent + setter.eventCount; ++ref) {
      const Event& event = failingTrace().event(ref);
      if (event.pending || (event.kind != EventKind::signal && event.kind != EventKind::broadcast)) continue;
      if (event.object == waiting.object) return {};
      if (other == kNoEvent) other = ref;
    }
    Classification result = named(BugClass::lostWakeup);
    result.variable = waiting.variable;
    const std::string condition = shortenMiddle(waiting.variable, 24);
    const std::string instead =
        other == kNoEvent
            ? "nobody"
            : fmt::format("{} ({})", shortenMiddle(failingTrace().event(other).variable, 24), place(other));
    result.headline = fmt::format("{} sets {} ({}) and signals {}; {} waits at {} for ever ({}).", who(write),
                                  variable(), place(write), instead, who(read_), condition, place(wait));
    result.hint = fmt::format("Signal {} where {} sets {} ({}).", condition, who(write), variable(), place(write));
    return result;
  }

  std::optional<Classification> ifForWhile() {
    // Between the return from the wait and the read nobody looks again.
    EventRef wake = kNoEvent, tested = kNoEvent;
    for (EventRef ref = failingTrace().threads[read().id.thread].firstEvent; ref < read_; ++ref) {
      const Event& event = failingTrace().event(ref);
      if (event.kind == EventKind::wake) wake = ref;
      if (event.kind == EventKind::read && sameCells(ref, read_)) tested = ref;
    }
    if (wake == kNoEvent || tested == kNoEvent || tested > wake) return {};
    if (!comesTooLate(needed_) && !path_.isDelayed && !(isTakenBefore(wake, tested) && !testsAgain(wake)))
      return {};
    Classification result = named(BugClass::ifForWhile);
    result.headline = fmt::format("{} returns from its wait ({}) and does not test {} again: it reads {} ({}).",
                                  who(read_), place(wake), variable(), value(), place(read_));
    result.hint = fmt::format("Use while: what {} waits for must hold when the wait returns ({}).", who(read_),
                              place(tested));
    return result;
  }
  // Another thread has changed since the test what the read finds, in another line than the test's.
  bool isTakenBefore(EventRef wake, EventRef tested) const {
    if (!isByOther(seen_) || failingTrace().event(tested).location == read().location) return false;
    const EventRef change = path_.joined.own[kFailing][seen_];
    return change != kNoEvent && failing_.isBefore(tested, change) && failing_.isBefore(change, read_) &&
           wake < read_;
  }
  // Something that decided about the wait is read once more behind it, before the read that decides now.
  bool testsAgain(EventRef wake) const {
    EventRef first = wake; // of the critical section in which it waits
    for (const LockedRegion& region : sections_.ofThread(read().id.thread))
      if (region.last < wake) first = region.first;
    for (EventRef before = first; before < wake; ++before)
      for (EventRef after = wake + 1; after < read_; ++after)
        if (failingTrace().event(before).kind == EventKind::read &&
            failingTrace().event(after).kind == EventKind::read && sameCells(before, after))
          return true;
    return false;
  }

  std::optional<Classification> brokenCount() {
    if (!isHeapMisuse(failingTrace().failure.kind)) return {};
    auto found = classifyCount(failingTrace(), path_.orders[kFailing], {}, read_);
    if (found) found->region.reset(); // the report is about both runs
    return found;
  }

  // A count that is lowered in one step and tested in another one, for example. It may be another thread than T
  // that reads, at the same place, what it should not have seen.
  std::optional<Classification> changedApart() {
    if (auto mine = changedApart(read_)) return mine;
    for (EventRef ref = 0; ref < failingTrace().events.size(); ++ref) {
      const Event& event = failingTrace().event(ref);
      const bool isAlike = event.kind == EventKind::read && event.location == read().location && ref != read_;
      if (!isAlike || !failing_.happened(ref) || !sameCells(ref, read_)) continue;
      if (auto theirs = changedApart(ref)) return theirs;
    }
    return {};
  }
  std::optional<Classification> changedApart(EventRef read) {
    const EventRef change = ownChangeBefore(read), intruder = lastChangeBefore(read);
    if (change == kNoEvent || intruder == kNoEvent || intruder == change) return {};
    Classification result = named(BugClass::atomicityViolation);
    const std::string story = fmt::format(
        "{} changes {} ({}) and then reads {} ({}), which {} has set in between ({})", who(change), variable(),
        place(change), formatValue(failing_.accessValue(read)), place(read), who(intruder), place(intruder));
    const std::string whole = fmt::format("{}; {}.", story, consequence());
    result.headline = characters(whole) <= kLongestHeadline ? whole : story + ".";
    const std::vector<EventRef>& joinedRef = path_.joined.joined[kFailing];
    result.region = AtomicRegion{joinedRef[change], joinedRef[read], {joinedRef[intruder]}};
    const std::string locks = sentences_.differentLocksHint(change, intruder);
    result.hint = failingTrace().event(change).kind == EventKind::rmw
                      ? fmt::format("Test what the change of {} itself returns ({}), instead of reading it again.",
                                    variable(), place(change))
                  : locks.empty() ? sentences_.atomicHint(change, read)
                                  : locks;
    return result;
  }
  bool isAbove(EventRef a, EventRef b) const {
    const uint32_t places[] = {failingTrace().event(a).location, failingTrace().event(b).location};
    if (places[0] == kNone || places[1] == kNone) return false;
    const SourceLocation &above = failingTrace().locations[places[0]],
                         &below = failingTrace().locations[places[1]];
    return above.file == below.file && above.line <= below.line;
  }
  bool haveSameLocks(EventRef a, EventRef b) const {
    auto locks = [&](EventRef ref) {
      std::set<EventRef> taken;
      for (const LockedRegion& region : sections_.around(ref)) taken.insert(region.first);
      return taken;
    };
    return locks(a) == locks(b);
  }
  // By any thread, in the failing run.
  EventRef lastChangeBefore(EventRef read) const {
    EventRef last = kNoEvent;
    for (EventRef ref : path_.orders[kFailing]) {
      if (ref == read) return last;
      if (isWrite(failingTrace().event(ref)) && sameCells(ref, read)) last = ref;
    }
    return kNoEvent;
  }
  // The last change of what r reads by its own thread, in the same function and above it (not in the round of a
  // loop before this one), under the same locks, with no thread created or joined in between; kNoEvent: there is
  // none.
  EventRef ownChangeBefore(EventRef read) const {
    const TraceThread& thread = failingTrace().threads[failingTrace().threadOf(read)];
    for (EventRef ref = read; ref-- > thread.firstEvent;) {
      const Event& event = failingTrace().event(ref);
      if (event.kind == EventKind::fork || event.kind == EventKind::join) return kNoEvent;
      if (isWrite(event) && sameCells(ref, read))
        return event.stack == failingTrace().event(read).stack && isAbove(ref, read) && haveSameLocks(ref, read)
                   ? ref
                   : kNoEvent;
    }
    return kNoEvent;
  }
  std::optional<Classification> doubleClaim() {
    if (!isPointer() || !comesTooLate(needed_)) return {};
    const EventRef mine = act();
    for (EventRef ref = 0; ref < failingTrace().events.size() && mine != kNoEvent; ++ref) {
      const Event& event = failingTrace().event(ref);
      if (event.id.thread == read().id.thread || event.kind == EventKind::write || !isAccess(event.kind) ||
          !sameCells(ref, read_) || !failing_.isBefore(ref, mine) || !failing_.happened(ref))
        continue;
      if (failing_.accessValue(ref).bits != failing_.accessValue(read_).bits) continue;
      const EventRef theirs = path_.joined.own[kFailing][needed_];
      if (theirs == kNoEvent || failingTrace().threadOf(theirs) != event.id.thread ||
          !failing_.isBefore(ref, theirs))
        continue;
      Classification result = named(BugClass::doubleClaim);
      result.headline =
          fmt::format("{} and {} both read {} = {} ({}) before {} changes it ({}), so both take it.", who(ref),
                      who(read_), variable(), value(), place(read_), who(theirs), place(theirs));
      result.hint = atomicHint(read_, mine);
      return result;
    }
    return {};
  }

  std::optional<Classification> checkThenAct() {
    const EventRef mine = act();
    if (mine == kNoEvent || !comesTooLate(needed_)) return {};
    Classification result = named(BugClass::checkThenAct);
    result.headline = tooEarly(fmt::format("and acts on it ({})", place(mine)));
    const EventRef theirs = path_.joined.own[kFailing][needed_];
    const std::string locks = theirs == kNoEvent ? "" : sentences_.differentLocksHint(read_, theirs);
    result.hint = locks.empty() ? atomicHint(read_, mine) : locks;
    return result;
  }

  std::optional<Classification> stalePointer() {
    // A library that compares two pointers asks whether a container is empty, or at its end.
    if (!isPointer() || read().inLibrary || !comesTooLate(needed_)) return {};
    Classification result = named(BugClass::stalePointer);
    result.headline = tooEarly("");
    result.hint = orderHint(needed_, path_.decision.event);
    return result;
  }

  std::optional<Classification> orderViolation() {
    Classification result = named(BugClass::orderViolation);
    if (comesTooLate(needed_)) {
      result.headline = tooEarly("");
      result.hint = orderHint(needed_, path_.decision.event);
      return result;
    }
    if (!isByOther(seen_)) return {};
    result.headline =
        fmt::format("{} sets {} to {} ({}) before {} reads it ({}), so {}.", whoJoined(seen_), variable(), value(),
                    placeJoined(seen_), who(read_), place(read_), consequence());
    result.hint = orderHint(path_.decision.event, seen_);
    return result;
  }

  std::optional<Classification> tooSoon() {
    const EventRef write = writeThatIsMissing();
    if (write == kNoEvent) return {};
    Classification result = named(BugClass::orderViolation);
    result.variable = joined().event(write).variable;
    const std::string first =
        fmt::format("{} goes on ({}) before {} has set {} ({})", who(read_), place(read_), whoJoined(write),
                    shortenMiddle(result.variable, 24), placeJoined(write));
    const std::string whole = fmt::format("{}, so {}.", first, consequence());
    result.headline = characters(whole) <= kLongestHeadline ? whole : first + ".";
    result.hint = orderHint(write, path_.decision.event);
    return result;
  }
  // What the failing check reads, and another thread writes before the decision in the alternate only; the last
  // such write. kNoEvent: there is none.
  EventRef writeThatIsMissing() const {
    const EventRef decision = path_.joined.own[kAlternate][path_.decision.event];
    if (decision == kNoEvent) return kNoEvent;
    std::set<uint32_t> checked;
    for (ExprId conjunct : failingTrace().failure.bug)
      for (uint32_t symbol : failingTrace().exprs.symbolsIn(conjunct))
        if (const EventRef ref = failingTrace().symbols[symbol].event; ref != kNoEvent)
          for (const Part& part : failingTrace().partsOf(ref))
            checked.insert(path_.joined.joinedCell[kFailing][part.cell]);
    const SymbolicTrace& passing = path_.runs[kAlternate];
    EventRef last = kNoEvent;
    for (EventRef ref : path_.orders[kAlternate]) {
      if (ref == decision) break;
      const EventRef write = path_.joined.joined[kAlternate][ref];
      if (passing.event(ref).variable.empty() || !comesTooLate(write)) continue;
      for (const Part& part : passing.partsOf(ref))
        if (part.written != kNoExpr && checked.contains(path_.joined.joinedCell[kAlternate][part.cell]))
          last = write;
    }
    return last;
  }

  Classification withoutDecision() {
    if (auto lost = lostUpdate()) return *lost;
    if (TraceEnd(failingTrace()).kind() == TraceEndKind::waiting)
      if (auto kept = classifyKeptLock(failingTrace(), path_.orders[kFailing])) return *kept;
    return aRunThatPasses();
  }
  // Nothing is known to decide between them: no word about causes.
  Classification aRunThatPasses() const {
    Classification result;
    result.headline = fmt::format("{}; a run that passes parts from it.", sentences_.failureWords());
    result.hint = "Compare the two runs: what only one of them does is marked.";
    return result;
  }

  Classification unnamed() const {
    Classification result = named(BugClass::other);
    result.headline =
        fmt::format("{} at {} decides: {} in the failing run, {} in the one that passes; {}.", who(read_),
                    place(read_), path_.decision.failing, path_.decision.alternate, consequence());
    result.hint = "Compare the two runs from the decision on: what only one of them does is marked.";
    return result;
  }

  // --- words ---

  Classification named(BugClass bugClass) const {
    Classification result;
    result.bugClass = bugClass;
    result.variable = read().variable;
    return result;
  }
  std::string tooEarly(const std::string& act) {
    const std::string first = fmt::format("{} reads {} = {} ({})", who(read_), variable(), value(), place(read_));
    const std::string second = fmt::format("before {} sets it ({})", whoJoined(needed_), placeJoined(needed_));
    for (const std::string& text :
         {fmt::format("{}{}{} {}, so {}.", first, act.empty() ? "" : " ", act, second, consequence()),
          fmt::format("{} {}, so {}.", first, second, consequence()), fmt::format("{} {}.", first, second)})
      if (characters(text) <= kLongestHeadline) return text;
    return shortenMiddle(fmt::format("{} {}.", first, second), kLongestHeadline);
  }
  std::string consequence() const { return sentences_.failureWords(); }
  std::string variable() const {
    return read().variable.empty() ? "a shared value" : shortenMiddle(read().variable, 24);
  }
  std::string value() const {
    return read().partCount ? formatValue(failing_.accessValue(read_)) : path_.decision.failing;
  }
  bool isPointer() const { return read().partCount && value().starts_with("0x"); }
  std::string who(EventRef own) const { return sentences_.thread(own); }
  std::string whoJoined(EventRef ref) const { return joined().threads[joined().threadOf(ref)].displayName; }
  std::string place(EventRef own) const { return sentences_.placeWord(own); }
  std::string placeJoined(EventRef ref) const {
    const std::string words = placeOf(joined(), joined().event(ref).location,
                                      mainFile(failingTrace(), shownFailure(failingTrace(), {})));
    return words.empty() ? toText(joined().event(ref).kind) : words;
  }
  std::string mutexOf(EventRef wait) const {
    const uint32_t mutex = failingTrace().event(wait).mutex;
    return mutex == kNone ? "" : shortenMiddle(failingTrace().objects[mutex].name, 24);
  }
  // Of what is read and acted upon, in every thread that does so.
  std::string atomicHint(EventRef first, EventRef last) const {
    for (const LockedRegion& region : sections_.around(first)) {
      const std::string& lock = failingTrace().event(region.first).variable;
      if (!lock.empty())
        return fmt::format("Test and act in one step: hold {} from {} to {} without releasing it in between.",
                           shortenMiddle(lock, 32), place(first), place(last));
    }
    return fmt::format("Test and act in one step: {} must not be interrupted, in any thread.",
                       sentences_.span(first, last));
  }
  std::string orderHint(EventRef first, EventRef second) const {
    return fmt::format("Make {}'s {} wait for {}'s {}.", whoJoined(second), placeJoined(second), whoJoined(first),
                       placeJoined(first));
  }

  const OtherPath& path_;
  EvaluatedSchedule failing_;
  Sentences sentences_;
  CriticalSections sections_;
  EventRef read_ = kNoEvent;                     // of the failing run
  EventRef seen_ = kNoEvent, needed_ = kNoEvent; // of the joined trace
};

} // namespace

Classification classifyRuns(const OtherPath& path, const Dsp& dsp) { return RunsClassifier(path, dsp).classify(); }

} // namespace symbiosis
