#include "search/path_questions.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

// --- Rounds of idle loops (symexec/idle_loops.h) ---
//
// After a round of such a loop the thread is where it was before: it has changed nothing, remembers nothing, and
// holds what it held. Take an execution in which it goes round twice, one round after the other. Without the
// second of the two rounds it is an execution, too, that ends in the same way: whoever the thread kept from going
// on can go on, and a signal that came while it was not waiting (and found nobody) now reaches it, so that it
// wakes then instead of by itself. So it is enough to ask whether a thread goes round once more where it has not
// just done so.
namespace {

// Between two events of the thread there is one round and nothing else: no place is read twice, because who leaves
// the loop and comes back has read again what made it leave.
bool isOneRound(const SymbolicTrace& trace, EventRef from, EventRef to) {
  std::vector<uint32_t> places;
  for (EventRef ref = from + 1; ref <= to; ++ref) {
    const Event& event = trace.event(ref);
    const bool isLook = event.kind == EventKind::read;
    const bool isInVain = hasOutcome(event) && event.outcome != 0 && event.kind != EventKind::wake;
    const bool isWait = event.kind == EventKind::waitBegin || event.kind == EventKind::wake ||
                        (event.kind == EventKind::lock && trace.event(ref - 1).kind == EventKind::wake);
    if (ref != to && !isLook && !isInVain && !isWait) return false;
    if (ref == to && !isLook && event.kind != trace.event(from).kind) return false;
    if (!event.idle || event.timed) return false;
    if (!isLook) continue;
    if (event.location == kNone || std::find(places.begin(), places.end(), event.location) != places.end())
      return false;
    places.push_back(event.location);
  }
  return to > from;
}

// The thread has just gone round the loop in which it would go round once more.
bool wouldIdleAgain(const ExploredPath& path, const PathQuestion& question) {
  const SymbolicTrace& trace = path.run.trace;
  const std::vector<Decision>& decisions = path.decisions[question.thread];
  const auto isBefore = [&](const Decision& earlier) { return !(earlier == question.decision); };
  const auto end = std::find_if_not(decisions.begin(), decisions.end(), isBefore);
  for (auto earlier = std::make_reverse_iterator(end); earlier != decisions.rend(); ++earlier) {
    if ((earlier->condition == kNone) != question.outcome.has_value()) continue;
    if (locationOf(trace, *earlier) == kNone ||
        locationOf(trace, *earlier) != locationOf(trace, question.decision))
      continue;
    if (!isOneRound(trace, earlier->event, question.decision.event)) return false;
    if (question.outcome) {
      const Event &before = trace.event(earlier->event), &now = trace.event(question.decision.event);
      return before.idle && !before.timed && *question.outcome != 0 && before.outcome == *question.outcome &&
             before.kind == now.kind && before.object == now.object && before.stack == now.stack;
    }
    return trace.conditions[earlier->condition].idles && trace.conditions[question.decision.condition].wouldIdle;
  }
  return false;
}

} // namespace

std::vector<PathQuestion> questionsOf(const ExploredPath& path, ThreadIndex thread, bool wakesAlone) {
  std::vector<PathQuestion> questions;
  const std::vector<Decision>& decisions = path.decisions[thread];
  for (auto decision = decisions.rbegin(); decision != decisions.rend(); ++decision) {
    const Event& event = path.run.trace.event(decision->event);
    if (decision->condition != kNone)
      questions.push_back({thread, *decision, std::nullopt});
    else if (event.kind != EventKind::wake)
      questions.push_back({thread, *decision, event.outcome == 0 ? 1 : 0});
    else
      for (uint32_t outcome : {0u, 1u, 2u}) { // signalled, out of time, by itself
        const bool canBe = outcome == 0 || (outcome == 1 ? event.timed : wakesAlone);
        if (canBe && outcome != event.outcome) questions.push_back({thread, *decision, outcome});
      }
  }
  std::erase_if(questions, [&](const PathQuestion& question) { return wouldIdleAgain(path, question); });
  return questions;
}

namespace {

// How the other path's thread goes at the mark at which it parts.
struct OtherWay {
  uint32_t condition = kNone; // in its trace
  uint32_t outcome = kNone;
};

OtherWay wayAt(const ExploredPath& other, ThreadIndex thread, uint32_t mark) {
  OtherWay way;
  for (const Decision& decision : other.decisions[thread]) {
    if (markOf(other.run.trace, decision) != mark) continue;
    if (decision.condition == kNone) way.outcome = other.run.trace.event(decision.event).outcome;
    if (decision.condition != kNone && way.condition == kNone) way.condition = decision.condition;
  }
  return way;
}

} // namespace

Result<std::vector<OpenArea>> openAreas(ExploredPath& path, const PathQuestion& question, const ExploredPaths& all,
                                        Partings& partings) {
  SymbolicTrace& trace = path.run.trace;
  OpenArea everywhere;
  for (ThreadIndex thread = 0; thread < path.deciding.size(); ++thread)
    everywhere.box.push_back({0, thread == question.thread ? 0 : path.deciding[thread].size()});
  std::vector<OpenArea> areas{everywhere};
  const uint32_t mark = markOf(trace, question.decision);
  for (const std::unique_ptr<ExploredPath>& other : all) {
    if (areas.empty()) break;
    if (other->number == path.number) continue;
    // The progress of the others up to which the other path agrees; the deciding thread's own does not count.
    const uint32_t parting = partings.of(path, *other).marks[question.thread];
    std::vector<size_t> agreement = partings.of(path, *other).common;
    agreement[question.thread] = 0;
    if (parting > mark) { // it decides like this one: whoever has the lower number asks
      if (other->number < path.number && other->outcome == RunOutcome::passed) areas = without(areas, agreement);
      continue;
    }
    const ThreadIndex there = threadNamed(other->run.trace, trace.threads[question.thread].id);
    const bool isThere = there != kNone && other->run.trace.threads[there].marks.size() > mark;
    if (parting < mark || !isThere) continue;
    const OtherWay way = wayAt(*other, there, mark);
    const bool isTwoWay = !question.outcome && trace.conditions[question.decision.condition].twoWay;
    if (isTwoWay || (question.outcome && way.outcome == *question.outcome)) {
      areas = without(areas, agreement);
    } else if (!question.outcome) {
      const ExprId its =
          way.condition == kNone
              ? kNoExpr
              : translated(other->run.trace, other->run.trace.conditions[way.condition].expr, trace);
      if (its == kNoExpr)
        return gaveUp(fmt::format("what is decided at {} has more than two ways, which cannot be told apart",
                                  placeText(trace, locationOf(trace, question.decision))));
      areas = excluding(areas, agreement, trace.exprs.negate(its));
    }
  }
  return areas;
}

PathAnswer ask(const ExploredPath& path, const PathQuestion& question, const OpenArea& area,
               const SolverLimits& limits) {
  const SymbolicTrace& trace = path.run.trace;
  const Cut cut = cutAt(trace, question.decision, {question.outcome, area.excluded});
  std::vector<OrderEdge> edges;
  for (ThreadIndex thread = 0; thread < path.deciding.size(); ++thread) {
    if (thread == question.thread) continue;
    const std::vector<EventRef>& deciding = path.deciding[thread];
    const ProgressSpan& span = area.box[thread];
    if (span.low > 0) edges.push_back({cut.inCut[deciding[span.low - 1]], cut.decision});
    if (span.high < deciding.size()) edges.push_back({cut.decision, cut.inCut[deciding[span.high]]});
  }
  ScheduleSolver solver(cut.trace, limits);
  solver.guideBy(cut.cutDown(path.run.order));
  const ScheduleAnswer answer = solver.passing(edges);
  PathAnswer result{.answer = answer.answer, .reason = {}, .prefix = {}, .progress = {}};
  if (answer.answer == Answer::unknown)
    result.reason = fmt::format("{} ({})", answer.reason, placeText(trace, locationOf(trace, question.decision)));
  if (answer.answer != Answer::sat) return result;
  EventOrder prefix(answer.order.begin(), std::find(answer.order.begin(), answer.order.end(), cut.decision) + 1);
  result.prefix = toSchedule(cut.trace, prefix, path.run.recording.info.programHash);
  result.progress.assign(path.deciding.size(), 0);
  for (EventRef ref : prefix) {
    const EventRef original = cut.original[ref];
    const ThreadIndex thread = trace.threadOf(original);
    result.progress[thread] +=
        std::binary_search(path.deciding[thread].begin(), path.deciding[thread].end(), original);
  }
  return result;
}

bool wentThere(const ExploredPath& path, const PathQuestion& question, const PathAnswer& answer,
               const ExploredPath& found) {
  const uint32_t mark = markOf(path.run.trace, question.decision);
  if (partingOf(path, found, question.thread) != mark) return false;
  const ThreadIndex there = threadNamed(found.run.trace, path.run.trace.threads[question.thread].id);
  if (question.outcome && wayAt(found, there, mark).outcome != *question.outcome) return false;
  for (ThreadIndex thread = 0; thread < path.deciding.size(); ++thread)
    if (thread != question.thread && commonDecidingEvents(path, found, thread) < answer.progress[thread])
      return false;
  return true;
}

} // namespace symbiosis
