#pragma once
// Z3 behind one header: the only place that includes it. A session is one context with one incremental
// solver.
#include "constraints/call_watch.h"
#include <optional>
#include <z3++.h>

namespace symbiosis {

// What a part of a formula says, so that a contradiction can be put into words.
struct Fact {
  enum class Kind : uint8_t { condition, bug, read, object } kind = Kind::condition;
  uint32_t number = 0; // in SymbolicTrace: of the condition, of the bug condition's part, the event, the object
  auto operator<=>(const Fact&) const = default;
};

// More than Z3 could answer in any time that a user waits, and less than takes long to give back.
inline constexpr size_t kMostConstraints = 1'000'000;

// Bytes that Z3 has allocated in this process.
double z3MemoryInUse();

class Z3Session {
public:
  // `explains`: every constraint depends on a literal of the fact that `about` names, and a core is made of these.
  explicit Z3Session(bool explains = false);

  z3::context& context() { return context_; }
  z3::solver& solver() { return solver_; } // for theories
  // Throws LimitReached when there are too many.
  void require(const z3::expr& constraint);
  bool explains() const { return explains_; }
  // What the constraints up to the next call are about; nothing: they are beyond doubt. No effect unless it
  // explains.
  void about(std::optional<Fact> fact);
  const std::vector<std::pair<Fact, z3::expr>>& facts() const { return facts_; }
  // A fresh Boolean constant.
  z3::expr literal(const char* prefix);
  z3::expr truth(bool value) { return context_.bool_val(value); }

  // Satisfiable under the assumptions? A watching thread interrupts Z3 when a limit is reached: Z3's own
  // time-out is only looked at between its phases. Throws LimitReached when stopped by the watch.
  z3::check_result check(const z3::expr_vector& assumptions, const CallWatch& watch);
  // All that is required, and the assumptions, as SMT-LIB 2.
  std::string smtLib(const z3::expr_vector& assumptions);
  z3::model model() const { return solver_.get_model(); }
  z3::expr_vector core() const { return solver_.unsat_core(); }
  std::string reasonUnknown() const { return solver_.reason_unknown(); }

  size_t constraints() const { return constraints_; }
  size_t variables() const { return variables_; }
  void countVariable() { ++variables_; }

private:
  const bool explains_;
  z3::context context_;
  z3::solver solver_;
  size_t constraints_ = 0, variables_ = 0;
  std::vector<std::pair<Fact, z3::expr>> facts_;
  std::optional<z3::expr> about_; // literal of the fact that is being told
};

} // namespace symbiosis
