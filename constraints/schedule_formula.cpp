#include "constraints/schedule_formula.h"
#include "constraints/memory_encoding.h"
#include "constraints/paper_encoding.h"
#include "constraints/sync_encoding.h"
#include <algorithm>
#include <set>

namespace symbiosis {

static std::vector<uint8_t> widthsOfSymbols(const SymbolicTrace& trace) {
  std::vector<uint8_t> widths(trace.symbols.size(), 0);
  for (const Part& part : trace.parts)
    if (part.symbol != kNone) widths[part.symbol] = uint8_t(trace.cells[part.cell].size * 8);
  return widths;
}

double estimatedConstraints(const SymbolicTrace& trace) {
  struct Use {
    double reads = 0, writes = 0;
  };
  std::vector<Use> cells(trace.cells.size());
  for (const Part& part : trace.parts) {
    cells[part.cell].reads += part.symbol != kNone;
    cells[part.cell].writes += part.written != kNoExpr;
  }
  const std::vector<bool> relevant = findRelevance(CompiledTrace(trace)).cells;
  double total = double(trace.conditions.size());
  for (size_t i = 0; i < cells.size(); ++i)
    if (relevant[i]) total += cells[i].reads * cells[i].writes;
  for (const MutexUse& use : analyseSync(trace).mutexes) {
    const double sections = double(use.sections.size());
    total += sections * sections / 2;
  }
  return total;
}

static SyncStructure syncWith(const SymbolicTrace& trace, std::span<const OrderEdge> given) {
  SyncStructure sync = analyseSync(trace);
  sync.must.insert(sync.must.end(), given.begin(), given.end());
  return sync;
}

ScheduleFormula::ScheduleFormula(const SymbolicTrace& trace, const FormulaOptions& options, const CallWatch& watch)
    : trace_(trace), ending_(trace), sync_(syncWith(trace, options.given)), must_(trace, sync_.must),
      session_(options.explains), order_(session_, trace, must_, sync_, options.orders),
      symbolWidths_(widthsOfSymbols(trace)),
      terms_(
          session_.context(), trace.exprs, [this](uint32_t symbol) { return symbolTerm(symbol); }, options.floats),
      fails_(session_.literal("fails")), passes_(session_.literal("passes")) {
  encode(options.encoding, watch);
}

void ScheduleFormula::encode(Encoding encoding, const CallWatch& watch) {
  if (sync_.contradiction.empty() && !must_.isAcyclic())
    sync_.contradiction = "thread creation, joins and locks wait for each other in a circle";
  if (!sync_.contradiction.empty()) return session_.require(session_.truth(false));
  for (uint32_t i = 0; i < trace_.conditions.size(); ++i) { // φ_path
    watch.check();
    session_.about(Fact{Fact::Kind::condition, i});
    session_.require(holdsWhereItCounts(trace_.conditions[i]));
  }
  session_.about({});
  const z3::expr allWait = encodeSync(session_, order_, trace_, sync_, encoding, watch);
  if (encoding == Encoding::paper)
    encodePaperMemory(session_, order_, terms_, trace_, watch);
  else
    encodeMemory(session_, order_, terms_, trace_, findRelevance(CompiledTrace(trace_)).cells, watch);
  switch (ending_.kind()) {
  case TraceEndKind::check: return encodeCheck();
  case TraceEndKind::waiting: return encodeWaiting(allWait);
  }
}

// Fails: the bug condition holds, behind all that completed. Passes: it does not hold.
void ScheduleFormula::encodeCheck() {
  session_.require(z3::implies(fails_, failureIsLast()));
  z3::expr_vector spared(session_.context());
  for (uint32_t i = 0; i < trace_.failure.bug.size(); ++i) {
    const z3::expr holds = terms_.truth(trace_.failure.bug[i]);
    spared.push_back(!holds);
    session_.about(Fact{Fact::Kind::bug, i});
    session_.require(z3::implies(fails_, holds));
  }
  session_.about({});
  session_.require(z3::implies(passes_, z3::mk_or(spared)));
}

// Fails: all that completed happens, and nobody who waits can go on. Passes: one of those who wait goes on.
void ScheduleFormula::encodeWaiting(const z3::expr& allWait) {
  z3::expr_vector all(session_.context()), proceeds(session_.context());
  all.push_back(allWait);
  for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
    const bool isLast = ref + 1 == trace_.events.size() || trace_.threadOf(ref + 1) != trace_.threadOf(ref) ||
                        trace_.event(ref + 1).pending;
    if (trace_.event(ref).pending) {
      all.push_back(!order_.happens(ref));
      if (!trace_.event(ref).bystander) proceeds.push_back(order_.happens(ref));
    } else if (isLast) {
      all.push_back(order_.happens(ref));
    }
  }
  session_.require(z3::implies(fails_, z3::mk_and(all)));
  session_.require(z3::implies(passes_, z3::mk_or(proceeds)));
}

// An initial value that nobody knows is taken as the evaluator takes it.
z3::expr ScheduleFormula::symbolTerm(uint32_t symbol) {
  const SymbolInfo& info = trace_.symbols[symbol];
  if (info.event == kNoEvent) return session_.context().bv_val(info.observed.value_or(0), 64);
  assert(symbolWidths_[symbol] > 0);
  return session_.context().bv_const(("v" + std::to_string(symbol)).c_str(), symbolWidths_[symbol]);
}

// What does not happen has no conditions to keep; nor has a tail event, which may not have happened, behind the
// failure.
z3::expr ScheduleFormula::holdsWhereItCounts(const Condition& condition) {
  const z3::expr holds = terms_.truth(condition.expr);
  if (!ending_.looksAtEverything()) return holds || !order_.happens(condition.after);
  if (!trace_.event(condition.after).tail || ending_.failure() == kNoEvent) return holds;
  return holds || order_.before(ending_.failure(), condition.after);
}

// Everything that completed stands before the failure; per thread the last such event speaks for the others.
z3::expr ScheduleFormula::failureIsLast() {
  const EventRef failure = trace_.failure.event;
  z3::expr_vector all(session_.context());
  for (const TraceThread& thread : trace_.threads) {
    if (failure == kNoEvent) break;
    for (EventRef ref = thread.firstEvent + thread.eventCount; ref-- > thread.firstEvent;) {
      const Event& event = trace_.event(ref);
      if (event.tail || event.synthetic) continue;
      if (ref != failure) all.push_back(order_.before(ref, failure));
      break;
    }
  }
  return z3::mk_and(all);
}

z3::expr ScheduleFormula::literalOf(const OrderEdge& edge) {
  assert(edge.before < trace_.events.size() && edge.after < trace_.events.size());
  const auto known = literals_.find(edge);
  if (known != literals_.end()) return known->second;
  z3::expr literal = session_.literal("edge");
  session_.require(z3::implies(literal, order_.before(edge.before, edge.after)));
  literals_.emplace(edge, literal);
  return literal;
}

std::string ScheduleFormula::smtLib(Goal goal, std::span<const OrderEdge> edges) {
  z3::expr_vector assumptions(session_.context());
  assumptions.push_back(goal == Goal::failing ? fails_ : passes_);
  for (const OrderEdge& edge : edges) assumptions.push_back(literalOf(edge));
  return session_.smtLib(assumptions);
}

z3::check_result ScheduleFormula::check(Goal goal, std::span<const OrderEdge> edges, const CallWatch& watch) {
  z3::expr_vector assumptions(session_.context());
  assumptions.push_back(goal == Goal::failing ? fails_ : passes_);
  asked_.clear();
  for (size_t i = 0; i < edges.size(); ++i) {
    z3::expr literal = literalOf(edges[i]);
    if (asked_.emplace(literal.id(), i).second) assumptions.push_back(literal);
  }
  return checkAssuming(assumptions, watch);
}

z3::check_result ScheduleFormula::checkFacts(Goal goal, std::span<const Fact> facts, const CallWatch& watch) {
  const std::set<Fact> wanted(facts.begin(), facts.end());
  z3::expr_vector assumptions(session_.context());
  assumptions.push_back(goal == Goal::failing ? fails_ : passes_);
  for (const auto& [fact, literal] : session_.facts())
    if (wanted.contains(fact)) assumptions.push_back(literal);
  return checkAssuming(assumptions, watch);
}

std::vector<Fact> ScheduleFormula::facts() const {
  std::set<Fact> found;
  for (const auto& [fact, literal] : session_.facts()) found.insert(fact);
  return {found.begin(), found.end()};
}

std::vector<Fact> ScheduleFormula::factsOfCore() const {
  std::set<unsigned> ids;
  for (const z3::expr& literal : session_.core()) ids.insert(literal.id());
  std::set<Fact> found;
  for (const auto& [fact, literal] : session_.facts())
    if (ids.contains(literal.id())) found.insert(fact);
  return {found.begin(), found.end()};
}

z3::check_result ScheduleFormula::checkAssuming(const z3::expr_vector& assumptions, const CallWatch& watch) {
  for (;;) {
    const z3::check_result result = session_.check(assumptions, watch);
    if (result != z3::sat) return result;
    const z3::model model = session_.model();
    const bool computesRightly = terms_.accept(model, [&](const z3::expr& fact) { session_.require(fact); });
    if (order_.accept(model) && computesRightly) return result;
  }
}

std::vector<size_t> ScheduleFormula::core() const {
  std::vector<size_t> positions;
  for (const z3::expr& literal : session_.core()) {
    const auto at = asked_.find(literal.id());
    if (at != asked_.end()) positions.push_back(at->second); // otherwise the goal's literal
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

} // namespace symbiosis
