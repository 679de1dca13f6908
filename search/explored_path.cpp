#include "search/explored_path.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace symbiosis {

uint32_t markOf(const SymbolicTrace& trace, const Decision& decision) {
  return decision.condition == kNone ? trace.event(decision.event).mark
                                     : trace.conditions[decision.condition].mark;
}

ExploredPath makePath(WalkedRun run, ControlReport report, RunOutcome outcome, size_t number) {
  ExploredPath path{.run = std::move(run),
                    .report = std::move(report),
                    .outcome = outcome,
                    .number = number,
                    .decisions = {},
                    .deciding = {}};
  for (ThreadLog& log : path.run.recording.threads) log.path = {}, log.values = {};
  for (ThreadIndex thread = 0; thread < path.run.trace.threads.size(); ++thread) {
    path.decisions.push_back(allDecisions(path.run.trace, thread));
    std::vector<EventRef>& events = path.deciding.emplace_back();
    for (const Decision& decision : path.decisions.back())
      if (events.empty() || events.back() != decision.event) events.push_back(decision.event);
  }
  return path;
}

std::string placeText(const SymbolicTrace& trace, uint32_t location) {
  if (location == kNone) return "";
  const SourceLocation& at = trace.locations[location];
  return fmt::format("{}:{}", std::filesystem::path(at.file).filename().string(), at.line);
}

ThreadIndex threadNamed(const SymbolicTrace& trace, const std::string& id) {
  for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread)
    if (trace.threads[thread].id == id) return thread;
  return kNone;
}

uint32_t partingOf(const ExploredPath& path, const ExploredPath& other, ThreadIndex thread) {
  const ThreadIndex there = threadNamed(other.run.trace, path.run.trace.threads[thread].id);
  if (there == kNone) return 0;
  const std::vector<uint64_t>&own = path.run.trace.threads[thread].marks,
        &its = other.run.trace.threads[there].marks;
  const auto [a, b] = std::mismatch(own.begin(), own.end(), its.begin(), its.end());
  return a == own.end() && b == its.end() ? kNeverParts : uint32_t(a - own.begin());
}

size_t commonDecidingEvents(const ExploredPath& path, const ExploredPath& other, ThreadIndex thread) {
  const uint32_t parting = partingOf(path, other, thread);
  const std::vector<EventRef>& events = path.deciding[thread];
  size_t common = events.size();
  for (const Decision& decision : path.decisions[thread])
    if (markOf(path.run.trace, decision) >= parting) {
      common = size_t(std::lower_bound(events.begin(), events.end(), decision.event) - events.begin());
      break;
    }
  return common;
}

const Parting& Partings::of(const ExploredPath& path, const ExploredPath& other) {
  const auto [known, isNew] = known_.try_emplace({path.number, other.number});
  for (ThreadIndex thread = 0; isNew && thread < path.deciding.size(); ++thread) {
    known->second.marks.push_back(partingOf(path, other, thread));
    known->second.common.push_back(commonDecidingEvents(path, other, thread));
  }
  return known->second;
}

namespace {

// Copies an expression from one trace to another.
class Translation {
public:
  Translation(const SymbolicTrace& from, SymbolicTrace& to) : from_(from), to_(to) {}

  ExprId of(ExprId expr) {
    if (auto known = done_.find(expr); known != done_.end()) return known->second;
    return done_[expr] = make(from_.exprs.node(expr));
  }

private:
  ExprId make(const ExprNode& node) {
    if (node.op == ExprOp::constant) return to_.exprs.constant(node.value, node.width);
    if (node.op == ExprOp::symbol) return symbolLike(uint32_t(node.value), node.width);
    const ExprId a = of(node.a);
    const ExprId b = node.b == kNoExpr ? kNoExpr : of(node.b), c = node.c == kNoExpr ? kNoExpr : of(node.c);
    if (a == kNoExpr || (node.b != kNoExpr && b == kNoExpr) || (node.c != kNoExpr && c == kNoExpr)) return kNoExpr;
    switch (node.op) {
    case ExprOp::ite: return to_.exprs.ite(a, b, c);
    case ExprOp::zext: return to_.exprs.zext(a, node.width);
    case ExprOp::sext: return to_.exprs.sext(a, node.width);
    case ExprOp::extract: return to_.exprs.extract(a, node.low, node.width);
    case ExprOp::concat: return to_.exprs.concat(a, b);
    case ExprOp::fma: return to_.exprs.fusedMultiplyAdd(a, b, c);
    default: break;
    }
    if (node.b == kNoExpr) return to_.exprs.unaryFloat(node.op, a, node.width, node.low);
    return to_.exprs.binary(node.op, a, b);
  }

  // Of the same read, by thread, point and place.
  ExprId symbolLike(uint32_t symbol, unsigned width) {
    const EventRef read = from_.symbols[symbol].event;
    if (read == kNoEvent) return kNoExpr;
    const Event& event = from_.event(read);
    const ThreadIndex thread = threadNamed(to_, from_.threads[event.id.thread].id);
    if (thread == kNone) return kNoExpr;
    const Part* mine = nullptr;
    for (const Part& part : from_.partsOf(read))
      if (part.symbol == symbol) mine = &part;
    const TraceThread& there = to_.threads[thread];
    for (EventRef ref = there.firstEvent; mine && ref < there.firstEvent + there.eventCount; ++ref) {
      if (to_.event(ref).id.index != event.id.index) continue;
      for (const Part& part : to_.partsOf(ref))
        if (part.symbol != kNone && isSamePlace(*mine, part)) return to_.exprs.symbol(part.symbol, width);
    }
    return kNoExpr;
  }
  bool isSamePlace(const Part& mine, const Part& its) const {
    const Cell &a = from_.cells[mine.cell], &b = to_.cells[its.cell];
    return a.offset == b.offset && a.size == b.size && a.isLife == b.isLife &&
           from_.objects[a.object].id == to_.objects[b.object].id;
  }

  const SymbolicTrace& from_;
  SymbolicTrace& to_;
  std::map<ExprId, ExprId> done_;
};

} // namespace

ExprId translated(const SymbolicTrace& from, ExprId expr, SymbolicTrace& to) {
  return Translation(from, to).of(expr);
}

} // namespace symbiosis
