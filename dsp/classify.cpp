// Classification: which of the known shapes the difference between the two schedules has, said in a sentence.
// The shapes are looked for in this order; x is the variable of a changed dataflow, r its reader (thread T),
// w the write that r sees in the failing run (thread U).
//
// - lost update: T reads x, U writes x, T writes x with a value made from its read; not so in the alternate
// - atomicity violation: T accesses x, U writes x, T reads U's value; in the alternate U does not come between
// - multi-variable: T reads y, U writes x and y, T reads x: one of the two is old, the other new
// - lost update again: as the first, but with any value
// - order violation: r before the write that it needs, or after one that must wait for it
//
// A region never begins before its intruders' thread exists: what was set up before is not a half of anything.
// A creator that overwrites x with a constant while its thread still uses it (`fifo = NULL` without a join)
// is an order violation although it has the shape of the second.
#include "dsp/diagnosis.h"
#include "dsp/gone_objects.h"
#include "dsp/sentences.h"
#include "dsp/waiting.h"
#include "search/inversion.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace symbiosis {

namespace {

// A read whose source changed: the same read and cell in both runs.
struct Change {
  Dataflow failing, alternate;
  EventRef reader() const { return failing.to; }
};

class Classifier : Sentences {
public:
  Classifier(const SymbolicTrace& trace, const EventOrder& failing, const Alternate& alternate, const Dsp& dsp)
      : Sentences(trace, failing, shownFailure(trace, dsp)), dsp_(dsp) {
    if (alternate.status == AlternateStatus::found) positionAlternate_ = positionsOf(trace, alternate.order);
    findChecked();
    findChanges();
  }

  Classification classify(const RootCause& rootCause, const Alternate& alternate) {
    if (alternate.status != AlternateStatus::found) return withoutAlternate(rootCause, alternate);
    for (auto shape :
         {&Classifier::lostUpdate, &Classifier::atomicityViolation, &Classifier::multiVariable,
          &Classifier::overwritten, &Classifier::outdated, &Classifier::orderViolation, &Classifier::replaced})
      for (const Change& change : changes_)
        if (auto found = (this->*shape)(change)) return *found;
    return unnamed();
  }

private:
  // --- what happened ---

  void findChecked() {
    for (ExprId condition : trace_.failure.bug)
      for (uint32_t symbol : trace_.exprs.symbolsIn(condition))
        if (trace_.symbols[symbol].event != kNoEvent) checked_.insert(trace_.symbols[symbol].event);
  }

  // Reads of the check first, then later ones first: the sentence begins near the failure.
  void findChanges() {
    for (const Dataflow& failing : dsp_.failingDataflows) {
      if (failing.to == kNoEvent) continue;
      for (const Dataflow& alternate : dsp_.alternateDataflows)
        if (alternate.to == failing.to && alternate.cell == failing.cell) changes_.push_back({failing, alternate});
    }
    std::stable_sort(changes_.begin(), changes_.end(), [&](const Change& a, const Change& b) {
      auto key = [&](const Change& c) {
        return std::pair(checked_.count(c.reader()) == 0, ~failing_.position(c.reader()));
      };
      return key(a) < key(b);
    });
  }

  // Among those at which the event really was.
  template <typename Predicate> bool hasPart(EventRef event, Predicate fits) const {
    const Event& e = trace_.event(event);
    for (uint32_t i = e.firstPart; i < e.firstPart + e.partCount; ++i)
      if (isThere(i) && fits(trace_.parts[i])) return true;
    return false;
  }
  bool writes(EventRef event, uint32_t cell) const {
    return hasPart(event, [&](const Part& part) { return part.cell == cell && part.written != kNoExpr; });
  }
  bool touches(EventRef event, uint32_t cell) const {
    return hasPart(event, [&](const Part& part) { return part.cell == cell; });
  }
  static bool inside(const std::vector<uint32_t>& position, EventRef first, EventRef event, EventRef last) {
    return position[first] < position[event] && position[event] < position[last];
  }

  // Writes of other threads to the cell that stand between first and last in the failing run only.
  std::vector<EventRef> intruders(EventRef first, EventRef last, uint32_t cell) const {
    std::vector<EventRef> result;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      if (trace_.threadOf(ref) != trace_.threadOf(first) && writes(ref, cell) &&
          inside(failing_.positions(), first, ref, last) && !inside(positionAlternate_, first, ref, last))
        result.push_back(ref);
    std::sort(result.begin(), result.end(), [&](EventRef a, EventRef b) { return failing_.isBefore(a, b); });
    return result;
  }

  // The latest access of the event's thread before it, to the cell; kNoEvent if there is none.
  EventRef previousAccess(EventRef event, uint32_t cell) const {
    for (EventRef ref = event; ref-- > trace_.threads[trace_.threadOf(event)].firstEvent;)
      if (touches(ref, cell)) return ref;
    return kNoEvent;
  }

  // The read of `write`'s own thread whose value is in the value written to the cell.
  EventRef readBehind(EventRef write, uint32_t cell) const {
    EventRef latest = kNoEvent;
    for (const Part& part : trace_.partsOf(write)) {
      if (part.cell != cell || part.written == kNoExpr) continue;
      for (uint32_t symbol : trace_.exprs.symbolsIn(part.written)) {
        const EventRef read = trace_.symbols[symbol].event;
        if (read != kNoEvent && read < write && trace_.threadOf(read) == trace_.threadOf(write) &&
            touches(read, cell))
          latest = latest == kNoEvent ? read : std::max(latest, read);
      }
    }
    return latest;
  }

  // The next write of the reader's thread to the cell, if it does not look at it again before.
  EventRef nextWrite(EventRef read, uint32_t cell) const {
    const TraceThread& thread = trace_.threads[trace_.threadOf(read)];
    for (EventRef ref = read + 1; ref < thread.firstEvent + thread.eventCount; ++ref)
      if (touches(ref, cell)) return trace_.event(ref).kind == EventKind::write ? ref : kNoEvent;
    return kNoEvent;
  }

  // The first write of the reader's thread to the cell whose value was made from the read.
  EventRef writeMadeFrom(EventRef read, uint32_t cell) const {
    const TraceThread& thread = trace_.threads[trace_.threadOf(read)];
    for (EventRef ref = read + 1; ref < thread.firstEvent + thread.eventCount; ++ref)
      if (writes(ref, cell) && readBehind(ref, cell) == read) return ref;
    return kNoEvent;
  }

  // `event` is over before the thread, or the one that creates it, is created by the event's own thread.
  bool isBeforeCreation(EventRef event, ThreadIndex thread) const {
    for (EventRef fork = 0; fork < trace_.events.size(); ++fork) {
      const Event& e = trace_.event(fork);
      if (e.kind != EventKind::fork || e.peer != thread) continue;
      return trace_.threadOf(fork) == trace_.threadOf(event) ? event < fork
                                                             : isBeforeCreation(event, trace_.threadOf(fork));
    }
    return false;
  }

  // --- the shapes ---

  // The writes that the changed read saw or should have seen, and the one that was made from it.
  std::optional<Classification> lostUpdate(const Change& change) {
    const uint32_t cell = change.failing.cell;
    for (EventRef write : {change.failing.from, change.alternate.from, writeMadeFrom(change.reader(), cell)}) {
      if (write == kNoEvent) continue;
      const EventRef read = readBehind(write, cell);
      if (read == kNoEvent) continue;
      if (auto found = loss(change, read, write)) return found;
    }
    return {};
  }

  // T reads x and then sets it, to something that need not be made from its read (the new head of a list, whose
  // next is the old one); what U wrote in between is gone.
  std::optional<Classification> overwritten(const Change& change) {
    const EventRef write = nextWrite(change.reader(), change.failing.cell);
    return write == kNoEvent ? std::nullopt : loss(change, change.reader(), write);
  }

  // T looks at x and then sets it; in between U has set what the reader should have seen.
  std::optional<Classification> outdated(const Change& change) {
    const EventRef lost = change.alternate.from;
    const uint32_t cell = change.failing.cell;
    if (lost == kNoEvent || !isReplaced(change)) return {};
    for (EventRef write : writesBetween(lost, change.reader(), cell)) {
      const EventRef read = previousAccess(write, cell);
      if (read == kNoEvent || trace_.event(read).kind != EventKind::read) continue;
      const std::vector<EventRef> between = intruders(read, write, cell);
      if (std::find(between.begin(), between.end(), lost) != between.end()) return loss(change, read, write);
    }
    return {};
  }

  // What the alternate's reader sees was there, but is set once more before the reader comes; there it is not.
  bool isReplaced(const Change& change) const {
    const EventRef seen = change.failing.from, missed = change.alternate.from;
    return seen != kNoEvent && missed != kNoEvent && trace_.threadOf(seen) != trace_.threadOf(missed) &&
           inside(failing_.positions(), missed, seen, change.reader()) &&
           positionAlternate_[seen] < positionAlternate_[missed];
  }
  // In the failing run, by other threads than that of `first`, the last one first.
  std::vector<EventRef> writesBetween(EventRef first, EventRef last, uint32_t cell) const {
    std::vector<EventRef> result;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      if (trace_.threadOf(ref) != trace_.threadOf(first) && writes(ref, cell) &&
          inside(failing_.positions(), first, ref, last))
        result.push_back(ref);
    std::sort(result.begin(), result.end(), [&](EventRef a, EventRef b) { return failing_.isBefore(b, a); });
    return result;
  }

  std::optional<Classification> loss(const Change& change, EventRef read, EventRef write) {
    std::vector<EventRef> lost = intruders(read, write, change.failing.cell);
    if (lost.empty()) return {};
    const EventRef last = lost.back();
    if (isBeforeCreation(read, trace_.threadOf(last))) return {};
    return say(
        BugClass::lostUpdate, last, AtomicRegion{read, write, lost},
        [&](const std::string& x) {
          const std::string story =
              fmt::format("{}'s {} = {}{} is lost: {} read {}{}, then writes {}", thread(last), x, value(last),
                          at(last), thread(write), value(read), at(read), value(write));
          return std::vector{fmt::format("{}{}; {}.", story, at(write), consequence(change)),
                             fmt::format("{}; {}.", story, consequence(change)),
                             fmt::format("{}{}.", story, at(write))};
        },
        lockOrAtomicHint(read, write, last));
  }
  // Locks that do not exclude each other are what is wrong; otherwise that there is none around all of it.
  std::string lockOrAtomicHint(EventRef first, EventRef last, EventRef intruder) const {
    const std::string locks = differentLocksHint(last, intruder);
    return locks.empty() ? atomicHint(first, last) : locks;
  }

  std::optional<Classification> atomicityViolation(const Change& change) {
    const EventRef last = change.reader(), intruder = change.failing.from;
    if (intruder == kNoEvent || trace_.threadOf(intruder) == trace_.threadOf(last)) return {};
    const EventRef first = previousAccess(last, change.failing.cell);
    if (first == kNoEvent || tearsDown(intruder, last) || isBeforeCreation(first, trace_.threadOf(intruder)))
      return {};
    std::vector<EventRef> between = intruders(first, last, change.failing.cell);
    if (std::find(between.begin(), between.end(), intruder) == between.end()) return {};
    return say(
        BugClass::atomicityViolation, last, AtomicRegion{first, last, between},
        [&](const std::string& x) {
          const char* verb = trace_.event(first).kind == EventKind::read ? "sees" : "sets";
          return std::vector{
              fmt::format("{} {} {} = {}{}, then {} sets it to {}{}, so {}.", thread(last), verb, x, value(first),
                          at(first), thread(intruder), value(intruder), at(intruder), consequence(change)),
              fmt::format("{} {} {} = {}{}, then {} sets it to {}{}.", thread(last), verb, x, value(first),
                          at(first), thread(intruder), value(intruder), at(intruder))};
        },
        lockOrAtomicHint(first, last, intruder));
  }

  // U (the writer of x) also writes another variable y that T reads before x; T's two reads straddle U's
  // writes, or U's writes straddle T's reads.
  std::optional<Classification> multiVariable(const Change& change) {
    const EventRef reader = change.reader();
    for (EventRef write : {change.failing.from, change.alternate.from}) {
      if (write == kNoEvent || trace_.threadOf(write) == trace_.threadOf(reader)) continue;
      std::optional<Classification> best;
      bool isPair = false; // what the check compares with each other; no flag stands for that
      for (EventRef other : relatedReads(reader, change.failing.cell))
        if (!tearsDown(write, reader) || areComparedWithEachOther(other, reader))
          for (EventRef otherWrite : writesOf(trace_.threadOf(write), other)) {
            auto found = straddle(change, write, other, otherWrite);
            if (!found || (best && (isPair || !isFlagBefore(otherWrite, best->region->first, other, reader))))
              continue;
            isPair = areComparedWithEachOther(other, reader);
            best = std::move(found);
          }
      if (best) return best;
    }
    return {};
  }
  // What is set first, in the same function, and tested first stands for all that is set after it.
  bool isFlagBefore(EventRef flag, EventRef other, EventRef read, EventRef lastRead) const {
    if (trace_.threadOf(flag) != trace_.threadOf(other) || flag >= other ||
        !announcesTooEarly(flag, read, lastRead))
      return false;
    const uint32_t a = trace_.event(flag).location, b = trace_.event(other).location;
    return a != kNone && b != kNone && trace_.locations[a].function == trace_.locations[b].function &&
           trace_.locations[a].file == trace_.locations[b].file;
  }

  // Reads of the reader's thread of other cells that go into the check together with it, or that decided its
  // path; not what a library keeps for itself.
  std::vector<EventRef> relatedReads(EventRef reader, uint32_t cell) const {
    std::vector<EventRef> result;
    const TraceThread& thread = trace_.threads[trace_.threadOf(reader)];
    for (EventRef ref = thread.firstEvent; ref < thread.firstEvent + thread.eventCount; ++ref)
      if (ref != reader && trace_.event(ref).kind == EventKind::read && !touches(ref, cell) &&
          !isReservedName(trace_.event(ref).variable) &&
          (checked_.count(ref) || (ref < reader && decidesPath(ref))))
        result.push_back(ref);
    std::reverse(result.begin(), result.end()); // the nearest first
    return result;
  }
  bool decidesPath(EventRef read) const {
    for (const Condition& condition : trace_.conditions) {
      if (condition.after < read || trace_.threadOf(condition.after) != trace_.threadOf(read)) continue;
      for (uint32_t symbol : trace_.exprs.symbolsIn(condition.expr))
        if (trace_.symbols[symbol].event == read) return true;
    }
    return false;
  }
  // Writes of `thread` to a cell that `read` reads.
  std::vector<EventRef> writesOf(ThreadIndex thread, EventRef read) const {
    std::vector<EventRef> result;
    const TraceThread& writer = trace_.threads[thread];
    for (EventRef ref = writer.firstEvent; ref < writer.firstEvent + writer.eventCount; ++ref)
      for (const Part& part : trace_.partsOf(read))
        if (writes(ref, part.cell)) {
          result.push_back(ref);
          break;
        }
    return result;
  }
  std::optional<Classification> straddle(const Change& change, EventRef write, EventRef other,
                                         EventRef otherWrite) {
    const EventRef firstRead = std::min(other, change.reader()), lastRead = std::max(other, change.reader());
    const EventRef firstWrite = std::min(write, otherWrite), lastWrite = std::max(write, otherWrite);
    const bool readsSplit =
        insideOnlyFailing(firstRead, firstWrite, lastRead) || insideOnlyFailing(firstRead, lastWrite, lastRead);
    const bool writesSplit =
        insideOnlyFailing(firstWrite, firstRead, lastWrite) || insideOnlyFailing(firstWrite, lastRead, lastWrite);
    if (!readsSplit && !writesSplit) return {};
    const EventRef first = readsSplit ? firstRead : firstWrite, last = readsSplit ? lastRead : lastWrite;
    if (isBeforeCreation(first, trace_.threadOf(readsSplit ? firstWrite : firstRead))) return {};
    AtomicRegion region{first, last, {}};
    for (EventRef event : readsSplit ? std::array{firstWrite, lastWrite} : std::array{firstRead, lastRead})
      if (insideOnlyFailing(first, event, last) && (region.intruders.empty() || region.intruders.back() != event))
        region.intruders.push_back(event);
    auto result = say(
        BugClass::multiVariable, change.reader(), region,
        [&](const std::string& x) {
          std::string names[] = {x, shortenMiddle(trace_.event(other).variable, characters(x) + 8)};
          if (firstRead == other) std::swap(names[0], names[1]);
          const std::string seen =
              fmt::format("{} sees {} = {}{} and {} = {}{}", thread(firstRead), names[0], value(firstRead),
                          at(firstRead), names[1], value(lastRead), at(lastRead));
          return std::vector{
              fmt::format("{}, but {} changes both ({}), so {}.", seen, thread(write), span(firstWrite, lastWrite),
                          consequence(change)),
              fmt::format("{}, but {} changes both ({}).", seen, thread(write), span(firstWrite, lastWrite)),
              fmt::format("{}, but {} changes both.", seen, thread(write))};
        },
        atomicHint(first, last));
    result->variable = fmt::format("{} and {}", trace_.event(firstRead).variable, trace_.event(lastRead).variable);
    if (!readsSplit && announcesTooEarly(firstWrite, firstRead, lastRead) && !isUpdate(lastWrite))
      sayTooEarly(*result, firstWrite, lastWrite);
    return result;
  }
  // What the reader tests first is what the writer sets first: a flag that stands for the rest.
  bool announcesTooEarly(EventRef firstWrite, EventRef firstRead, EventRef lastRead) const {
    const bool isTested = decidesPath(firstRead) || checked_.count(firstRead);
    if (!isTested || areComparedWithEachOther(firstRead, lastRead)) return false;
    for (const Part& part : trace_.partsOf(firstRead))
      if (writes(firstWrite, part.cell) && !touches(lastRead, part.cell)) return true;
    return false;
  }
  // It writes what it makes of what was there: a count is not announced.
  bool isUpdate(EventRef write) const {
    if (trace_.event(write).kind == EventKind::rmw) return true;
    for (const Part& part : trace_.partsOf(write))
      if (part.written != kNoExpr && readBehind(write, part.cell) != kNoEvent) return true;
    return false;
  }
  // One condition of the check is about both.
  bool areComparedWithEachOther(EventRef a, EventRef b) const {
    return std::any_of(trace_.failure.bug.begin(), trace_.failure.bug.end(), [&](ExprId condition) {
      bool hasA = false, hasB = false;
      for (uint32_t symbol : trace_.exprs.symbolsIn(condition)) {
        hasA |= trace_.symbols[symbol].event == a;
        hasB |= trace_.symbols[symbol].event == b;
      }
      return hasA && hasB;
    });
  }
  void sayTooEarly(Classification& result, EventRef flag, EventRef data) {
    auto name = [&](EventRef event) {
      const std::string& variable = trace_.event(event).variable;
      return variable.empty() ? std::string("what it stands for") : shortenMiddle(variable, 24);
    };
    result.headline = shortenMiddle(fmt::format("{} sets {}{} before {}{}, which it announces; {}.", thread(flag),
                                                name(flag), at(flag), name(data), at(data), failureWords()),
                                    kLongestHeadline);
    result.hint = fmt::format("Set {} after {}, not before: in {}, {} belongs behind {}.", name(flag), name(data),
                              thread(flag), placeWord(flag), placeWord(data));
  }
  bool insideOnlyFailing(EventRef first, EventRef event, EventRef last) const {
    return first != last && inside(failing_.positions(), first, event, last) &&
           !inside(positionAlternate_, first, event, last);
  }

  std::optional<Classification> orderViolation(const Change& change) {
    const EventRef reader = change.reader(), needed = change.alternate.from, early = change.failing.from;
    const bool tooEarly = needed != kNoEvent && trace_.threadOf(needed) != trace_.threadOf(reader) &&
                          failing_.isBefore(reader, needed);
    const bool tooLate = early != kNoEvent && trace_.threadOf(early) != trace_.threadOf(reader) &&
                         positionAlternate_[reader] < positionAlternate_[early];
    if (tooEarly)
      return say(
          BugClass::orderViolation, reader, {},
          [&](const std::string& x) {
            return std::vector{fmt::format("{} reads {} = {}{} before {} sets it to {}{}, so {}.", thread(reader),
                                           x, value(reader), at(reader), thread(needed), value(needed), at(needed),
                                           consequence(change)),
                               fmt::format("{} reads {} = {}{} before {} sets it{}.", thread(reader), x,
                                           value(reader), at(reader), thread(needed), at(needed))};
          },
          orderHint(needed, reader));
    if (tooLate)
      return say(
          BugClass::orderViolation, reader, {},
          [&](const std::string& x) {
            return std::vector{fmt::format("{} sets {} to {}{} while {} still needs it{}, so {}.", thread(early),
                                           x, value(early), at(early), thread(reader), at(reader),
                                           consequence(change)),
                               fmt::format("{} sets {} to {}{} while {} still needs it{}.", thread(early), x,
                                           value(early), at(early), thread(reader), at(reader))};
          },
          orderHint(reader, early));
    return {};
  }

  // Two writes in the wrong order, neither of which depends on the other.
  std::optional<Classification> replaced(const Change& change) {
    if (!isReplaced(change)) return {};
    const EventRef seen = change.failing.from, missed = change.alternate.from;
    return say(
        BugClass::orderViolation, change.reader(), {},
        [&](const std::string& x) {
          const std::string story = fmt::format("{} sets {} to {}{} after {} has set it to {}{}", thread(seen), x,
                                                value(seen), at(seen), thread(missed), value(missed), at(missed));
          return std::vector{fmt::format("{}, so {}.", story, consequence(change)), story + "."};
        },
        orderHint(seen, missed));
  }

  // An ancestor of the reader's thread overwrites with a constant: the end of the variable's life.
  bool tearsDown(EventRef write, EventRef reader) const {
    const std::string& ancestor = trace_.threads[trace_.threadOf(write)].id;
    const std::string& descendant = trace_.threads[trace_.threadOf(reader)].id;
    if (!descendant.starts_with(ancestor + ".")) return false;
    for (const Part& part : trace_.partsOf(write))
      if (part.written != kNoExpr && !trace_.exprs.isConstant(part.written)) return false;
    return true;
  }

  Classification unnamed() {
    if (changes_.empty()) {
      Classification result;
      result.headline = fmt::format("{}.", failureWords());
      result.hint = "The order of the writes shown leaves another final value.";
      if (!dsp_.failingDataflows.empty()) result.variable = variableOf(dsp_.failingDataflows.front());
      return result;
    }
    const Change& change = changes_.front();
    return *say(
        BugClass::other, change.reader(), {},
        [&](const std::string& x) {
          return std::vector{
              fmt::format("{} reads {} = {} from {} instead of {} from {}, so {}.", thread(change.reader()), x,
                          value(change.reader()), source(change.failing.from),
                          formatValue(valueOf(trace_, change.alternate)), source(change.alternate.from),
                          consequence(change)),
              fmt::format("{} reads {} = {} from {}, so {}.", thread(change.reader()), x, value(change.reader()),
                          source(change.failing.from), consequence(change))};
        },
        "Compare the two runs: only the events shown changed places.");
  }

  Classification withoutAlternate(const RootCause& rootCause, const Alternate& alternate) {
    Classification result;
    result.headline = fmt::format("{}.", failureWords());
    for (const Dataflow& flow : dsp_.failingDataflows) {
      if (flow.to == kNoEvent || flow.from == kNoEvent) continue;
      result.variable = trace_.event(flow.to).variable;
      result.headline = fitting(result.variable, [&](const std::string& x) {
        return std::vector{fmt::format("{}: {} reads {} = {}{} from {}.", failureWords(), thread(flow.to), x,
                                       formatValue(valueOf(trace_, flow)), at(flow.to), source(flow.from)),
                           fmt::format("{}.", failureWords())};
      });
    }
    if (alternate.status == AlternateStatus::noneProved)
      result.hint = "Every schedule of this path fails; the path itself may depend on the schedule.";
    else
      result.hint = fmt::format("No passing order found on this path; {} pairs tried.", alternate.pairsTried);
    return result;
  }

  // --- words ---

  // "T2's assert (line 19) reads 0" where the check reads the variable, else "… fails".
  std::string consequence(const Change& change) {
    auto isCheck = [&](EventRef event) { return checked_.count(event) && samePlace(event); };
    EventRef reader = change.reader();
    for (EventRef event : dsp_.failingEvents) // with another value in the alternate
      if (!isCheck(reader) && isCheck(event) && trace_.event(event).variable == trace_.event(reader).variable)
        reader = event;
    if (trace_.failure.kind != FailureKind::assertion || !isCheck(reader)) return failureWords();
    return fmt::format("{}'s assert{} reads {}", thread(reader), at(reader), value(reader));
  }

  // The fullest of the wordings that is short enough, with the variable's name shortened as far as that
  // takes.
  template <typename Wordings> std::string fitting(const std::string& variable, Wordings wordings) {
    const std::string name = variable.empty() ? "a shared value" : variable;
    std::string shortest;
    for (size_t wording = 0; wording < wordings(name).size(); ++wording)
      for (size_t most : {40, 24, 16}) {
        shortest = wordings(shortenMiddle(name, most))[wording];
        if (characters(shortest) <= kLongestHeadline) return shortest;
      }
    return shortenMiddle(shortest, kLongestHeadline);
  }
  template <typename Wordings>
  std::optional<Classification> say(BugClass bugClass, EventRef about, std::optional<AtomicRegion> region,
                                    Wordings wordings, std::string hint) {
    const std::string& variable = trace_.event(about).variable;
    return Classification{bugClass, variable, fitting(variable, wordings), std::move(hint), std::move(region)};
  }

  const Dsp& dsp_;
  std::vector<uint32_t> positionAlternate_;
  std::set<EventRef> checked_; // reads whose values are in the bug condition
  std::vector<Change> changes_;
};

} // namespace

Classification classify(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
                        const Alternate& alternate, const Dsp& dsp) {
  if (!TraceEnd(trace).isDecidedByValues()) return classifyWaiting(trace, failing, rootCause, alternate, dsp);
  if (isHeapMisuse(trace.failure.kind))
    if (auto found = classifyMisuse(trace, failing, alternate, dsp)) return *found;
  return Classifier(trace, failing, alternate, dsp).classify(rootCause, alternate);
}

} // namespace symbiosis
