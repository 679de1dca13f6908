#pragma once
// The order of events as SMT terms, program order and must-edges required (φ_mo). Whatever the must-order decides
// is a constant and costs the solver nothing. The order of other pairs is a comparison of integers, one for each
// event (§3.3, "order variables"), which is what can be written to a file; or a Boolean of its own, with a theory
// that watches over circles (cycle_theory.h), which is what can be solved.
//
// Formulas use `before` positively only, never negated. So two events may share a number: whatever breaks the
// tie, every `before` that holds in the model holds in the schedule.
//
// Where not everything is looked at (trace/trace_end.h), there is an end: what stands behind it does not happen,
// and a pending event that happens is what the schedule ends with.
#include "constraints/cycle_theory.h"
#include "constraints/must_order.h"
#include "constraints/sync_structure.h"
#include <map>
#include <unordered_map>

namespace symbiosis {

enum class OrderAs { integers, literals };

class OrderTerms {
public:
  OrderTerms(Z3Session& session, const SymbolicTrace& trace, const MustOrder& must, const SyncStructure& sync,
             OrderAs kind);

  // a happens before b.
  z3::expr before(EventRef a, EventRef b);
  // The same without what the must-order knows. Of integers only.
  z3::expr compare(EventRef a, EventRef b) const { return numbers_[a] < numbers_[b]; }
  const MustOrder& must() const { return must_; }
  // Whether the event happens; always, if everything is looked at.
  z3::expr happens(EventRef event);
  // The constraint holds if the event happens.
  void require(EventRef event, const z3::expr& constraint);
  // After sat. False: the model is no order, which it will not be again; ask again.
  bool accept(const z3::model& model) { return !theory_ || theory_->accept(model); }
  EventOrder orderIn(const z3::model& model) const;

private:
  using Node = AcyclicGraph::Node;

  void makeNumbers(const SyncStructure& sync);
  void makeGraph(const SyncStructure& sync);
  void findSections(const SyncStructure& sync);
  Node end() const { return Node(trace_.events.size()); }
  z3::expr literal(CycleTheory::Edge edge, CycleTheory::Edge otherwise);
  z3::expr pairLiteral(EventRef a, EventRef b);
  void onlyAfterWhatHappens(EventRef waiting, EventRef event, const z3::expr& before);
  EventOrder orderOfNumbers(const z3::model& model) const;
  EventOrder orderOfGraph(const z3::model& model) const;

  Z3Session& session_;
  const SymbolicTrace& trace_;
  const TraceEnd ending_;
  const MustOrder& must_;
  const OrderAs kind_;
  // Integers
  std::vector<z3::expr> numbers_; // by event
  z3::expr end_;                  // where not everything is looked at
  // Literals
  std::unique_ptr<CycleTheory> theory_;
  std::vector<CycleTheory::Edge> required_;
  struct Section : CriticalSection {
    size_t mutex = 0;
  };
  std::vector<Section> sections_;
  std::vector<std::vector<uint32_t>> sectionsOf_;   // by event
  std::unordered_map<uint64_t, z3::expr> literals_; // by the edge
  std::map<EventRef, z3::expr> proceeding_;         // by pending event: it happens
};

} // namespace symbiosis
