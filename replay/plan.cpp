#include "replay/plan.h"
#include <charconv>
#include <fmt/format.h>

namespace symbiosis {
namespace {

class Planner {
public:
  Planner(Expectation expectation, const FailurePoint& failure)
      : passes_(expectation == Expectation::passes), failure_(failure) {}

  Result<Plan> make(const Schedule& schedule) {
    for (size_t i = 0; i < schedule.entries.size(); ++i) {
      Result<format::ControlEntry> entry = entryFor(schedule.entries[i]);
      if (!entry) return badInput(fmt::format("schedule entry {}: {}", i + 1, entry.error().message));
      if (waitsForEver(schedule.entries[i])) {
        if (passes_ && schedule.entries[i].choice == kBystanding) continue;
        if (passes_) {
          addProceeding(*entry);
          break; // nobody knows what follows
        }
        entry->type = format::EntryType::hold;
      }
      plan_.entries.push_back(*entry);
    }
    plan_.threads = table_.threads();
    return std::move(plan_);
  }

private:
  // The return from a wait is two operations: the wake and the lock.
  void addProceeding(format::ControlEntry entry) {
    if (entry.kind == uint8_t(EventKind::wake)) {
      plan_.entries.push_back(entry);
      entry.kind = uint8_t(EventKind::lock);
      ++entry.index;
    }
    entry.type = format::EntryType::proceed;
    plan_.entries.push_back(entry);
  }

  bool isFailurePoint(const ScheduleEntry& entry) const {
    return entry.kind == EventKind::failure ||
           (entry.kind == EventKind::exit && !failure_.exitThread.empty() && entry.thread == failure_.exitThread);
  }

  Result<format::ControlEntry> entryFor(const ScheduleEntry& from) {
    Result<uint32_t> thread = table_.numberOf(from.thread);
    if (!thread) return thread.error();
    format::ControlEntry entry{};
    entry.thread = *thread;
    entry.kind = uint8_t(from.kind);
    entry.index = from.index;
    if (from.choice == kTimesOut) entry.choice = format::kTimesOut;
    if (from.choice == kWakesAlone) entry.choice = format::kWakesAlone;
    if (from.kind == EventKind::lock || from.kind == EventKind::trylock)
      acquired_[{from.thread, from.object}] = from.index;
    if (from.kind == EventKind::unlock && from.choice == kSyntheticRelease) {
      auto acquired = acquired_.find({from.thread, from.object});
      if (acquired == acquired_.end())
        return badInput(fmt::format("thread {} releases {}, which it has not acquired", from.thread, from.object));
      entry.type = format::EntryType::release;
      entry.index = acquired->second;
    } else if (passes_ && isFailurePoint(from)) {
      entry.type = format::EntryType::pass;
    } else if (passes_ && from.choice == kPerhapsSkipped) {
      entry.type = format::EntryType::check;
    } else if (isFailurePoint(from)) {
      entry.index += from.choice;
      if (failure_.isSignal) entry.type = format::EntryType::crash;
    }
    return entry;
  }

  bool passes_;
  FailurePoint failure_;
  Plan plan_;
  ThreadTable table_;
  std::map<std::pair<std::string, std::string>, uint64_t> acquired_; // (thread, mutex) -> index of the last lock
};

} // namespace

Result<uint32_t> ThreadTable::numberOf(const std::string& id) {
  if (auto known = numbers_.find(id); known != numbers_.end()) return known->second;
  format::ControlThread thread{uint32_t(threads_.size()), 0};
  if (id != "0") {
    const size_t dot = id.rfind('.');
    const char* end = id.data() + id.size();
    if (dot == std::string::npos || std::from_chars(id.data() + dot + 1, end, thread.ordinal).ptr != end ||
        thread.ordinal == 0)
      return badInput(fmt::format("\"{}\" is not a thread id", id));
    Result<uint32_t> parent = numberOf(id.substr(0, dot));
    if (!parent) return parent.error();
    thread.parent = *parent;
  }
  if (threads_.size() == format::kMostControlledThreads)
    return badInput(fmt::format("more than {} threads", format::kMostControlledThreads));
  threads_.push_back(thread);
  return numbers_[id] = uint32_t(threads_.size() - 1);
}

Result<Plan> planOf(const Schedule& schedule, Expectation expectation, const FailurePoint& failure) {
  return Planner(expectation, failure).make(schedule);
}

std::vector<format::ControlEntry> withoutAddresses(std::vector<format::ControlEntry> entries) {
  for (format::ControlEntry& entry : entries) entry.object = 0;
  return entries;
}

std::vector<std::string> threadIds(const std::vector<format::ControlThread>& threads) {
  std::vector<std::string> ids;
  for (uint32_t number = 0; number < threads.size(); ++number) {
    const format::ControlThread& thread = threads[number];
    ids.push_back(thread.parent < number ? fmt::format("{}.{}", ids[thread.parent], thread.ordinal) : "0");
  }
  return ids;
}

} // namespace symbiosis
