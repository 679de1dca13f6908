#include "viz/switch_words.h"
#include "dsp/wording.h"
#include "trace/sync_model.h"
#include "viz/text.h"
#include "viz/words.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

std::string threadName(const SymbolicTrace& trace, ThreadIndex thread) {
  return printable(trace.threads[thread].displayName);
}

std::string objectName(const Event& event) {
  return event.variable.empty() ? "it" : shortenMiddle(printable(event.variable), 30);
}

// The thread that has the mutex which `wanted` asks for, before `position`: who took it last and has not given it
// back. kNone: nobody, or it is no mutex.
uint32_t holderOf(const SymbolicTrace& trace, const EventOrder& order, size_t position, const Event& wanted) {
  for (size_t i = position; i-- > 0;) {
    const Event& event = trace.event(order[i]);
    if (event.object != wanted.object && event.mutex != wanted.object) continue;
    if (sync::unlocks(event.kind) || event.kind == EventKind::waitBegin) return kNone;
    if (sync::locks(event.kind, event.outcome)) return event.id.thread;
  }
  return kNone;
}

std::string whatIsWaitedFor(const SymbolicTrace& trace, const EventOrder& order, const ContextSwitch& change) {
  const Event& event = trace.event(change.next);
  switch (event.kind) {
  case EventKind::join:
    return event.peer == kNone ? "waits in a join"
                               : fmt::format("waits for {} to end", threadName(trace, event.peer));
  case EventKind::wake: return fmt::format("waits for a signal of {}", objectName(event));
  case EventKind::semWait: return fmt::format("waits for a token of {}", objectName(event));
  case EventKind::barrierLeave: return fmt::format("waits for the others at {}", objectName(event));
  case EventKind::start: return "has not been created";
  case EventKind::lock: {
    const uint32_t holder = holderOf(trace, order, change.position, event);
    if (holder != kNone)
      return fmt::format("waits for {}, which {} holds", objectName(event), threadName(trace, holder));
    break;
  }
  default: break;
  }
  return fmt::format("waits for {}", objectName(event));
}

} // namespace

std::string preemptionWords(const SymbolicTrace& trace, const SourceFiles& sources, const ContextSwitch& change) {
  const Event& last = trace.event(change.last);
  std::string words = threadName(trace, change.from);
  const std::string place = fileAndLine(trace, last.location);
  if (place.empty()) return words + fmt::format(" behind its event {}", last.id.index);
  words += " at " + place;
  const SourceLocation& location = trace.locations[last.location];
  if (const auto line = sources.line(location.file, location.line))
    words += fmt::format(", right after `{}`", shortenMiddle(tidied(printable(*line)), 50));
  return words;
}

std::string waitWords(const SymbolicTrace& trace, const EventOrder& order, const ContextSwitch& change) {
  const std::string who = threadName(trace, change.from);
  if (change.next == kNoEvent) return who + " has ended";
  const std::string place = fileAndLine(trace, trace.event(change.next).location);
  return fmt::format("{}{}{} {}", place, place.empty() ? "" : "  ", who, whatIsWaitedFor(trace, order, change));
}

} // namespace symbiosis
