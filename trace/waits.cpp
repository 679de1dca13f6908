#include "trace/waits.h"
#include "trace/sync_model.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace symbiosis {

namespace {

using Holder = Wait::Holder;

// What `event` does to the hold that its thread has on `object`, seen by the waiting operation: 1 takes it, -1
// lets it go, 0 nothing.
int changeOfHold(const Event& event, const Event& waiting) {
  if (event.pending) return 0;
  if (event.mutex != kNone) return event.mutex == waiting.object ? -1 : 0; // a wait-begin releases it
  return event.object == waiting.object ? sync::changeOfHold(event.kind, event.outcome) : 0;
}

// Readers do not keep each other out.
bool sharesWith(const Event& waiting, const Event& hold) {
  return !sync::ruleOf(waiting.kind).excludes && !sync::ruleOf(hold.kind).excludes;
}

std::vector<Holder> holdersFor(const SymbolicTrace& trace, const Event& waiting) {
  if (waiting.kind == EventKind::join) {
    if (waiting.peer == kNone) return {};
    return {{waiting.peer, kNoEvent}};
  }
  if (waiting.object == kNone || sync::ruleOf(waiting.kind).isReached) return {};
  std::vector<Holder> found;
  for (ThreadIndex t = 0; t < trace.threads.size(); ++t) {
    const TraceThread& thread = trace.threads[t];
    std::vector<EventRef> holds;
    for (EventRef ref = thread.firstEvent; ref < thread.firstEvent + thread.eventCount; ++ref) {
      const int change = changeOfHold(trace.event(ref), waiting);
      if (change > 0) holds.push_back(ref);
      if (change < 0 && !holds.empty()) holds.pop_back();
    }
    std::erase_if(holds, [&](EventRef ref) { return sharesWith(waiting, trace.event(ref)); });
    // Anybody may post a semaphore: who waits at it a second time waits for somebody else to do so.
    if (waiting.kind == EventKind::semWait && t == waiting.id.thread) holds.clear();
    if (!holds.empty()) found.push_back({t, holds.front()});
  }
  return found;
}

// "ab.c:10"
std::string placeOf(const SymbolicTrace& trace, uint32_t location) {
  if (location == kNone || trace.locations[location].line == 0) return {};
  const SourceLocation& at = trace.locations[location];
  return fmt::format("{}:{}", std::filesystem::path(at.file).filename().string(), at.line);
}

std::string objectWords(const SymbolicTrace& trace, const Event& event) {
  const std::string name = event.variable.empty() ? "an unnamed object" : event.variable;
  if (event.kind == EventKind::join)
    return event.peer == kNone ? "another thread"
                               : fmt::format("the end of {}", trace.threads[event.peer].displayName);
  return sync::ruleOf(event.kind).wants + name;
}

} // namespace

std::vector<Wait> findWaits(const SymbolicTrace& trace) {
  std::vector<Wait> waits;
  for (EventRef ref : trace.pendingEvents()) waits.push_back({ref, holdersFor(trace, trace.event(ref))});
  return waits;
}

std::vector<Wait> findCircle(const SymbolicTrace& trace, const std::vector<Wait>& waits) {
  // A thread waits for one thing, but that may have several holders: depth first, each wait once.
  std::vector<size_t> path;
  std::vector<bool> seen(waits.size());
  std::vector<Wait> circle;
  auto waitOf = [&](ThreadIndex thread) {
    return size_t(std::find_if(waits.begin(), waits.end(),
                               [&](const Wait& wait) { return trace.threadOf(wait.event) == thread; }) -
                  waits.begin());
  };
  auto visit = [&](auto& self, size_t at) -> bool {
    const auto known = std::find(path.begin(), path.end(), at);
    if (known != path.end()) {
      for (auto i = known; i != path.end(); ++i) circle.push_back(waits[*i]);
      return true;
    }
    if (seen[at]) return false;
    seen[at] = true;
    path.push_back(at);
    for (const Holder& holder : waits[at].holders) {
      const size_t next = waitOf(holder.thread);
      if (next < waits.size() && self(self, next)) return true;
    }
    path.pop_back();
    return false;
  };
  for (size_t i = 0; i < waits.size(); ++i)
    if (visit(visit, i)) break;
  return circle;
}

bool everybodyWaits(const SymbolicTrace& trace) {
  return std::all_of(trace.threads.begin(), trace.threads.end(), [&](const TraceThread& thread) {
    if (thread.eventCount == 0) return false; // created, and not begun
    const Event& last = trace.event(thread.firstEvent + thread.eventCount - 1);
    return (last.pending && !last.bystander) || last.kind == EventKind::exit;
  });
}

std::string toText(const SymbolicTrace& trace, const Wait& wait) {
  const Event& event = trace.event(wait.event);
  std::string text =
      fmt::format("{} waits for {}", trace.threads[event.id.thread].displayName, objectWords(trace, event));
  if (const std::string place = placeOf(trace, event.location); !place.empty())
    text += fmt::format(" ({})", place);
  for (size_t i = 0; i < wait.holders.size(); ++i) {
    const Holder& holder = wait.holders[i];
    if (holder.since == kNoEvent) continue;
    const std::string who = holder.thread == event.id.thread ? "itself" : trace.threads[holder.thread].displayName;
    const std::string since = placeOf(trace, trace.event(holder.since).location);
    text += fmt::format("{} {}{}", i == 0 ? ", held by" : " and", who,
                        since.empty() ? "" : fmt::format(" ({})", since));
  }
  return text;
}

} // namespace symbiosis
