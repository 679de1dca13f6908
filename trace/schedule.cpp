#include "trace/schedule.h"
#include "support/files.h"
#include "trace/trace_end.h"
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace symbiosis {

static constexpr std::string_view kHeader = "symbiosis-schedule 1";

static std::string objectId(const SymbolicTrace& trace, EventRef ref) {
  const uint32_t object = trace.events[ref].object;
  return object == kNone ? "-" : trace.objects[object].id;
}

// The events behind which, up to the failure, the check may have been decided already; kNoEvent: none.
static EventRef firstDecision(const SymbolicTrace& trace) {
  const Failure& failure = trace.failure;
  const bool hasSeveralParts =
      failure.bug.size() > 1 || (failure.kind == FailureKind::exit && !failure.bug.empty());
  if (TraceEnd(trace).failure() == kNoEvent || !hasSeveralParts) return kNoEvent;
  EventRef last = kNoEvent;
  for (uint32_t symbol : trace.exprs.symbolsIn(failure.bug.front())) {
    const EventRef read = trace.symbols[symbol].event;
    if (read != kNoEvent && trace.threadOf(read) == trace.threadOf(failure.event) &&
        (last == kNoEvent || read > last))
      last = read;
  }
  return last;
}

static uint32_t choiceOf(const SymbolicTrace& trace, EventRef ref, EventRef firstDecision) {
  const Event& event = trace.event(ref);
  if (event.bystander) return kBystanding;
  if (event.pending) return kPendingOperation;
  if (event.synthetic) return kSyntheticRelease;
  if (ref == trace.failure.event) return event.outcome;
  if (event.kind == EventKind::wake && event.outcome) return event.outcome == 2 ? kWakesAlone : kTimesOut;
  return firstDecision != kNoEvent && ref > firstDecision && ref < trace.failure.event ? kPerhapsSkipped : 0;
}

Schedule toSchedule(const SymbolicTrace& trace, const EventOrder& order, std::string program) {
  Schedule schedule{.program = std::move(program), .entries = {}};
  schedule.entries.reserve(order.size());
  const EventRef decision = firstDecision(trace);
  for (EventRef ref : order) {
    const Event& e = trace.events[ref];
    schedule.entries.push_back({.thread = trace.threads[e.id.thread].id,
                                .index = e.id.index,
                                .kind = e.kind,
                                .object = objectId(trace, ref),
                                .choice = choiceOf(trace, ref, decision)});
  }
  return schedule;
}

Result<EventOrder> toOrder(const SymbolicTrace& trace, const Schedule& schedule) {
  std::map<std::tuple<std::string, uint64_t, EventKind>, EventRef> known;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    const Event& e = trace.events[ref];
    known[{trace.threads[e.id.thread].id, e.id.index, e.kind}] = ref;
  }
  EventOrder order;
  std::vector<bool> used(trace.events.size());
  for (size_t i = 0; i < schedule.entries.size(); ++i) {
    const ScheduleEntry& entry = schedule.entries[i];
    auto at = known.find({entry.thread, entry.index, entry.kind});
    if (at == known.end())
      return badInput(fmt::format("schedule entry {}: no event {} {} of thread {} in this trace", i + 1,
                                  toText(entry.kind), entry.index, entry.thread));
    if (used[at->second])
      return badInput(fmt::format("schedule entry {}: event {} of thread {} is scheduled twice", i + 1,
                                  entry.index, entry.thread));
    if (entry.object != objectId(trace, at->second))
      return badInput(fmt::format("schedule entry {}: {} {} of thread {} is on object {}, in this trace on {}",
                                  i + 1, toText(entry.kind), entry.index, entry.thread, entry.object,
                                  objectId(trace, at->second)));
    used[at->second] = true;
    order.push_back(at->second);
  }
  return order;
}

std::string toText(const Schedule& schedule) {
  std::string text = fmt::format("{}\nprogram {}\n", kHeader, schedule.program);
  for (const ScheduleEntry& e : schedule.entries)
    text += fmt::format("{} {} {} {} {}\n", e.thread, e.index, toText(e.kind), e.choice, e.object);
  return text + fmt::format("end {}\n", schedule.entries.size());
}

namespace {

// Takes the text up to the next `separator`; the rest stays in `text`.
std::string_view takeField(std::string_view& text, char separator) {
  size_t at = text.find(separator);
  std::string_view field = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return field;
}

template <typename Number> bool parseNumber(std::string_view text, Number& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parseKind(std::string_view text, EventKind& kind) {
#define SYMBIOSIS_KIND(name, number, word)                                                                        \
  if (text == word) return kind = EventKind::name, true;
  SYMBIOSIS_EVENT_KINDS(SYMBIOSIS_KIND)
#undef SYMBIOSIS_KIND
  return false;
}

bool parseEntry(std::string_view line, ScheduleEntry& entry) {
  entry.thread = takeField(line, ' ');
  bool ok = parseNumber(takeField(line, ' '), entry.index) && parseKind(takeField(line, ' '), entry.kind) &&
            parseNumber(takeField(line, ' '), entry.choice);
  entry.object = line;
  return ok && !entry.thread.empty() && !entry.object.empty();
}

} // namespace

Result<Schedule> parseSchedule(std::string_view text, const std::string& name) {
  auto malformed = [&](size_t line, std::string_view what) {
    return badInput(fmt::format("{}:{}: {}; write schedules with 'symbiosis diagnose'", name, line, what));
  };
  if (takeField(text, '\n') != kHeader)
    return malformed(1, fmt::format("not a schedule of version 1 (expected \"{}\")", kHeader));
  Schedule schedule;
  std::string_view programLine = takeField(text, '\n');
  if (takeField(programLine, ' ') != "program") return malformed(2, "expected \"program HASH\"");
  schedule.program = programLine;
  for (size_t line = 3;; ++line) {
    if (text.empty()) return malformed(line, "truncated: the closing \"end N\" is missing");
    std::string_view content = takeField(text, '\n');
    if (content.starts_with("end ")) {
      size_t count = 0;
      if (!parseNumber(content.substr(4), count) || count != schedule.entries.size())
        return malformed(
            line, fmt::format("{} entries, but the last line says \"{}\"", schedule.entries.size(), content));
      if (!text.empty()) return malformed(line + 1, "text after the closing line");
      return schedule;
    }
    ScheduleEntry entry;
    if (!parseEntry(content, entry))
      return malformed(line, fmt::format("not an entry \"THREAD INDEX KIND CHOICE OBJECT\": \"{}\"", content));
    schedule.entries.push_back(std::move(entry));
  }
}

Result<Schedule> loadSchedule(const std::filesystem::path& file) {
  Result<std::string> text = readFile(file);
  if (!text) return text.error();
  return parseSchedule(*text, file.string());
}

size_t contextSwitches(const SymbolicTrace& trace, const EventOrder& order) {
  return order.empty() ? 0 : segments(trace, order).size() - 1;
}

std::vector<uint32_t> positionsOf(const SymbolicTrace& trace, const EventOrder& order) {
  std::vector<uint32_t> positions(trace.events.size(), kNone);
  for (uint32_t i = 0; i < order.size(); ++i)
    if (order[i] < positions.size()) positions[order[i]] = i;
  return positions;
}

std::vector<Segment> segments(const SymbolicTrace& trace, const EventOrder& order) {
  std::vector<Segment> result;
  for (size_t i = 0; i < order.size(); ++i) {
    ThreadIndex thread = trace.threadOf(order[i]);
    if (result.empty() || result.back().thread != thread) result.push_back({thread, i, i});
    result.back().end = i + 1;
  }
  return result;
}

} // namespace symbiosis
