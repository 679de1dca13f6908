#include "breakpoints/visits.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace symbiosis {
namespace {

bool isOfSystem(const std::string& file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") || file.starts_with("/usr/bin/");
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) (text += line) += '\n';
  return text;
}

// What of one place a thread has done in the visit that it last began.
struct Current {
  uint32_t visit = kNone;
  uint32_t count = 0; // of visits
  std::set<std::pair<uint32_t, EventKind>> seen;
  EventRef last = 0;
};

} // namespace

Visits::Visits(const SymbolicTrace& trace, const SourceFiles& sources)
    : trace_(trace), visits_(trace.events.size(), kNone) {
  for (const auto& [name, lines] : sources.files())
    if (!isOfSystem(name)) texts_.emplace(name, std::make_unique<SourceText>(joined(lines)));
  for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread) number(thread);
}

const SourceText* Visits::textOf(const std::string& file) const {
  const auto found = texts_.find(file);
  return found == texts_.end() ? nullptr : found->second.get();
}

const SourceLocation* Visits::ownLocation(EventRef ref) const {
  const Event& event = trace_.event(ref);
  auto own = [&](uint32_t location) -> const SourceLocation* {
    if (location == kNone) return nullptr;
    const SourceLocation& where = trace_.locations[location];
    return where.line && texts_.count(where.file) ? &where : nullptr;
  };
  if (const SourceLocation* found = own(event.location)) return found;
  for (auto call = event.stack.rbegin(); call != event.stack.rend(); ++call)
    if (const SourceLocation* found = own(*call)) return found;
  return nullptr;
}

// The thread comes to a place again when it does there what it has done already; or when it was elsewhere in the
// meantime, and that was not a call from this place.
void Visits::number(ThreadIndex thread) {
  const TraceThread& of = trace_.threads[thread];
  std::map<SourcePlace, Current> places;
  EventRef before = kNoEvent; // the last event that has a place
  for (EventRef ref = of.firstEvent; ref < of.firstEvent + of.eventCount; ++ref) {
    const SourceLocation* where = ownLocation(ref);
    if (!where) continue;
    Result<Place> place = texts_.at(where->file)->before(where->line, where->column);
    if (!place) continue;
    Current& current = places[{where->file, *place}];
    const Event& event = trace_.event(ref);
    bool isSame = current.visit != kNone && !current.seen.count({event.location, event.kind});
    if (isSame && before != kNoEvent && before != current.last)
      for (EventRef between = current.last + 1; isSame && between < ref; ++between)
        isSame = trace_.event(between).stack.size() > event.stack.size();
    if (!isSame) {
      current.visit = uint32_t(nth_.size());
      current.seen.clear();
      nth_.push_back(++current.count);
      first_.push_back(ref);
    }
    current.seen.insert({event.location, event.kind});
    current.last = before = ref;
    visits_[ref] = current.visit;
  }
}

std::string Visits::describe(EventRef event) const {
  const SourceLocation* where = ownLocation(event);
  if (!where) return "a place without a source";
  return fmt::format("{}:{}", std::filesystem::path(where->file).filename().string(), where->line);
}

Result<Coming> Visits::before(EventRef ref) const {
  const SourceLocation* where = ownLocation(ref);
  if (!where) return gaveUp("it is in no source of the program that the recording has");
  const SourceText& text = *texts_.at(where->file);
  Result<Place> place = text.before(where->line, where->column);
  if (!place) return place.error();
  return Coming{{where->file, *place}, visits_[ref] == kNone ? 1 : nth_[visits_[ref]], where->line};
}

Result<Coming> Visits::behind(EventRef ref) const {
  const SourceLocation* where = ownLocation(ref);
  if (!where) return gaveUp("it is in no source of the program that the recording has");
  Result<Place> place = texts_.at(where->file)->behind(where->line, where->column);
  if (!place) return place.error();
  return Coming{{where->file, *place}, visits_[ref] == kNone ? 1 : nth_[visits_[ref]], where->line};
}

Result<Coming> Visits::within(EventRef ref) const {
  const SourceLocation* where = ownLocation(ref);
  if (!where) return gaveUp("it is in no source of the program that the recording has");
  const Event& event = trace_.event(ref);
  if (event.location == kNone || &trace_.locations[event.location] != where)
    return gaveUp("it is inside of a function of a library");
  if (!isAccess(event.kind)) return gaveUp("it is in the middle of a call, in which a thread cannot be stopped");
  Result<Place> place = texts_.at(where->file)->within(where->line, where->column, event.kind == EventKind::write);
  if (!place) return place.error();
  return Coming{{where->file, *place}, visits_[ref] == kNone ? 1 : nth_[visits_[ref]], where->line};
}

} // namespace symbiosis
