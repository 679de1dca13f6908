#pragma once
// Φ: the formula whose models are the schedules of a trace (§3.3, §3.4), built once and asked many times.
// What differs between questions (fails or passes, which edges) are assumptions, so that Z3 keeps what it has
// learnt.
#include "constraints/expr_terms.h"
#include "constraints/forward_search.h"
#include "constraints/order_terms.h"
#include "constraints/sync_structure.h"
#include <map>

namespace symbiosis {

struct FormulaOptions {
  Encoding encoding = Encoding::order;
  OrderAs orders = OrderAs::literals;
  FloatsAs floats = FloatsAs::functions;
  std::span<const OrderEdge> given = {}; // orderings that every schedule in question has
  bool explains = false;                 // knows what it says: see checkFacts
};

// About how many constraints a formula of the whole trace would need, were nothing known beforehand.
double estimatedConstraints(const SymbolicTrace& trace);

class ScheduleFormula {
public:
  // Throws LimitReached, z3::exception.
  ScheduleFormula(const SymbolicTrace& trace, const FormulaOptions& options, const CallWatch& watch);

  // φ_path ∧ φ_sync ∧ φ_rw ∧ φ_mo, the goal and the edges. Throws like the constructor.
  z3::check_result check(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch);

  // Of one that explains: all its facts, whether some contradict each other, and after unsat those that do.
  std::vector<Fact> facts() const;
  z3::check_result checkFacts(Goal goal, std::span<const Fact> facts, const CallWatch& watch);
  std::vector<Fact> factsOfCore() const;
  // The question as SMT-LIB 2, with (check-sat).
  std::string smtLib(Goal goal, std::span<const OrderEdge> edges);
  // After sat.
  EventOrder order() const { return order_.orderIn(session_.model()); }
  // After unsat: positions in the edges of the last check.
  std::vector<size_t> core() const;
  // After unknown.
  std::string reasonUnknown() const { return session_.reasonUnknown(); }
  // Why no schedule exists whatever the goal, where that was seen without solving; otherwise empty.
  const std::string& contradiction() const { return sync_.contradiction; }

  size_t constraints() const { return session_.constraints(); }
  size_t variables() const { return session_.variables(); }

private:
  z3::check_result checkAssuming(const z3::expr_vector& assumptions, const CallWatch& watch);
  void encode(Encoding encoding, const CallWatch& watch);
  void encodeCheck();
  void encodeWaiting(const z3::expr& allWait);
  z3::expr symbolTerm(uint32_t symbol);
  z3::expr holdsWhereItCounts(const Condition& condition);
  z3::expr failureIsLast();
  z3::expr literalOf(const OrderEdge& edge);

  const SymbolicTrace& trace_;
  const TraceEnd ending_;
  SyncStructure sync_;
  MustOrder must_;
  Z3Session session_;
  OrderTerms order_;
  std::vector<uint8_t> symbolWidths_; // of the cell that it is read from; 0: an initial value
  ExprTerms terms_;
  z3::expr fails_, passes_;                // literals
  std::map<OrderEdge, z3::expr> literals_; // of the edges asked for so far
  std::map<unsigned, size_t> asked_;       // literal -> position in the edges of the last check
};

} // namespace symbiosis
