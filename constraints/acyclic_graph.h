#pragma once
// A directed graph that stays acyclic, edge by edge (Pearce and Kelly 2006): every node has a rank, edges go from
// lower to higher ranks, and a new edge that does not makes only the nodes between its ends change theirs.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace symbiosis {

class AcyclicGraph {
public:
  using Node = uint32_t;
  static constexpr uint32_t kNoLabel = ~0u;

  explicit AcyclicGraph(size_t nodes);

  // Adds the edge, or, if it would close a circle, leaves the graph as it is and returns false; then `labels` are
  // those of the edges on a path from `to` to `from`.
  bool add(Node from, Node to, uint32_t label, std::vector<uint32_t>& labels);
  // Takes back the latest edge that was added.
  void takeBack();
  // Whether there is room to take back: edges added since the graph was made.
  size_t edges() const { return trail_.size(); }

private:
  struct Edge {
    Node node = 0;
    uint32_t label = kNoLabel;
  };

  bool reaches(Node from, Node to, std::vector<uint32_t>& labels);
  void reorder(Node from, Node to);

  std::vector<std::vector<Edge>> out_;
  std::vector<std::vector<Node>> in_;
  std::vector<uint32_t> rank_;
  std::vector<std::pair<Node, Node>> trail_;
  // Scratch
  std::vector<bool> seen_;
  std::vector<Edge> cameBy_; // by node: from where, and the label
  std::vector<Node> forward_, backward_, stack_;
  std::vector<uint32_t> ranks_;
};

} // namespace symbiosis
