#include "brute_force_checks.h"
#include "constraints/relaxation.h"
#include "dsp/diagnosis.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace symbiosis::testing {

namespace {

Outcome evaluate(const SymbolicTrace& trace, const EventOrder& order) {
  return Evaluator(trace).run(order).outcome;
}

bool existsWith(const std::vector<Interleaving>& all, Outcome outcome, std::span<const OrderEdge> edges = {}) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Interleaving& one) { return one.outcome == outcome && one.respects(edges); });
}

std::vector<OrderEdge> pick(std::span<const OrderEdge> edges, std::span<const size_t> positions) {
  std::vector<OrderEdge> picked;
  for (size_t position : positions) picked.push_back(edges[position]);
  return picked;
}

std::vector<OrderEdge> without(std::vector<OrderEdge> edges, size_t position) {
  edges.erase(edges.begin() + long(position));
  return edges;
}

bool hasConditionThatDoesNotHold(const SymbolicTrace& trace, const EventOrder& order) {
  Evaluator evaluator(trace);
  evaluator.run(order);
  return std::any_of(trace.conditions.begin(), trace.conditions.end(),
                     [&](const Condition& condition) { return evaluator.value(condition.expr) == 0; });
}

void checkAnswer(const SymbolicTrace& trace, const ScheduleAnswer& answer, bool exists, Outcome outcome) {
  ASSERT_EQ(answer.answer, exists ? Answer::sat : Answer::unsat) << answer.reason;
  if (!exists) return;
  ASSERT_EQ(evaluate(trace, answer.order), outcome);
}

void checkRootCause(const SymbolicTrace& trace, ScheduleSolver& solver, const std::vector<Interleaving>& all,
                    const EventOrder& failing, Seen& seen) {
  const std::vector<OrderEdge> edges = candidateEdges(trace, failing);
  const ScheduleAnswer root = solver.passing(edges);
  ASSERT_EQ(root.answer, Answer::unsat) << root.reason;
  ASSERT_FALSE(existsWith(all, Outcome::passing, pick(edges, root.core))) << "the core is not sufficient";
  const RootCause cause = findRootCause(trace, solver, failing);
  ASSERT_EQ(cause.status, ProofStatus::proved) << cause.note;
  ASSERT_FALSE(existsWith(all, Outcome::passing, cause.orders)) << "the root cause is not sufficient";
  for (size_t i = 0; i < cause.orders.size(); ++i)
    ASSERT_TRUE(existsWith(all, Outcome::passing, without(cause.orders, i))) << "the root cause is reducible";
  seen.withCore += !cause.orders.empty();
}

// Φ_alt: some of the edges of a failing schedule, one of them inverted.
void checkInversions(const SymbolicTrace& trace, ScheduleSolver& solver, const std::vector<Interleaving>& all,
                     const EventOrder& failing, std::mt19937& random) {
  std::vector<OrderEdge> edges = candidateEdges(trace, failing);
  if (edges.empty()) return;
  std::shuffle(edges.begin(), edges.end(), random);
  edges.resize(1 + random() % edges.size());
  std::swap(edges[0].before, edges[0].after);
  checkAnswer(trace, solver.passing(edges), existsWith(all, Outcome::passing, edges), Outcome::passing);
}

constexpr SearchStyle kStyles[] = {SearchStyle::stay, SearchStyle::random, SearchStyle::lateWrites,
                                   SearchStyle::lateReads};

// Pairs as they stand in the interleaving: the conflicting ones, or any; rarely one of them inverted.
std::vector<OrderEdge> randomEdges(const SymbolicTrace& trace, const Interleaving& one, std::mt19937& random) {
  std::vector<OrderEdge> edges;
  if (random() % 2 == 0) edges = candidateEdges(trace, one.order);
  const size_t wanted = random() % (edges.empty() ? 5 : edges.size() + 1);
  std::shuffle(edges.begin(), edges.end(), random);
  edges.resize(std::min(edges.size(), wanted));
  while (edges.size() < wanted) {
    const size_t before = random() % one.order.size(), after = random() % one.order.size();
    const OrderEdge edge{one.order[std::min(before, after)], one.order[std::max(before, after)]};
    if (trace.threadOf(edge.before) != trace.threadOf(edge.after)) edges.push_back(edge);
  }
  if (!edges.empty() && random() % 5 == 0) std::swap(edges[0].before, edges[0].after);
  return edges;
}

std::vector<std::string> edgesAsText(const SymbolicTrace& trace, std::span<const OrderEdge> edges) {
  std::vector<std::string> texts;
  for (const OrderEdge& edge : edges)
    texts.push_back(trace.describe(edge.before) + " before " + trace.describe(edge.after));
  return texts;
}

} // namespace

void checkEngines(const SymbolicTrace& trace, const std::vector<Interleaving>& all, const SolverOptions& options,
                  std::mt19937& random, Seen& seen) {
  const bool fails = existsWith(all, Outcome::failing), passes = existsWith(all, Outcome::passing);
  ScheduleSolver solver(trace, options);
  const ScheduleAnswer failing = solver.failing();
  checkAnswer(trace, failing, fails, Outcome::failing);
  checkAnswer(trace, solver.passing({}), passes, Outcome::passing);
  if (::testing::Test::HasFatalFailure() || !fails) return;
  seen.leftThePath += hasConditionThatDoesNotHold(trace, failing.order);
  checkRootCause(trace, solver, all, failing.order, seen);
  checkInversions(trace, solver, all, failing.order, random);
}

namespace {

std::string kindOf(const Event& event) {
  const std::string kind = toText(event.kind);
  switch (event.kind) {
  case EventKind::trylock:
  case EventKind::tryrdlock:
  case EventKind::trywrlock:
  case EventKind::semTrywait: return kind + (event.outcome == 0 ? "" : ", busy");
  case EventKind::wake: return kind + (event.outcome == 0 || event.pending ? "" : ", alone");
  default: return kind;
  }
}

bool hasLostSignal(const SymbolicTrace& trace, const EventOrder& order) {
  Evaluator evaluator(trace);
  evaluator.run(order);
  std::set<EventRef> took;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (trace.event(ref).kind == EventKind::wake) took.insert(evaluator.wokenBy(ref));
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (trace.event(ref).kind == EventKind::signal && !took.contains(ref)) return true;
  return false;
}

std::set<std::string> kindsIn(const SymbolicTrace& trace, const EventOrder& feasible) {
  std::set<std::string> kinds;
  size_t arrivals = 0, participants = 0;
  std::set<ThreadIndex> joined;
  for (const Event& event : trace.events) {
    kinds.insert((event.pending ? "pending " : "") + kindOf(event));
    if (event.tail) kinds.insert("tail");
    if (event.synthetic) kinds.insert("synthetic");
    if (event.kind == EventKind::barrierArrive) ++arrivals, participants = event.outcome;
    if (event.kind == EventKind::join) joined.insert(event.peer);
  }
  if (participants > 0 && arrivals >= 2 * participants) kinds.insert("barrier, several rounds");
  if (participants > 2) kinds.insert("barrier of three");
  for (const Event& event : trace.events)
    if (event.kind == EventKind::exit && !joined.contains(event.id.thread)) kinds.insert("exit, not joined");
  const EventRef failure = trace.failure.event;
  if (failure != kNoEvent && trace.event(failure).kind == EventKind::exit) kinds.insert("exit of the process");
  if (kinds.contains("signal") && kinds.contains("wake") && hasLostSignal(trace, feasible))
    kinds.insert("signal, lost");
  return kinds;
}

} // namespace

std::vector<std::string> kindsOfFailingTraces() {
  return {"start",
          "exit",
          "fork",
          "join",
          "read",
          "write",
          "rmw",
          "lock",
          "unlock",
          "trylock",
          "trylock, busy",
          "failure",
          "wait-begin",
          "wake",
          "wake, alone",
          "signal",
          "signal, lost",
          "broadcast",
          "rdlock",
          "wrlock",
          "tryrdlock",
          "tryrdlock, busy",
          "trywrlock",
          "trywrlock, busy",
          "rwunlock",
          "sem-init",
          "sem-post",
          "sem-wait",
          "sem-trywait",
          "sem-trywait, busy",
          "barrier-arrive",
          "barrier-leave",
          "barrier, several rounds",
          "barrier of three",
          "once-begin",
          "once-end",
          "once-pass",
          "futex-wake",
          "tail",
          "synthetic",
          "exit, not joined",
          "exit of the process"};
}

std::vector<std::string> kindsOfWaitingTraces() {
  return {"pending lock",     "pending join",          "pending wake",      "pending rdlock",     "pending wrlock",
          "pending sem-wait", "pending barrier-leave", "pending once-pass", "pending futex-woken"};
}

void count(const SymbolicTrace& trace, const std::vector<Interleaving>& all, Seen& seen) {
  if (!all.empty())
    for (const std::string& kind : kindsIn(trace, all.front().order)) ++seen.kinds[kind];
  const bool fails = existsWith(all, Outcome::failing), passes = existsWith(all, Outcome::passing);
  ++seen.traces;
  seen.failing += fails;
  seen.both += fails && passes;
  seen.passingOnly += passes && !fails;
  seen.infeasible += all.empty();
}

// A search with a part of the trace left out may give up, and nothing else may go wrong.
static void checkRelaxed(const SymbolicTrace& trace, RelaxedSearch& search, const SearchQuestion& question,
                         bool exists, Seen& seen) {
  const SearchResult result = search.run(question, CallWatch(SolverLimits{}));
  if (result.verdict == SearchResult::Verdict::gaveUp) return;
  const bool found = result.verdict == SearchResult::Verdict::found;
  ASSERT_EQ(found, exists) << "with a part left out";
  ++(found ? seen.foundRelaxed : seen.provedRelaxed);
  if (!found) return;
  ASSERT_EQ(evaluate(trace, result.order), question.goal == Goal::failing ? Outcome::failing : Outcome::passing);
  ASSERT_TRUE(respects(result.order, question.edges));
}

void checkSearches(const SymbolicTrace& trace, const std::vector<Interleaving>& all, std::mt19937& random,
                   size_t questions, Seen& seen) {
  const CompiledTrace code(trace);
  ForwardSearch search(code);
  RelaxedSearch relaxed(code, search);
  for (size_t i = 0; i < questions && !all.empty(); ++i) {
    const std::vector<OrderEdge> edges = randomEdges(trace, all[random() % all.size()], random);
    SearchQuestion question;
    question.goal = random() % 2 == 0 ? Goal::failing : Goal::passing;
    question.edges = edges;
    question.style = kStyles[random() % std::size(kStyles)];
    question.firstThread = ThreadIndex(random() % trace.threads.size());
    question.randomSeed = unsigned(random());
    const std::vector<uint8_t>& guide = all[random() % all.size()].position;
    const std::vector<uint64_t> preference(guide.begin(), guide.end());
    if (random() % 2 == 0) {
      question.style = SearchStyle::preference;
      question.preference = preference;
    }
    const Outcome wanted = question.goal == Goal::failing ? Outcome::failing : Outcome::passing;
    const bool exists = existsWith(all, wanted, edges);
    const auto asked = [&] {
      return std::string(toText(wanted)) + ' ' + ::testing::PrintToString(edgesAsText(trace, edges));
    };
    checkRelaxed(trace, relaxed, question, exists, seen);
    if (::testing::Test::HasFatalFailure()) FAIL() << asked();
    const SearchResult result = search.run(question, CallWatch(SolverLimits{}));
    ASSERT_EQ(result.verdict == SearchResult::Verdict::found, exists) << asked();
    if (result.verdict != SearchResult::Verdict::found) continue;
    ASSERT_EQ(evaluate(trace, result.order), wanted);
    ASSERT_TRUE(respects(result.order, edges));
  }
}

} // namespace symbiosis::testing
