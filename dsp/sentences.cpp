#include "dsp/sentences.h"
#include "dsp/unguarded.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

Sentences::Sentences(const SymbolicTrace& trace, const EventOrder& failing, const ShownFailure& failure)
    : trace_(trace), failure_(failure), failing_(trace, failing), sections_(trace),
      file_(mainFile(trace, failure)) {}

std::string Sentences::inParentheses(uint32_t location) const {
  const std::string place = placeOf(trace_, location, file_);
  return place.empty() ? "" : fmt::format(" ({})", place);
}

std::string Sentences::placeWord(EventRef event) const {
  const std::string place = placeOf(trace_, trace_.event(event).location, file_);
  return place.empty() ? toText(trace_.event(event).kind) : place;
}

std::string Sentences::span(EventRef first, EventRef last) const {
  const uint32_t a = trace_.event(first).location, b = trace_.event(last).location;
  if (a == kNone || b == kNone) return fmt::format("{} and {}", placeWord(first), placeWord(last));
  const SourceLocation &x = trace_.locations[a], &y = trace_.locations[b];
  if (x.file != y.file || x.line == 0 || y.line == 0)
    return fmt::format("{} to {}", placeWord(first), placeWord(last));
  if (x.line == y.line) return placeWord(first);
  const auto [from, to] = std::minmax(x.line, y.line);
  return x.file == file_ ? fmt::format("lines {}–{}", from, to)
                         : fmt::format("{}:{}–{}", fileName(x.file), from, to);
}

bool Sentences::samePlace(EventRef event) const {
  return placeOf(trace_, trace_.event(event).location, file_) == placeOf(trace_, failure_.location, file_);
}

std::string Sentences::value(EventRef event) { return formatValue(failing_.accessValue(event)); }

std::string Sentences::variableOf(const Dataflow& flow) const {
  if (flow.to != kNoEvent) return trace_.event(flow.to).variable;
  if (flow.from != kNoEvent) return trace_.event(flow.from).variable;
  return trace_.objects[trace_.cells[flow.cell].object].name;
}

std::string Sentences::failureWords() const {
  const std::string who = failure_.event == kNoEvent ? "The program" : thread(failure_.event);
  const std::string where = inParentheses(failure_.location);
  switch (trace_.failure.kind) {
  case FailureKind::none: return fmt::format("{} passes", who);
  case FailureKind::assertion: return fmt::format("{}'s assert{} fails", who, where);
  case FailureKind::crash: return fmt::format("{} crashes{}", who, where);
  case FailureKind::exception: return fmt::format("{} throws{}", who, where);
  case FailureKind::useAfterFree: return fmt::format("{} uses memory that is gone{}", who, where);
  case FailureKind::useAfterDestroy: return fmt::format("{} uses what has been destroyed{}", who, where);
  case FailureKind::doubleFree: return fmt::format("{} frees a block that is gone{}", who, where);
  case FailureKind::invalidFree: return fmt::format("{} frees what is no block{}", who, where);
  case FailureKind::exit: return fmt::format("{} ends the program with an error{}", who, where);
  case FailureKind::deadlock:
  case FailureKind::hang: return fmt::format("{} waits for ever{}", who, where);
  }
  return "";
}

std::string Sentences::atomicHint(EventRef first, EventRef last) const {
  std::string hint = fmt::format("Make {}'s {} one atomic region", thread(first), span(first, last));
  for (const LockedRegion& a : sections_.around(first))
    for (const LockedRegion& b : sections_.around(last)) {
      if (a.mutex != b.mutex || a.first == b.first) continue;
      return fmt::format("{}: hold {} from {} to {} without releasing it in between.", hint,
                         shortenMiddle(trace_.event(a.first).variable, 32), placeWord(first), placeWord(last));
    }
  return hint + ".";
}

std::string Sentences::differentLocksHint(EventRef mine, EventRef other) const {
  const std::vector<LockedRegion> a = sections_.around(mine), b = sections_.around(other);
  if (a.empty() || b.empty() || sections_.haveLockInCommon(mine, other)) return "";
  auto held = [&](EventRef event, const LockedRegion& region) {
    const std::string& name = trace_.event(region.first).variable;
    return fmt::format("{}'s {} holds {}{}", thread(event), placeWord(event),
                       name.empty() ? "a lock" : shortenMiddle(name, 24), at(region.first));
  };
  const std::string& variable = trace_.event(mine).variable;
  return fmt::format("Two different locks: {}, {}. Guard {} with one of them in both.", held(mine, a.back()),
                     held(other, b.back()), variable.empty() ? "the value" : shortenMiddle(variable, 24));
}

std::string Sentences::forgottenLockHint(const Unguarded& unguarded) const {
  auto does = [&](EventRef event) { return trace_.event(event).kind == EventKind::read ? "reads" : "writes"; };
  const Event& bare = trace_.event(unguarded.bare);
  const std::string name = bare.variable.empty() ? "a shared value" : shortenMiddle(bare.variable, 24);
  const std::string lock = shortenMiddle(trace_.event(unguarded.lock).variable, 24);
  std::string where = placeWord(unguarded.bare);
  const std::string caller = bare.stack.empty() ? "" : placeOf(trace_, bare.stack.back(), file_);
  const bool isOwn = !caller.empty() && !trace_.locations[bare.stack.back()].file.starts_with("/usr/");
  if (isOwn && caller != where) where += ", called from " + caller;
  auto placed = [&](EventRef event) {
    for (const Part& part : trace_.partsOf(event)) return part.cell;
    return kNone;
  };
  const Event& guarded = trace_.event(unguarded.guarded);
  const std::string used = placed(unguarded.guarded) == placed(unguarded.bare) || guarded.variable.empty()
                               ? "it"
                               : shortenMiddle(guarded.variable, 24);
  return fmt::format("{} {} {} ({}) without {}, which {} holds when it {} {}{}: hold {} there, too.",
                     thread(unguarded.bare), does(unguarded.bare), name, where, lock, thread(unguarded.guarded),
                     does(unguarded.guarded), used, at(unguarded.guarded), lock);
}

std::string Sentences::orderHint(EventRef first, EventRef second) const {
  return fmt::format("Make {}'s {} wait for {}'s {}.", thread(second), placeWord(second), thread(first),
                     placeWord(first));
}

} // namespace symbiosis
