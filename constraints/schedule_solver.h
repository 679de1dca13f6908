#pragma once
// The room `constraints`: turns a symbolic trace into formulas and formulas into verdicts (Symbiosis §3.3–3.5,
// §3.7). It promises three-valued answers: a schedule that has been evaluated, a proof that none exists, or
// `unknown` with the reason; Z3 is seen nowhere outside this folder.
#include "trace/evaluator.h"
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace symbiosis {

// `before` happens before `after`; they belong to different threads.
struct OrderEdge {
  EventRef before = kNoEvent, after = kNoEvent;
  auto operator<=>(const OrderEdge&) const = default;
};

// Whether the order has every edge the right way round.
bool respects(const EventOrder& order, std::span<const OrderEdge> edges);

struct SolverLimits {
  double seconds = 60; // for one call, kept by our own watch; Z3's own time-out overshoots
  double memoryGb = 8;
  // For all calls together: none goes on behind it.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// How Z3 is told about orders.
enum class Encoding {
  order, // a Boolean for each pair of events whose order matters; integers where it is written to a file
  paper, // one integer per event, the formulas of §3.3 as they are printed; the reference
};

enum class Engines {
  all,    // short searches first, then searches and Z3 side by side
  search, // searches alone
  solver, // Z3 alone
};

struct SolverOptions {
  SolverLimits limits;
  Encoding encoding = Encoding::order;
  Engines engines = Engines::all;
};

struct SolverStats {
  size_t constraints = 0, variables = 0; // of the largest formula built
  size_t calls = 0;                      // of the solver
  size_t searches = 0;                   // questions that a forward search answered
};

enum class Answer { sat, unsat, unknown };

struct ScheduleAnswer {
  Answer answer = Answer::unknown;
  EventOrder order;         // sat: a schedule that the evaluator has confirmed
  std::vector<size_t> core; // unsat: positions in the edges asked for that suffice for the contradiction
  std::string reason;       // unknown: what stopped us, in the user's words; unsat: may say more
};

class ScheduleSolver {
public:
  explicit ScheduleSolver(const SymbolicTrace& trace, SolverLimits limits = {});
  ScheduleSolver(const SymbolicTrace& trace, const SolverOptions& options);
  ~ScheduleSolver();
  ScheduleSolver(const ScheduleSolver&) = delete;
  ScheduleSolver& operator=(const ScheduleSolver&) = delete;

  // Φ_fail = φ_path ∧ φ_bug ∧ φ_sync ∧ φ_rw ∧ φ_mo (§3.3) ∧ edges: outcome `failing`.
  ScheduleAnswer failing(std::span<const OrderEdge> edges = {});
  // φ_path ∧ ¬φ_bug ∧ φ_sync ∧ φ_rw ∧ φ_mo ∧ edges: outcome `passing`. With the edges of the failing schedule this
  // is Φ_root (§3.4), with one of them inverted Φ_alt (§3.5), without edges "is there any passing schedule".
  // The core may be all edges.
  ScheduleAnswer passing(std::span<const OrderEdge> edges);
  // Passing schedules are looked for near this one first.
  void guideBy(const EventOrder& order);

  // Of the limits: when the last question ends. A caller that asks several kinds may share the time out.
  using Deadline = std::chrono::steady_clock::time_point;
  Deadline deadline() const;
  void setDeadline(Deadline deadline);

  const SolverStats& stats() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct SolverQuery {
  Goal goal = Goal::failing;
  std::vector<OrderEdge> edges; // as for ScheduleSolver::passing
  Encoding encoding = Encoding::order;
};
// The question as SMT-LIB 2: Φ_fail, Φ_root, Φ_alt. Error if a limit is reached.
Result<std::string> toSmtLib(const SymbolicTrace& trace, const SolverQuery& query, SolverLimits limits = {});

// The candidate edges of a schedule, φ_fsch over conflicting events only: ordered pairs of events of different
// threads that touch the same cell, at least one writing it, or the same sync object, in the order of `order`.
// Transitive pairs are left out where program order and the remaining pairs imply them.
std::vector<OrderEdge> candidateEdges(const SymbolicTrace& trace, const EventOrder& order);

// Context-switch reduction (§3.7, SimTrace, Tinertia): a schedule with the same outcome and at most as many
// switches.
EventOrder reduceContextSwitches(const SymbolicTrace& trace, const EventOrder& order, SolverLimits limits = {});

} // namespace symbiosis
