#include "search/approach.h"
#include "search/inversion.h"
#include <algorithm>
#include <queue>

namespace symbiosis {

namespace {

constexpr size_t kMostCallsToApproach = 200;
constexpr size_t kUnknownsUntilWeStop = 3;

// The schedule with the conflicts of `order`, and otherwise as near to `model` as they allow: of the events
// that may come next, always the one that comes first in `model`.
EventOrder inTheMannerOf(const SymbolicTrace& trace, const EventOrder& model, const EventOrder& order) {
  std::vector<OrderEdge> edges = candidateEdges(trace, order);
  for (const TraceThread& thread : trace.threads)
    for (uint32_t i = 1; i < thread.eventCount; ++i)
      edges.push_back({thread.firstEvent + i - 1, thread.firstEvent + i});
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    const Event& event = trace.event(ref);
    if (event.peer == kNone || trace.threads[event.peer].eventCount == 0) continue;
    const TraceThread& peer = trace.threads[event.peer];
    if (event.kind == EventKind::fork) edges.push_back({ref, peer.firstEvent});
    if (event.kind == EventKind::join)
      for (EventRef other = peer.firstEvent; other < peer.firstEvent + peer.eventCount; ++other)
        if (trace.event(other).kind == EventKind::exit) edges.push_back({other, ref});
  }
  std::vector<std::vector<EventRef>> after(trace.events.size());
  std::vector<uint32_t> waitingFor(trace.events.size());
  for (const OrderEdge& edge : edges) {
    after[edge.before].push_back(edge.after);
    ++waitingFor[edge.after];
  }
  const std::vector<uint32_t> position = positionsOf(trace, model);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready; // positions in the model
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (waitingFor[ref] == 0) ready.push(position[ref]);
  EventOrder result;
  while (!ready.empty()) {
    EventRef next = model[ready.top()];
    ready.pop();
    result.push_back(next);
    for (EventRef follower : after[next])
      if (--waitingFor[follower] == 0) ready.push(position[follower]);
  }
  return result;
}

class Approach {
public:
  Approach(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& model, Goal goal,
           EventOrder order)
      : trace_(trace), solver_(solver), model_(model), goal_(goal) {
    become(std::move(order));
  }

  EventOrder nearest() {
    std::vector<OrderEdge> lost;
    for (const OrderEdge& edge : candidateEdges(trace_, model_)) (keeps(edge) ? kept_ : lost).push_back(edge);
    regain(lost);
    EventOrder tidied = inTheMannerOf(trace_, model_, order_);
    const Outcome wanted = goal_ == Goal::failing ? Outcome::failing : Outcome::passing;
    if (Evaluator(trace_).run(tidied).outcome == wanted) return tidied;
    return order_;
  }

private:
  bool keeps(const OrderEdge& edge) const { return position_[edge.before] < position_[edge.after]; }
  void become(EventOrder order) {
    order_ = std::move(order);
    position_ = positionsOf(trace_, order_);
  }

  void regain(const std::vector<OrderEdge>& edges) {
    if (edges.empty()) return;
    std::vector<OrderEdge> wanted = kept_;
    wanted.insert(wanted.end(), edges.begin(), edges.end());
    if (allow(edges, wanted)) {
      kept_ = std::move(wanted);
      return;
    }
    if (edges.size() == 1) return;
    const auto middle = edges.begin() + ptrdiff_t(edges.size() / 2);
    regain({middle, edges.end()});
    regain({edges.begin(), middle});
  }

  bool allow(const std::vector<OrderEdge>& edges, const std::vector<OrderEdge>& wanted) {
    if (std::all_of(edges.begin(), edges.end(), [&](const OrderEdge& e) { return keeps(e); })) return true;
    if (calls_ == kMostCallsToApproach || unknowns_ == kUnknownsUntilWeStop) return false;
    ++calls_;
    ScheduleAnswer answer = goal_ == Goal::failing ? solver_.failing(wanted) : solver_.passing(wanted);
    if (answer.answer == Answer::unknown) ++unknowns_;
    if (answer.answer != Answer::sat) return false;
    become(std::move(answer.order));
    return true;
  }

  const SymbolicTrace& trace_;
  ScheduleSolver& solver_;
  const EventOrder& model_;
  const Goal goal_;
  EventOrder order_; // of the goal, and keeps kept_
  std::vector<uint32_t> position_;
  std::vector<OrderEdge> kept_;
  size_t calls_ = 0, unknowns_ = 0;
};

} // namespace

EventOrder nearestTo(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& model, Goal goal,
                     EventOrder order) {
  return Approach(trace, solver, model, goal, std::move(order)).nearest();
}

} // namespace symbiosis
