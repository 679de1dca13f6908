// Theory. Strict orders of pairs, decided as Booleans, are a partial order if the graph of their edges and of what
// must be (program order, must-edges) has no circle. Z3's arithmetic would prove that with sums of integers; a
// graph that is kept acyclic edge by edge does it for the price of the edge, and a circle is its own explanation.
//
// Z3 does not report every literal: one that was made between two questions may stay unseen. So a model is looked
// at once more, and a circle in it becomes a clause.
//
// Z3 4.8.12: the C++ wrapper of the user propagator does not initialise it, so this uses the C functions; and it
// needs the simple solver, which the session has.
#include "constraints/cycle_theory.h"
#include <algorithm>

namespace symbiosis {

CycleTheory::CycleTheory(Z3Session& session, size_t nodes) : session_(session), graph_(nodes) {
  z3::params parameters(session.context());
  parameters.set("relevancy", 0u); // our literals are decided too
  parameters.set("auto_config",
                 false); // Z3's theories are chosen when ours comes, before any formula: all of them
  parameters.set("bv.eq_axioms", false); // redundant, and slow where values are compared a lot
  session.solver().set(parameters);
  Z3_context context = session.context();
  Z3_solver solver = session.solver();
  Z3_solver_propagate_init(
      context, solver, this, [](void* self) { static_cast<CycleTheory*>(self)->push(); },
      [](void* self, unsigned scopes) { static_cast<CycleTheory*>(self)->pop(scopes); },
      [](void* self, Z3_context) { return self; });
  Z3_solver_propagate_fixed(
      context, solver, [](void* self, Z3_solver_callback callback, unsigned id, Z3_ast value) {
        CycleTheory& theory = *static_cast<CycleTheory*>(self);
        theory.fixed(callback, id, Z3_get_bool_value(theory.session_.context(), value) == Z3_L_TRUE);
      });
  Z3_solver_propagate_final(context, solver, [](void*, Z3_solver_callback) {});
}

bool CycleTheory::require(Edge edge) {
  assert(fixed_.empty());
  const bool isAdded = graph_.add(edge.from, edge.to, AcyclicGraph::kNoLabel, labels_);
  requiredEdges_ = graph_.edges();
  return isAdded;
}

z3::expr CycleTheory::literal(Edge ifTrue, Edge ifFalse) {
  z3::expr literal = session_.literal("before");
  const unsigned id = Z3_solver_propagate_register(session_.context(), session_.solver(), literal);
  if (id >= literalOfId_.size()) literalOfId_.resize(id + 1, ~0u);
  literalOfId_[id] = uint32_t(literals_.size());
  literals_.push_back({ifTrue, ifFalse, literal, id});
  return literal;
}

void CycleTheory::pop(unsigned scopes) {
  const size_t length = scopes_[scopes_.size() - scopes];
  scopes_.resize(scopes_.size() - scopes);
  for (; fixed_.size() > length; fixed_.pop_back()) graph_.takeBack();
}

void CycleTheory::fixed(Z3_solver_callback callback, unsigned id, bool value) {
  const uint32_t number = literalOfId_[id];
  const Edge edge = value ? literals_[number].ifTrue : literals_[number].ifFalse;
  if (graph_.add(edge.from, edge.to, number, labels_)) return fixed_.push_back(edge);
  ids_.assign(1, id);
  for (uint32_t label : labels_) ids_.push_back(literals_[label].id);
  std::sort(ids_.begin() + 1, ids_.end());
  ids_.erase(std::unique(ids_.begin() + 1, ids_.end()), ids_.end());
  Z3_solver_propagate_consequence(session_.context(), callback, unsigned(ids_.size()), ids_.data(), 0, nullptr,
                                  nullptr, session_.truth(false));
}

bool CycleTheory::accept(const z3::model& model) {
  AcyclicGraph graph = graph_; // with what Z3 has left fixed
  while (graph.edges() > requiredEdges_) graph.takeBack();
  accepted_.clear();
  bool isOrder = true;
  auto value = [&](uint32_t number) { return model.eval(literals_[number].term, true).is_true(); };
  for (uint32_t number = 0; number < literals_.size(); ++number) {
    const Edge edge = value(number) ? literals_[number].ifTrue : literals_[number].ifFalse;
    accepted_.push_back(edge);
    if (graph.add(edge.from, edge.to, number, labels_)) continue;
    isOrder = false;
    labels_.push_back(number);
    z3::expr_vector one(session_.context());
    for (uint32_t label : labels_) one.push_back(value(label) ? !literals_[label].term : literals_[label].term);
    session_.require(z3::mk_or(one));
  }
  return isOrder;
}

} // namespace symbiosis
