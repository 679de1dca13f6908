#pragma once
// A schedule is data: a total order of events. Inside the solver rooms it is an EventOrder over one trace; outside
// (files, the replayer) it is a list of entries that name events by thread, point index and kind, so that a
// divergence is noticed at the first wrong entry.
#include "support/result.h"
#include "trace/symbolic_trace.h"
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

using EventOrder = std::vector<EventRef>;

// Choice of an unlock that never happened in the recorded run (Event::synthetic): the thread runs until it really
// releases the mutex.
inline constexpr uint32_t kSyntheticRelease = 1;
// Choice of an operation at which its thread waited for ever (Event::pending).
inline constexpr uint32_t kPendingOperation = 2;
// The same of one that does not matter (Event::bystander).
inline constexpr uint32_t kBystanding = 3;
// Of the failing thread, between the first decision of the check that failed and the failure: a run that passes
// may have left the check before, as `assert(a || b)` does not look at b if a holds.
inline constexpr uint32_t kPerhapsSkipped = 4;

// Choices of a wake that no signal ends: its time has run out, or it wakes by itself.
inline constexpr uint32_t kTimesOut = 5;
inline constexpr uint32_t kWakesAlone = 6;

struct ScheduleEntry {
  std::string thread; // hierarchical id
  uint64_t index = 0;
  EventKind kind = EventKind::read;
  std::string object;  // stable object id, "-" if none
  uint32_t choice = 0; // which alternative the runtime took, where there is one; failure: its outcome
  bool operator==(const ScheduleEntry&) const = default;
};

// Whether its thread waited there for ever. The choice of a failure and of the exit that is one counts something
// else.
inline bool waitsForEver(const ScheduleEntry& entry) {
  return (entry.choice == kPendingOperation || entry.choice == kBystanding) && entry.kind != EventKind::failure &&
         entry.kind != EventKind::exit;
}

struct Schedule {
  std::string program; // content hash of the executable
  std::vector<ScheduleEntry> entries;
  bool operator==(const Schedule&) const = default;
};

Schedule toSchedule(const SymbolicTrace& trace, const EventOrder& order, std::string program);
// Error if an entry names an event that the trace does not have or has on another object, or one twice.
Result<EventOrder> toOrder(const SymbolicTrace& trace, const Schedule& schedule);

// "symbiosis-schedule 1", the program's hash, one line per entry, and a closing line with their number.
std::string toText(const Schedule& schedule);
Result<Schedule> parseSchedule(std::string_view text, const std::string& nameForErrors);
Result<Schedule> loadSchedule(const std::filesystem::path& file);

// By event: where it stands in the order; kNone: nowhere.
std::vector<uint32_t> positionsOf(const SymbolicTrace& trace, const EventOrder& order);

// Changes of thread between neighbouring events.
size_t contextSwitches(const SymbolicTrace& trace, const EventOrder& order);

// A maximal run of one thread's events; the papers' "thread execution interval".
struct Segment {
  ThreadIndex thread = 0;
  size_t begin = 0, end = 0; // positions in the order
};
std::vector<Segment> segments(const SymbolicTrace& trace, const EventOrder& order);

} // namespace symbiosis
