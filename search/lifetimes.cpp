#include "search/lifetimes.h"
#include "constraints/must_order.h"
#include "constraints/sync_structure.h"
#include "trace/cut.h"

namespace symbiosis {
namespace {

// The first event of the thread that ended the object behind that; its last one, if there is none.
EventRef firstBehindEnd(const SymbolicTrace& trace, const TraceObject& object) {
  const TraceThread& thread = trace.threads[object.endedBy];
  EventRef ref = thread.firstEvent;
  while (ref + 1 < thread.firstEvent + thread.eventCount && trace.event(ref).id.index < object.endedAt) ++ref;
  return ref;
}

bool uses(const SymbolicTrace& trace, EventRef ref, uint32_t number) {
  const std::string inside = trace.objects[number].id + "+"; // locks in a block
  auto isOf = [&](uint32_t object) {
    return object == number || (object != kNone && trace.objects[object].id.starts_with(inside));
  };
  const Event& event = trace.event(ref);
  if (isOf(event.object) || isOf(event.mutex)) return true;
  for (const Part& part : trace.partsOf(ref))
    if (trace.cells[part.cell].object == number) return true;
  return false;
}

} // namespace

std::vector<UseAfterEnd> possibleUsesAfterEnd(const SymbolicTrace& trace, std::vector<uint32_t>& unknown) {
  const MustOrder order(trace, analyseSync(trace).must);
  std::vector<UseAfterEnd> found;
  for (uint32_t object = 0; object < trace.objects.size(); ++object) {
    const TraceObject& ended = trace.objects[object];
    if (ended.endedBy == kNone || trace.threads[ended.endedBy].eventCount == 0) continue;
    const bool hasPlace = ended.endedAt != kNoPoint;
    const EventRef behind = firstBehindEnd(trace, ended);
    for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
      if (trace.threadOf(ref) == ended.endedBy || !uses(trace, ref, object)) continue;
      // What comes before the last event in front of the end comes before the end.
      if (hasPlace && behind > 0 && order.before(ref, behind - 1)) continue;
      if (!hasPlace) {
        unknown.push_back(object);
        break;
      }
      found.push_back({object, ref});
    }
  }
  return found;
}

UseAnswer ask(const ExploredPath& path, const UseAfterEnd& use, const SolverLimits& limits) {
  const SymbolicTrace& trace = path.run.trace;
  const TraceObject& object = trace.objects[use.object];
  const EventRef behind = firstBehindEnd(trace, object);
  const Standing standing = meetingAt(trace, use.use, behind);
  const OrderEdge edge{standing.inTrace[behind - 1], standing.stop};
  const ScheduleAnswer answer = ScheduleSolver(standing.trace, limits).passing({&edge, 1});
  UseAnswer result{.answer = answer.answer, .reason = answer.reason, .schedule = {}};
  if (answer.answer != Answer::sat) return result;
  EventOrder order;
  for (EventRef ref : answer.order) {
    if (ref == standing.stop) break;
    order.push_back(ref);
  }
  result.schedule = toSchedule(standing.trace, order, path.run.recording.info.programHash);
  const bool isLock = object.size == 0; // an object of synchronisation, which is destroyed
  result.schedule.entries.push_back({.thread = trace.threads[object.endedBy].id,
                                     .index = object.endedAt,
                                     .kind = isLock ? EventKind::destroy : EventKind::free,
                                     .object = "-"});
  const Event& event = trace.event(use.use);
  result.schedule.entries.push_back(
      {.thread = trace.threads[event.id.thread].id, .index = event.id.index, .kind = event.kind, .object = "-"});
  return result;
}

} // namespace symbiosis
