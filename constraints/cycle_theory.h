#pragma once
// Z3 decides the order of pairs of events as plain Booleans; this theory watches that together they are an order.
// A literal stands for an edge of a graph if it is true and for another one if it is false; the moment that the
// edges close a circle, Z3 is told which literals cannot all be so.
#include "constraints/acyclic_graph.h"
#include "constraints/z3_session.h"

namespace symbiosis {

class CycleTheory {
public:
  struct Edge {
    AcyclicGraph::Node from = 0, to = 0;
    bool operator==(const Edge&) const = default;
  };

  // The session must not have been asked anything yet.
  CycleTheory(Z3Session& session, size_t nodes);
  CycleTheory(const CycleTheory&) = delete;
  CycleTheory& operator=(const CycleTheory&) = delete;

  // An edge that is always there. False: it closes a circle.
  bool require(Edge edge);
  z3::expr literal(Edge ifTrue, Edge ifFalse);
  // After sat: takes the edges of the model. False: they close circles, which from now on are forbidden; ask
  // again.
  bool accept(const z3::model& model);
  // Those that were accepted last.
  const std::vector<Edge>& edges() const { return accepted_; }

private:
  void push() { scopes_.push_back(fixed_.size()); }
  void pop(unsigned scopes);
  void fixed(Z3_solver_callback callback, unsigned id, bool value);

  struct Literal {
    Edge ifTrue, ifFalse;
    z3::expr term;
    unsigned id = 0; // Z3's, in callbacks
  };

  Z3Session& session_;
  AcyclicGraph graph_;
  size_t requiredEdges_ = 0;
  std::vector<Literal> literals_;
  std::vector<uint32_t> literalOfId_;
  std::vector<Edge> fixed_; // in the graph now
  std::vector<size_t> scopes_;
  std::vector<Edge> accepted_;
  std::vector<uint32_t> labels_; // scratch
  std::vector<unsigned> ids_;    // scratch
};

} // namespace symbiosis
