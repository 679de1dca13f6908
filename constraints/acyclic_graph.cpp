#include "constraints/acyclic_graph.h"
#include <algorithm>
#include <numeric>

namespace symbiosis {

AcyclicGraph::AcyclicGraph(size_t nodes)
    : out_(nodes), in_(nodes), rank_(nodes), seen_(nodes, false), cameBy_(nodes) {
  std::iota(rank_.begin(), rank_.end(), 0u);
}

// Leaves the nodes that it met in forward_.
bool AcyclicGraph::reaches(Node from, Node to, std::vector<uint32_t>& labels) {
  forward_.assign(1, from);
  stack_.assign(1, from);
  seen_[from] = true;
  bool found = from == to;
  while (!found && !stack_.empty()) {
    const Node node = stack_.back();
    stack_.pop_back();
    for (const Edge& edge : out_[node]) {
      if (seen_[edge.node] || rank_[edge.node] > rank_[to]) continue;
      seen_[edge.node] = true;
      forward_.push_back(edge.node);
      cameBy_[edge.node] = {node, edge.label};
      stack_.push_back(edge.node);
      found = found || edge.node == to;
    }
  }
  for (Node node : forward_) seen_[node] = false;
  if (!found) return false;
  labels.clear();
  for (Node node = to; node != from; node = cameBy_[node].node)
    if (cameBy_[node].label != kNoLabel) labels.push_back(cameBy_[node].label);
  return true;
}

// What reaches `from` comes before what `to` reaches (forward_), on the ranks that both had.
void AcyclicGraph::reorder(Node from, Node to) {
  backward_.assign(1, from);
  seen_[from] = true;
  for (size_t i = 0; i < backward_.size(); ++i)
    for (Node node : in_[backward_[i]])
      if (!seen_[node] && rank_[node] > rank_[to]) {
        seen_[node] = true;
        backward_.push_back(node);
      }
  for (Node node : backward_) seen_[node] = false;
  auto byRank = [&](Node a, Node b) { return rank_[a] < rank_[b]; };
  std::sort(backward_.begin(), backward_.end(), byRank);
  std::sort(forward_.begin(), forward_.end(), byRank);
  ranks_.clear();
  backward_.insert(backward_.end(), forward_.begin(), forward_.end());
  for (Node node : backward_) ranks_.push_back(rank_[node]);
  std::sort(ranks_.begin(), ranks_.end());
  for (size_t i = 0; i < backward_.size(); ++i) rank_[backward_[i]] = ranks_[i];
}

bool AcyclicGraph::add(Node from, Node to, uint32_t label, std::vector<uint32_t>& labels) {
  if (rank_[from] >= rank_[to]) {
    if (reaches(to, from, labels)) return false;
    reorder(from, to);
  }
  out_[from].push_back({to, label});
  in_[to].push_back(from);
  trail_.emplace_back(from, to);
  return true;
}

// Ranks stay: they suit fewer edges as well.
void AcyclicGraph::takeBack() {
  out_[trail_.back().first].pop_back();
  in_[trail_.back().second].pop_back();
  trail_.pop_back();
}

} // namespace symbiosis
