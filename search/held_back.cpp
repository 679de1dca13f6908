// Theory. A decision depends on a few reads of its thread. They see something else if
//
//   the deciding thread comes later    it is held before the read (or a lock around it) until another thread has
//                                      written what is read, and then runs up to the decision;
//   another thread comes later         the one whose write is seen is held before that write (or a lock around
//                                      it) until the decision has been made.
//
// Everybody else follows the model. A thread that cannot go on, or would leave its recorded path, stands still
// from there on: nothing behind the decision is looked at, so it need not come further.
#include "search/held_back.h"
#include "trace/execution.h"
#include <algorithm>

namespace symbiosis {
namespace {

constexpr size_t kMostWrites = 24; // looked at on either side of the decision

class HoldingBack {
public:
  HoldingBack(const Cut& cut, const EventOrder& model)
      : cut_(cut), model_(model), code_(cut.trace), execution_(code_, Execution::Journal::kept),
        position_(cut.trace.events.size()), self_(cut.trace.threadOf(cut.decision)) {
    for (uint32_t i = 0; i < model.size(); ++i) position_[model[i]] = i;
    findReads();
  }

  std::vector<EventOrder> find() {
    for (EventRef write : writesAfter())
      for (EventRef from : holdPoints(firstRead_)) tryOrder(self_, from, write);
    for (EventRef write : writesBefore())
      for (EventRef from : holdPoints(write)) tryOrder(cut_.trace.threadOf(write), from, kNoEvent);
    return std::move(found_);
  }

private:
  // The reads that the decision is made of, and what they look at. Of an outcome: the operation itself.
  void findReads() {
    firstRead_ = cut_.decision;
    const SymbolicTrace& trace = cut_.trace;
    const Event& decision = trace.event(cut_.decision);
    if (!isAccess(decision.kind) && decision.object != kNone) objects_.push_back(decision.object);
    for (const Condition& condition : trace.conditions) {
      if (condition.after != cut_.decision) continue;
      for (uint32_t symbol : trace.exprs.symbolsIn(condition.expr)) {
        const EventRef read = trace.symbols[symbol].event;
        if (read == kNoEvent || trace.threadOf(read) != self_) continue;
        firstRead_ = std::min(firstRead_, read);
        for (const Part& part : trace.partsOf(read)) cells_.push_back(part.cell);
      }
    }
    std::sort(cells_.begin(), cells_.end());
  }

  // Changes what the reads see.
  bool matters(EventRef ref) const {
    const Event& event = cut_.trace.event(ref);
    if (event.id.thread == self_) return false;
    if (!isAccess(event.kind))
      return event.object != kNone && std::find(objects_.begin(), objects_.end(), event.object) != objects_.end();
    const auto parts = cut_.trace.partsOf(ref);
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.written != kNoExpr && std::binary_search(cells_.begin(), cells_.end(), part.cell);
    });
  }
  std::vector<EventRef> writesAfter() const {
    std::vector<EventRef> writes;
    for (uint32_t i = position_[firstRead_]; i < model_.size() && writes.size() < kMostWrites; ++i)
      if (matters(model_[i])) writes.push_back(model_[i]);
    return writes;
  }
  std::vector<EventRef> writesBefore() const {
    std::vector<EventRef> writes;
    for (uint32_t i = position_[cut_.decision]; i-- > 0 && writes.size() < kMostWrites;)
      if (matters(model_[i])) writes.push_back(model_[i]);
    return writes;
  }

  // The event itself, the locks around it from the inside out, and the thread's beginning.
  std::vector<EventRef> holdPoints(EventRef event) const {
    std::vector<EventRef> points{event};
    const EventRef lock = outermostLock(cut_.trace, event);
    if (lock != event) points.push_back(lock);
    const EventRef first = cut_.trace.threads[cut_.trace.threadOf(event)].firstEvent;
    if (first != lock && first != event) points.push_back(first);
    return points;
  }

  // `held` waits before `from` until `until` has happened; kNoEvent: until the decision has been made.
  void tryOrder(ThreadIndex held, EventRef from, EventRef until) {
    execution_.reset();
    order_.clear();
    stopped_.assign(cut_.trace.threads.size(), false);
    bool isHeld = true;
    for (EventRef ref : model_) {
      const ThreadIndex thread = cut_.trace.threadOf(ref);
      if (stopped_[thread] || (thread == held && (isHeld ? ref >= from : ref < execution_.nextOf(held)))) continue;
      if (!advance(ref)) continue;
      isHeld = isHeld && ref != until;
      if (!isHeld) catchUp();
      if (execution_.nextOf(self_) > cut_.decision) return keep();
    }
  }

  // False: the thread stands still from here on.
  bool advance(EventRef ref) {
    const ThreadIndex thread = cut_.trace.threadOf(ref);
    const Execution::Step step =
        cut_.trace.event(ref).pending ? Execution::Step::impossible : execution_.step(ref);
    if (step == Execution::Step::offPath) execution_.undo(ref);
    if (step != Execution::Step::done) return !(stopped_[thread] = true);
    order_.push_back(ref);
    return true;
  }
  // The deciding thread goes on to its decision, for as long as nobody stands in its way.
  void catchUp() {
    while (!stopped_[self_] && execution_.nextOf(self_) <= cut_.decision &&
           execution_.isPossible(execution_.nextOf(self_)))
      advance(execution_.nextOf(self_));
  }
  void keep() {
    if (std::find(found_.begin(), found_.end(), order_) == found_.end()) found_.push_back(order_);
  }

  const Cut& cut_;
  const EventOrder& model_;
  const CompiledTrace code_;
  Execution execution_;
  std::vector<uint32_t> position_;
  const ThreadIndex self_;
  EventRef firstRead_ = kNoEvent;
  std::vector<uint32_t> cells_, objects_;
  EventOrder order_;
  std::vector<bool> stopped_;
  std::vector<EventOrder> found_;
};

} // namespace

EventOrder heldUntil(const SymbolicTrace& trace, const EventOrder& model, EventRef from, EventRef until,
                     EventRef last) {
  const CompiledTrace code(trace);
  Execution execution(code, Execution::Journal::kept);
  const ThreadIndex held = trace.threadOf(from);
  std::vector<bool> stopped(trace.threads.size());
  EventOrder order;
  auto advance = [&](EventRef ref) {
    const Event& event = trace.event(ref);
    const Execution::Step step = event.pending ? Execution::Step::impossible : execution.step(ref);
    const bool isDone = step == Execution::Step::done || (step == Execution::Step::offPath && ref == last);
    if (step == Execution::Step::offPath && !isDone) execution.undo(ref);
    if (isDone) order.push_back(ref);
    stopped[event.id.thread] = !isDone;
    return isDone;
  };
  for (EventRef ref : model) {
    const ThreadIndex thread = trace.threadOf(ref);
    if (stopped[thread] || (thread == held && ref >= from)) continue;
    if (!advance(ref) || ref != until) continue;
    if (last == kNoEvent) return order;
    for (EventRef own = from; own <= last; ++own)
      if (!advance(own)) return {};
    return order;
  }
  return {};
}

EventRef outermostLock(const SymbolicTrace& trace, EventRef last) {
  std::vector<EventRef> held;
  auto release = [&](uint32_t object) {
    for (size_t i = held.size(); i-- > 0;)
      if (trace.event(held[i]).object == object) return void(held.erase(held.begin() + ptrdiff_t(i)));
  };
  for (EventRef ref = trace.threads[trace.threadOf(last)].firstEvent; ref < last; ++ref) {
    const Event& event = trace.event(ref);
    switch (event.kind) {
    case EventKind::trylock:
    case EventKind::tryrdlock:
    case EventKind::trywrlock:
      if (event.outcome == 0) held.push_back(ref);
      break;
    case EventKind::lock:
    case EventKind::rdlock:
    case EventKind::wrlock: held.push_back(ref); break;
    case EventKind::unlock:
    case EventKind::rwunlock: release(event.object); break;
    case EventKind::waitBegin: release(event.mutex); break;
    default: break;
    }
  }
  return held.empty() ? last : held.front();
}

std::vector<EventOrder> turnedByHolding(const Cut& cut, const EventOrder& model) {
  return HoldingBack(cut, model).find();
}

} // namespace symbiosis
