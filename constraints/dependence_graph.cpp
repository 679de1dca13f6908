// Theory (SimTrace §3, Definitions 4 and 6, Algorithms 1 and 2). Two events *depend* on each other if one thread
// does both, if they touch one cell and at least one writes it, or if they work on one object of synchronisation.
// Whatever keeps the order of all that depend on each other is equivalent to the schedule (Theorem 1). Events are
// put together in *nodes*: an event with a dependence on another thread begins one, the thread's next events up to
// the next such one belong to it. A node and the next one of its thread become one if no path leads from the first
// to the second through others. The fewer nodes are left, the fewer switches (Theorem 2).
//
// The paper looks for such a path in the whole graph, which makes it quadratic. We keep a topological order of the
// nodes, as a list of positions. A path from A to B can only lead through nodes that stand between them; so what
// is looked at for all pairs of neighbours of one thread is each node once, and for all threads each node once per
// thread. Where there is no path, the nodes between A and B that lead to B go before both and those that A leads
// to go behind, in the positions that they had together (Pearce and Kelly's way to keep an order when edges are
// added). A pair that cannot become one never can later: contraction only adds paths. So one pass is enough.
//
// Which pairs are asked about first matters (the paper's Fig. 1: b1 with b2 costs four switches, a and c first
// only three), and the best order is NP-hard to find. So we pass several times: from the front, from the back,
// each thread first, and shuffled, and take the best.
#include "constraints/dependence_graph.h"
#include "constraints/call_watch.h"
#include "constraints/sync_structure.h"
#include "trace/evaluated_schedule.h"
#include "trace/trace_end.h"
#include <algorithm>
#include <random>

namespace symbiosis {
namespace {

// --- what depends on what, between threads ---

// What must stand behind the failure: in a failing schedule, tail events that leave the path there; where it does
// not fail, or fails early, all that stands behind it.
std::vector<bool> behindFailure(const SymbolicTrace& trace, const EvaluatedSchedule& schedule) {
  std::vector<bool> behind(trace.events.size(), schedule.outcome() != Outcome::failing);
  for (const Condition& condition : trace.conditions)
    if (schedule.value(condition.expr) == 0) behind[condition.after] = true;
  return behind;
}

// The failure stands behind what completed before it, and before what must stand behind it; whatever waits for
// ever stands behind everything that completed.
void addEnd(const SymbolicTrace& trace, const EvaluatedSchedule& schedule, std::vector<OrderEdge>& edges) {
  const TraceEnd ending(trace);
  const std::vector<bool> staysBehind = behindFailure(trace, schedule);
  const bool fails = schedule.outcome() == Outcome::failing;
  for (EventRef last : ending.last())
    for (ThreadIndex thread = 0; thread < trace.threads.size(); ++thread) {
      const TraceThread& events = trace.threads[thread];
      if (thread == trace.threadOf(last)) continue;
      EventRef before = kNoEvent, behind = kNoEvent;
      for (EventRef ref = events.firstEvent; ref < events.firstEvent + events.eventCount; ++ref) {
        if (schedule.isBefore(ref, last)) {
          if (!fails || ending.isCompleted(ref)) before = ref;
        } else if (behind == kNoEvent && staysBehind[ref] && !trace.event(ref).pending)
          behind = ref;
      }
      if (before != kNoEvent) edges.push_back({before, last});
      if (behind != kNoEvent) edges.push_back({last, behind});
    }
}

std::vector<OrderEdge> dependences(const SymbolicTrace& trace, const EvaluatedSchedule& schedule) {
  std::vector<OrderEdge> edges = candidateEdges(trace, schedule.order());
  for (const OrderEdge& edge : allMust(analyseSync(trace))) edges.push_back(edge);
  addEnd(trace, schedule, edges);
  return edges;
}

// --- the graph ---

using NodeRef = uint32_t;

class DependenceGraph {
public:
  DependenceGraph(const SymbolicTrace& trace, const EventOrder& order, const std::vector<OrderEdge>& edges)
      : trace_(trace), nodeOf_(trace.events.size(), kNone) {
    makeNodes(order, edges);
    out_.resize(nodes_.size());
    in_.resize(nodes_.size());
    seen_.resize(nodes_.size(), 0);
    for (const OrderEdge& edge : edges) link(nodeOf_[edge.before], nodeOf_[edge.after]);
    for (NodeRef later : laterOfThread_) link(nodeOf_[nodes_[later].first - 1], later);
  }

  // Nodes with an earlier one of their thread, in the order of the schedule: each is a pair of neighbours to ask
  // about.
  const std::vector<NodeRef>& laterOfThread() const { return laterOfThread_; }
  ThreadIndex threadOf(NodeRef node) const { return trace_.threadOf(nodes_[node].first); }

  // Makes the node and the one before it in its thread one, if that closes no circle.
  bool merge(NodeRef later) {
    const NodeRef b = find(later), a = find(nodeOf_[nodes_[later].first - 1]);
    std::vector<NodeRef> behind, ahead;
    if (!collectBehind(a, b, behind)) return false;
    collectAhead(a, b, ahead);
    giveWay(a, b, ahead, behind);
    contract(a, b);
    return true;
  }

  EventOrder order() {
    std::vector<NodeRef> alive;
    for (NodeRef node = 0; node < nodes_.size(); ++node)
      if (find(node) == node) alive.push_back(node);
    std::sort(alive.begin(), alive.end(), [&](NodeRef x, NodeRef y) { return isBefore(x, y); });
    EventOrder order;
    order.reserve(trace_.events.size());
    for (NodeRef node : alive)
      for (uint32_t i = 0; i < nodes_[node].count; ++i) order.push_back(nodes_[node].first + i);
    return order;
  }

private:
  struct Node {
    EventRef first = 0;
    uint32_t count = 0;
    uint32_t position = 0; // in the topological order; no two are the same
    NodeRef into = 0;      // the node that it is a part of now; its own number: itself
  };

  // In the order of their first events, which is topological: an edge leads to the first event of a node.
  void makeNodes(const EventOrder& order, const std::vector<OrderEdge>& edges) {
    std::vector<bool> begins(trace_.events.size(), false);
    for (const OrderEdge& edge : edges) begins[edge.after] = true;
    for (const TraceThread& thread : trace_.threads)
      if (thread.eventCount > 0) begins[thread.firstEvent] = true;
    for (EventRef event : order) {
      if (begins[event]) {
        const NodeRef node = NodeRef(nodes_.size());
        if (event != trace_.threads[trace_.threadOf(event)].firstEvent) laterOfThread_.push_back(node);
        nodes_.push_back({event, 0, node, node});
        nodeOf_[event] = node;
      } else {
        nodeOf_[event] = nodeOf_[event - 1];
      }
      ++nodes_[nodeOf_[event]].count;
    }
  }
  void link(NodeRef from, NodeRef to) {
    out_[from].push_back(to);
    in_[to].push_back(from);
  }
  NodeRef find(NodeRef node) {
    while (nodes_[node].into != node) node = nodes_[node].into = nodes_[nodes_[node].into].into;
    return node;
  }
  bool isBefore(NodeRef x, NodeRef y) const { return nodes_[x].position < nodes_[y].position; }

  // What `a` leads to in front of `b`. False: it leads to `b` through others.
  bool collectBehind(NodeRef a, NodeRef b, std::vector<NodeRef>& found) {
    ++look_;
    seen_[a] = look_;
    for (size_t at = 0; at <= found.size(); ++at) {
      const NodeRef from = at == 0 ? a : found[at - 1];
      for (NodeRef to : out_[from]) {
        const NodeRef node = find(to);
        if (node == b && from != a) return false;
        if (seen_[node] == look_ || !isBefore(node, b)) continue;
        seen_[node] = look_;
        found.push_back(node);
      }
    }
    return true;
  }
  // What leads to `b` and stands behind `a`.
  void collectAhead(NodeRef a, NodeRef b, std::vector<NodeRef>& found) {
    ++look_;
    seen_[b] = look_;
    for (size_t at = 0; at <= found.size(); ++at)
      for (NodeRef from : in_[at == 0 ? b : found[at - 1]]) {
        const NodeRef node = find(from);
        if (seen_[node] == look_ || !isBefore(a, node)) continue;
        seen_[node] = look_;
        found.push_back(node);
      }
  }
  // `ahead`, then both, then `behind`, in the positions that all of them had.
  void giveWay(NodeRef a, NodeRef b, std::vector<NodeRef>& ahead, std::vector<NodeRef>& behind) {
    auto earlier = [&](NodeRef x, NodeRef y) { return isBefore(x, y); };
    std::sort(ahead.begin(), ahead.end(), earlier);
    std::sort(behind.begin(), behind.end(), earlier);
    std::vector<NodeRef> wanted = std::move(ahead);
    wanted.insert(wanted.end(), {a, b});
    wanted.insert(wanted.end(), behind.begin(), behind.end());
    std::vector<uint32_t> positions;
    for (NodeRef node : wanted) positions.push_back(nodes_[node].position);
    std::sort(positions.begin(), positions.end());
    for (size_t i = 0; i < wanted.size(); ++i) nodes_[wanted[i]].position = positions[i];
  }
  // The node with more edges takes those of the other.
  void contract(NodeRef a, NodeRef b) {
    const bool intoA = out_[a].size() + in_[a].size() >= out_[b].size() + in_[b].size();
    const NodeRef kept = intoA ? a : b, gone = intoA ? b : a;
    nodes_[kept].first = nodes_[a].first;
    nodes_[kept].count = nodes_[a].count + nodes_[b].count;
    nodes_[gone].into = kept;
    for (std::vector<NodeRef>* edges : {&out_[gone], &in_[gone]}) {
      std::vector<NodeRef>& target = edges == &out_[gone] ? out_[kept] : in_[kept];
      target.insert(target.end(), edges->begin(), edges->end());
      *edges = {};
    }
  }

  const SymbolicTrace& trace_;
  std::vector<Node> nodes_;
  std::vector<NodeRef> nodeOf_;        // by event: the node in which it began
  std::vector<NodeRef> laterOfThread_; // see above
  std::vector<std::vector<NodeRef>> out_, in_;
  std::vector<uint32_t> seen_; // by node: the look that came by last
  uint32_t look_ = 0;
};

// --- in which order pairs are asked about ---

// Pass 0 goes from the front, 1 from the back, then each thread is asked first, in turn; others are shuffled.
std::vector<NodeRef> pairsOfPass(const DependenceGraph& graph, size_t pass, size_t threads) {
  std::vector<NodeRef> pairs = graph.laterOfThread();
  if (pass == 1) std::reverse(pairs.begin(), pairs.end());
  if (pass >= 2 && pass < 2 + threads)
    std::stable_partition(pairs.begin(), pairs.end(),
                          [&](NodeRef node) { return graph.threadOf(node) == pass - 2; });
  if (pass >= 2 + threads) {
    std::mt19937 random{uint32_t(pass)};
    std::shuffle(pairs.begin(), pairs.end(), random);
  }
  return pairs;
}

size_t passesFor(size_t pairs, size_t threads) {
  constexpr size_t kMostPairs = 2'000'000, kShuffled = 8;
  return std::clamp<size_t>(kMostPairs / (pairs + 1), 2, 2 + threads + kShuffled);
}

} // namespace

EventOrder mergeSegments(const SymbolicTrace& trace, const EventOrder& order, SolverLimits limits) {
  const CallWatch watch(limits);
  const EvaluatedSchedule schedule(trace, order);
  const bool isLookedAt = TraceEnd(trace).looksAtEverything() || schedule.outcome() == Outcome::failing;
  if (!schedule.isFeasible() || !isLookedAt) return order;
  const DependenceGraph graph(trace, order, dependences(trace, schedule));
  const size_t passes = passesFor(graph.laterOfThread().size(), trace.threads.size());
  EventOrder best = order;
  for (size_t pass = 0; pass < passes && !watch.expired(); ++pass) {
    DependenceGraph merged = graph;
    for (NodeRef later : pairsOfPass(graph, pass, trace.threads.size())) merged.merge(later);
    EventOrder found = merged.order();
    if (contextSwitches(trace, found) < contextSwitches(trace, best)) best = std::move(found);
  }
  return best;
}

} // namespace symbiosis
