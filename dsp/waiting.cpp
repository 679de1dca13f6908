// Theory. What a thread waits for is held by other threads, or by nobody in particular (a signal, a token). If the
// holders wait in turn for each other, the circle is the explanation, whatever else waits for its members. If a
// signal was lost, it and the wait that came too late are. Otherwise it is the chain of waits that ends with one
// for which nobody is left to do what it needs.
#include "dsp/waiting.h"
#include "dsp/sentences.h"
#include "search/inversion.h"
#include "trace/sync_model.h"
#include "trace/waits.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace symbiosis {

namespace {

constexpr size_t kMostOrdersShown = 20;
constexpr size_t kMostNamed = 3;

class WaitExplainer : Sentences {
public:
  WaitExplainer(const SymbolicTrace& trace, const EventOrder& failing, const Alternate& alternate,
                const ShownFailure& failure)
      : Sentences(trace, failing, failure), alternate_(alternate), waits_(findWaits(trace)),
        circle_(findCircle(trace, waits_)) {
    if (alternate.status == AlternateStatus::found) positionAlternate_ = positionsOf(trace, alternate.order);
    // Sentences begin with the one whom the report is about.
    const auto first = std::find_if(circle_.begin(), circle_.end(),
                                    [&](const Wait& wait) { return wait.event == failure.event; });
    if (first != circle_.end()) std::rotate(circle_.begin(), first, circle_.end());
  }

  Classification classify(const RootCause& rootCause) {
    if (circle_.size() == 1) return waitsForItself(circle_[0]);
    if (!circle_.empty()) return inACircle();
    if (const std::optional<OrderEdge> lost = lostSignal(rootCause)) return lostWakeup(*lost);
    if (const std::optional<Misled> misled = misledSignal()) return wokenInVain(*misled);
    if (const std::optional<Kept> kept = keptLock()) return neverReleased(*kept);
    if (const std::optional<EventRef> barrier = openBarrier()) return tooFewCome(*barrier);
    return chainOfWaits();
  }

  std::optional<Classification> classifyKeptLock() {
    if (!circle_.empty()) return {};
    if (const std::optional<Kept> kept = keptLock()) return neverReleased(*kept);
    return {};
  }

  std::set<EventRef> shown(const RootCause& rootCause) const {
    std::set<EventRef> events{failure_.event};
    for (const Wait& wait : circle_.empty() ? chain() : circle_) {
      events.insert(wait.event);
      for (const Wait::Holder& holder : wait.holders)
        if (holder.since != kNoEvent) events.insert(holder.since);
    }
    if (const std::optional<Misled> misled = misledSignal(); misled && circle_.empty() && !lostSignal(rootCause))
      events.insert({misled->signal, misled->woken, misled->again});
    if (rootCause.orders.size() <= kMostOrdersShown)
      for (const OrderEdge& edge : rootCause.orders) events.insert({edge.before, edge.after});
    if (alternate_.inverted) events.insert({alternate_.inverted->before, alternate_.inverted->after});
    return events;
  }

private:
  // --- what happened ---

  // The signal that came too early, and the beginning of the wait.
  std::optional<OrderEdge> lostSignal(const RootCause& rootCause) const {
    std::optional<OrderEdge> found;
    for (const Wait& wait : waits_) {
      const Event& event = trace_.event(wait.event);
      if (!sync::ruleOf(event.kind).isReached || wait.event == 0) continue;
      const EventRef begin = wait.event - 1;
      for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
        if (!wakes(trace_.event(ref).kind) || trace_.event(ref).object != event.object) continue;
        if (failing_.isBefore(begin, ref)) continue;
        if (!positionAlternate_.empty() && positionAlternate_[ref] < positionAlternate_[begin]) continue;
        const OrderEdge edge{ref, begin};
        const bool isCause = std::count(rootCause.orders.begin(), rootCause.orders.end(), edge) > 0;
        if (isCause) return edge;
        if (!found) found = edge;
      }
    }
    return found;
  }

  static bool wakes(EventKind kind) {
    return kind == EventKind::signal || kind == EventKind::broadcast || kind == EventKind::futexWake;
  }

  // A signal that reached somebody who went back to wait, while another waited who now does for ever.
  struct Misled {
    EventRef signal = kNoEvent, woken = kNoEvent, again = kNoEvent, wait = kNoEvent;
  };
  std::optional<Misled> misledSignal() const {
    std::optional<Misled> found;
    for (const Wait& wait : waits_) {
      const Event& pending = trace_.event(wait.event);
      if (pending.kind != EventKind::wake || wait.event == 0) continue;
      for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
        const Event& woken = trace_.event(ref);
        if (woken.kind != EventKind::wake || woken.pending || woken.object != pending.object) continue;
        const EventRef signal = failing_.wokenBy(ref), again = nextWait(ref);
        if (signal == kNoEvent || again == kNoEvent || trace_.event(signal).kind != EventKind::signal) continue;
        if (!failing_.isBefore(wait.event - 1, signal)) continue;
        if (!found || failing_.isBefore(found->signal, signal)) found = {signal, ref, again, wait.event};
      }
    }
    return found;
  }
  // Where the thread that was woken goes back to wait for the same, with nothing written in between; kNoEvent: it
  // does not.
  EventRef nextWait(EventRef woken) const {
    const TraceThread& thread = trace_.threads[trace_.threadOf(woken)];
    for (EventRef ref = woken + 1; ref < thread.firstEvent + thread.eventCount; ++ref) {
      const Event& event = trace_.event(ref);
      if (event.kind == EventKind::waitBegin) return event.object == trace_.event(woken).object ? ref : kNoEvent;
      for (const Part& part : trace_.partsOf(ref))
        if (part.written != kNoExpr) return kNoEvent;
    }
    return kNoEvent;
  }

  // A lock that somebody waits for, and whose holder has ended with it.
  struct Kept {
    EventRef wait = kNoEvent, since = kNoEvent;
  };
  std::optional<Kept> keptLock() const {
    for (const Wait& wait : waits_)
      for (const Wait::Holder& holder : wait.holders) {
        if (holder.since == kNoEvent || !hasEnded(holder.thread)) continue;
        const EventKind kind = trace_.event(holder.since).kind;
        if (kind != EventKind::semWait && kind != EventKind::semTrywait) return Kept{wait.event, holder.since};
      }
    return {};
  }
  bool hasEnded(ThreadIndex thread) const {
    const TraceThread& of = trace_.threads[thread];
    for (EventRef ref = of.firstEvent; ref < of.firstEvent + of.eventCount; ++ref)
      if (trace_.event(ref).kind == EventKind::exit && !trace_.event(ref).pending) return true;
    return false;
  }
  // Where the thread last decided which way to go with the lock; kNone: nowhere that is known.
  uint32_t lastWay(EventRef since) const {
    uint32_t location = kNone;
    for (const Condition& condition : trace_.conditions)
      if (condition.after >= since && trace_.threadOf(condition.after) == trace_.threadOf(since) &&
          condition.kind == ConditionKind::branch)
        location = condition.location;
    return location;
  }

  // The report is about a wait at a barrier.
  std::optional<EventRef> openBarrier() const {
    for (const Wait& wait : chain())
      if (trace_.event(wait.event).kind == EventKind::barrierLeave) return wait.event;
    return {};
  }

  const Wait* waitOf(ThreadIndex thread) const {
    for (const Wait& wait : waits_)
      if (trace_.threadOf(wait.event) == thread) return &wait;
    return nullptr;
  }

  // Without a circle: the wait at which everything ends that the failure's thread waits for, and those who wait,
  // directly or not, for its thread, nearest first.
  std::vector<Wait> chain() const {
    const Wait* last = waitOf(trace_.threadOf(failure_.event));
    for (bool moved = last != nullptr; moved;) {
      moved = false;
      for (const Wait::Holder& holder : last->holders)
        if (const Wait* next = waitOf(holder.thread); next && !moved) last = next, moved = true;
    }
    std::vector<Wait> found;
    if (last) found.push_back(*last);
    for (size_t i = 0; i < found.size() && found.size() < kMostNamed; ++i)
      for (const Wait& wait : waits_)
        for (const Wait::Holder& holder : wait.holders)
          if (holder.thread == trace_.threadOf(found[i].event) && holder.since != kNoEvent &&
              std::none_of(found.begin(), found.end(), [&](const Wait& w) { return w.event == wait.event; }))
            found.push_back(wait);
    return found;
  }

  // --- words ---

  std::string nameOf(EventRef event) const {
    const std::string& name = trace_.event(event).variable;
    return name.empty() ? "a lock" : shortenMiddle(name, 24);
  }
  // In a circle it is plain what it is.
  std::string wanted(EventRef event) const {
    const Event& pending = trace_.event(event);
    if (!circle_.empty() && pending.kind != EventKind::join) return nameOf(event);
    if (pending.kind == EventKind::join)
      return pending.peer == kNone ? "a thread to end" : trace_.threads[pending.peer].displayName + " to end";
    return sync::ruleOf(pending.kind).wants + nameOf(event);
  }
  // "holds a (line 9) and ", or nothing: what keeps those who wait for this thread.
  std::string holding(EventRef since, bool withPlace) const {
    if (since == kNoEvent) return "";
    const EventKind kind = trace_.event(since).kind;
    const char* verb = kind == EventKind::semWait || kind == EventKind::semTrywait ? "took"
                       : kind == EventKind::onceBegin                              ? "runs"
                                                                                   : "holds";
    return fmt::format("{} {}{} and ", verb, nameOf(since), withPlace ? at(since) : "");
  }
  // By which the thread has what `wait` is for.
  EventRef sinceWhen(const Wait& wait, ThreadIndex thread) const {
    for (const Wait::Holder& holder : wait.holders)
      if (holder.thread == thread) return holder.since;
    return kNoEvent;
  }
  std::string clause(const Wait& wait, EventRef since, bool withPlaces) const {
    return fmt::format("{} {}waits for {}{}", thread(wait.event), holding(since, withPlaces), wanted(wait.event),
                       withPlaces ? at(wait.event) : "");
  }

  Classification waitsForItself(const Wait& wait) const {
    const EventRef since = sinceWhen(wait, trace_.threadOf(wait.event));
    Classification result{BugClass::deadlock, nameOf(wait.event), {}, {}, {}};
    result.headline = since == kNoEvent
                          ? fmt::format("{} waits for its own end{}.", thread(wait.event), at(wait.event))
                          : fmt::format("{} waits for {}{}, which it holds itself{}.", thread(wait.event),
                                        nameOf(wait.event), at(wait.event), at(since));
    result.hint = "No schedule of this path helps: the thread must let go before it asks again.";
    return result;
  }

  Classification inACircle() const {
    std::vector<std::string> full, brief, briefest, names, threads;
    for (size_t i = 0; i < circle_.size(); ++i) {
      const Wait& before = circle_[(i + circle_.size() - 1) % circle_.size()];
      const EventRef since = sinceWhen(before, trace_.threadOf(circle_[i].event));
      full.push_back(clause(circle_[i], since, true));
      brief.push_back(clause(circle_[i], since, false));
      briefest.push_back(since == kNoEvent
                             ? fmt::format("{} wants {}", thread(circle_[i].event), wanted(circle_[i].event))
                             : fmt::format("{} has {}, wants {}", thread(circle_[i].event), nameOf(since),
                                           wanted(circle_[i].event)));
      threads.push_back(thread(circle_[i].event));
      if (trace_.event(circle_[i].event).object != kNone) names.push_back(nameOf(circle_[i].event));
    }
    std::sort(names.begin(), names.end());
    Classification result{BugClass::deadlock, {}, {}, {}, {}};
    result.variable = names.size() <= kMostNamed ? inWords(names) : fmt::format("{} locks", names.size());
    result.headline = firstThatFits({inSentence(full), inSentence(brief), inSentence(briefest),
                                     fmt::format("{} wait for each other in a circle.", inWords(threads))});
    const bool onlyLocks = std::all_of(circle_.begin(), circle_.end(), [&](const Wait& wait) {
      const EventKind kind = trace_.event(wait.event).kind;
      return kind == EventKind::lock || kind == EventKind::rdlock || kind == EventKind::wrlock ||
             kind == EventKind::semWait;
    });
    if (onlyLocks) {
      result.hint = fmt::format("Take {} in the same order in every thread.", result.variable);
      return result;
    }
    for (size_t i = 0; i < circle_.size() && result.hint.empty(); ++i) {
      const Wait& before = circle_[(i + circle_.size() - 1) % circle_.size()];
      const EventRef since = sinceWhen(before, trace_.threadOf(circle_[i].event));
      if (since != kNoEvent)
        result.hint = fmt::format("{} must not wait{} while {} needs {}.", thread(circle_[i].event),
                                  at(circle_[i].event), thread(before.event), nameOf(since));
    }
    return result;
  }

  Classification lostWakeup(const OrderEdge& lost) const {
    const Event& begin = trace_.event(lost.after);
    const EventKind kind = trace_.event(lost.before).kind;
    const char* what = kind == EventKind::signal      ? "signal"
                       : kind == EventKind::broadcast ? "broadcast"
                                                      : "wake-up";
    Classification result{BugClass::lostWakeup, trace_.event(lost.before).variable, {}, {}, {}};
    result.headline =
        firstThatFits({fmt::format("{}'s {} of {}{} comes before {} waits for it{}, so {} waits for ever.",
                                   thread(lost.before), what, nameOf(lost.before), at(lost.before),
                                   thread(lost.after), at(lost.after), thread(lost.after)),
                       fmt::format("{}'s {}{} comes before {}'s wait{}.", thread(lost.before), what,
                                   at(lost.before), thread(lost.after), at(lost.after))});
    if (kind == EventKind::futexWake) return result.hint = changeFirst(lost), result;
    const std::string mutex = begin.mutex == kNone ? "" : trace_.objects[begin.mutex].name;
    const std::string lock = mutex.empty() ? "the mutex" : shortenMiddle(mutex, 24);
    result.hint =
        fmt::format("Hold {} while changing what {} waits for and while signalling it.", lock, thread(lost.after));
    if (const std::optional<Predicate> predicate = predicateOf(lost)) sayPredicate(result, lost, *predicate, lock);
    return result;
  }

  // A futex has no mutex: who looks at the word sees the change, or is woken after it.
  std::string changeFirst(const OrderEdge& lost) const {
    const TraceThread& waker = trace_.threads[trace_.threadOf(lost.before)];
    for (EventRef ref = lost.before; ref < waker.firstEvent + waker.eventCount; ++ref)
      for (const Part& part : trace_.partsOf(ref))
        for (const Part& looked : trace_.partsOf(lost.after))
          if (part.written != kNoExpr && part.cell == looked.cell)
            return fmt::format("{} must set {} ({}) before it wakes those who wait for it ({}).", thread(ref),
                               nameOf(ref), placeWord(ref), placeWord(lost.before));
    return fmt::format("{} must change what {} waits for before it wakes it.", thread(lost.before),
                       thread(lost.after));
  }

  Classification wokenInVain(const Misled& misled) const {
    Classification result{BugClass::lostWakeup, nameOf(misled.signal), {}, {}, {}};
    result.headline = firstThatFits(
        {fmt::format(
             "{}'s signal of {}{} wakes {}, which waits for something else and goes back to wait{}; {} waits for "
             "ever{}.",
             thread(misled.signal), nameOf(misled.signal), at(misled.signal), thread(misled.woken),
             at(misled.again), thread(misled.wait), at(misled.wait)),
         fmt::format("{}'s signal{} wakes {}, which goes back to wait{}; {} waits for ever.",
                     thread(misled.signal), at(misled.signal), thread(misled.woken), at(misled.again),
                     thread(misled.wait))});
    result.hint =
        fmt::format("Wake all who wait ({}: broadcast), or have a condition variable for each thing that is "
                    "waited for.",
                    placeWord(misled.signal));
    return result;
  }

  // What the waiting thread looks at before it waits, and who changes it then.
  struct Predicate {
    EventRef read = kNoEvent, write = kNoEvent;
  };
  std::optional<Predicate> predicateOf(const OrderEdge& lost) const {
    std::optional<Predicate> found;
    for (const Condition& condition : trace_.conditions) {
      if (trace_.threadOf(condition.after) != trace_.threadOf(lost.after) || condition.after > lost.after)
        continue;
      for (uint32_t symbol : trace_.exprs.symbolsIn(condition.expr))
        if (const EventRef read = trace_.symbols[symbol].event; read != kNoEvent)
          if (const EventRef write = writeBefore(lost.before, read);
              write != kNoEvent && failing_.isBefore(read, write))
            found = {read, write};
    }
    return found;
  }
  // The signaller's last write to what `read` reads, before its signal; kNoEvent: there is none.
  EventRef writeBefore(EventRef signal, EventRef read) const {
    for (EventRef ref = signal; ref-- > trace_.threads[trace_.threadOf(signal)].firstEvent;)
      for (const Part& part : trace_.partsOf(ref))
        for (const Part& other : trace_.partsOf(read))
          if (part.written != kNoExpr && part.cell == other.cell) return ref;
    return kNoEvent;
  }
  bool holds(EventRef event, uint32_t mutex) const {
    for (const LockedRegion& region : sections().around(event))
      if (region.mutex == mutex) return true;
    return false;
  }
  void sayPredicate(Classification& result, const OrderEdge& lost, const Predicate& predicate,
                    const std::string& lock) const {
    const uint32_t mutex = trace_.event(lost.after).mutex;
    const std::string name = nameOf(predicate.read);
    const bool readHeld = holds(predicate.read, mutex), writeHeld = holds(predicate.write, mutex);
    if (readHeld && writeHeld) {
      result.hint =
          fmt::format("{} must look at {} before it waits, and again when it wakes: the signal may have come.",
                      thread(lost.after), name);
      return;
    }
    const EventRef bare = readHeld ? predicate.write : predicate.read;
    result.headline = firstThatFits(
        {fmt::format("{} {} {}{} without {}, so {}'s signal{} can come between {}'s test{} and its wait{}.",
                     thread(bare), readHeld ? "sets" : "tests", name, at(bare), lock, thread(lost.before),
                     at(lost.before), thread(lost.after), at(predicate.read), at(lost.after)),
         fmt::format("{} {} {}{} without {}: the signal{} is lost.", thread(bare), readHeld ? "sets" : "tests",
                     name, at(bare), lock, at(lost.before))});
    result.hint = readHeld ? fmt::format("Hold {} while setting {} ({}), as {} does while testing it.", lock, name,
                                         placeWord(predicate.write), thread(lost.after))
                           : fmt::format("Hold {} from {} to {}, and test {} in a loop.", lock,
                                         placeWord(predicate.read), placeWord(lost.after), name);
  }

  Classification neverReleased(const Kept& kept) const {
    Classification result{BugClass::deadlock, nameOf(kept.since), {}, {}, {}};
    result.headline = firstThatFits(
        {fmt::format("{} takes {}{} and ends without releasing it; {} waits for it for ever{}.",
                     thread(kept.since), nameOf(kept.since), at(kept.since), thread(kept.wait), at(kept.wait)),
         fmt::format("{} ends without releasing {}{}.", thread(kept.since), nameOf(kept.since), at(kept.since))});
    const uint32_t way = lastWay(kept.since);
    const std::string place = way == kNone ? "" : placeOf(trace_, way, mainFile(trace_, shownFailure(trace_, {})));
    result.hint =
        place.empty()
            ? fmt::format("Release {} on every way out of what {} begins.", nameOf(kept.since),
                          placeWord(kept.since))
            : fmt::format("Release {} on every way out: {} leaves without it by the way that it takes at {}.",
                          nameOf(kept.since), thread(kept.since), place);
    return result;
  }

  Classification tooFewCome(EventRef wait) const {
    const Event& leave = trace_.event(wait);
    uint32_t expected = 0, waiting = 0;
    for (const Event& event : trace_.events)
      if (event.kind == EventKind::barrierArrive && event.object == leave.object) expected = event.outcome;
    for (const Wait& other : waits_)
      waiting += trace_.event(other.event).kind == EventKind::barrierLeave &&
                 trace_.event(other.event).object == leave.object;
    Classification result{trace_.failure.kind == FailureKind::deadlock ? BugClass::deadlock : BugClass::hang,
                          leave.variable,
                          {},
                          {},
                          {}};
    result.headline = fmt::format("{} expects {} threads and {} ha{} come: {} waits for ever{}.", nameOf(wait),
                                  expected, waiting, waiting == 1 ? "s" : "ve", thread(wait), at(wait));
    result.hint =
        fmt::format("Every thread that is counted must come to {}; or it counts too many.", nameOf(wait));
    return result;
  }

  Classification chainOfWaits() const {
    const std::vector<Wait> links = chain();
    std::vector<std::string> full, brief;
    for (size_t i = 0; i < links.size(); ++i) {
      // What it holds that another link waits for.
      EventRef since = kNoEvent;
      for (const Wait& other : links)
        if (since == kNoEvent) since = sinceWhen(other, trace_.threadOf(links[i].event));
      full.push_back(clause(links[i], since, true));
      brief.push_back(clause(links[i], since, false));
    }
    Classification result{trace_.failure.kind == FailureKind::deadlock ? BugClass::deadlock : BugClass::hang,
                          trace_.event(failure_.event).variable,
                          {},
                          {},
                          {}};
    result.headline = firstThatFits({inSentence(full), inSentence(brief)});
    if (alternate_.status != AlternateStatus::found)
      result.hint = "No order of these events lets anybody go on; the path itself may depend on the schedule.";
    else if (links.size() > 1)
      result.hint = fmt::format("{} must not wait{} while {} needs {}.", thread(links[0].event),
                                at(links[0].event), thread(links[1].event), wanted(links[1].event));
    else if (alternate_.inverted)
      result.hint = orderHint(alternate_.inverted->after, alternate_.inverted->before);
    return result;
  }

  static std::string inSentence(const std::vector<std::string>& clauses) {
    return fmt::format("{}.", fmt::join(clauses, "; "));
  }
  static std::string inWords(const std::vector<std::string>& names) {
    if (names.empty()) return "";
    if (names.size() == 1) return names[0];
    return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
  }
  static std::string firstThatFits(const std::vector<std::string>& wordings) {
    for (const std::string& wording : wordings)
      if (characters(wording) <= kLongestHeadline) return wording;
    return shortenMiddle(wordings.back(), kLongestHeadline);
  }

  const Alternate& alternate_;
  std::vector<Wait> waits_, circle_;
  std::vector<uint32_t> positionAlternate_;
};

EventRef whoProceeds(const SymbolicTrace& trace, const Alternate& alternate) {
  if (alternate.status != AlternateStatus::found) return kNoEvent;
  return EvaluatedSchedule(trace, alternate.order).proceeded();
}

} // namespace

Dsp projectWaiting(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
                   const Alternate& alternate) {
  Dsp dsp;
  dsp.proceeds = whoProceeds(trace, alternate);
  const std::set<EventRef> shown =
      WaitExplainer(trace, failing, alternate, shownFailure(trace, dsp)).shown(rootCause);
  auto shownIn = [&](const EventOrder& order) {
    EventOrder result;
    std::copy_if(order.begin(), order.end(), std::back_inserter(result),
                 [&](EventRef ref) { return shown.count(ref) != 0; });
    return result;
  };
  dsp.failingEvents = shownIn(failing);
  dsp.alternateEvents = shownIn(alternate.order);
  return dsp;
}

Classification classifyWaiting(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
                               const Alternate& alternate, const Dsp& dsp) {
  return WaitExplainer(trace, failing, alternate, shownFailure(trace, dsp)).classify(rootCause);
}

std::optional<Classification> classifyKeptLock(const SymbolicTrace& trace, const EventOrder& failing) {
  const Alternate none;
  return WaitExplainer(trace, failing, none, shownFailure(trace, {})).classifyKeptLock();
}

} // namespace symbiosis
