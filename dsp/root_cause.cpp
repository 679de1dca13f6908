// Root cause (Symbiosis §3.4). Φ_root asks for a passing schedule that keeps every candidate edge of the
// failing one; it has none, and the solver names edges that suffice for the contradiction. Its core is far
// from minimal, so edges are deleted as long as the rest still contradicts. What remains is a set S of
// orderings such that S forces the failure and no proper subset of S does.
//
//   T1: filled-- (20)      T2: assert(filled > 0) (19)      S = { T1's write before T2's read }
//
// Two departures. A deletion that some passing schedule already refutes needs no solver: inversions of the
// failing schedule are evaluated first and serve as such witnesses. And an edge between critical sections is
// replaced by an edge between accesses inside them where that still forces the failure: it is implied by the
// former, hence weaker, so S stays irreducible, and it says more to a reader than the order of two locks.
#include "dsp/critical_sections.h"
#include "dsp/diagnosis.h"
#include "search/inversion.h"
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>

namespace symbiosis {

namespace {

constexpr size_t kUnknownsUntilWeStop = 3;
constexpr size_t kChunkedFrom = 8; // sets larger than this are first cut down in chunks
constexpr size_t kWitnesses = 64;
constexpr size_t kWitnessEvents = 4'000'000; // run in search of witnesses: a part of a second
constexpr size_t kReplacements = 16;         // access pairs tried for one edge between critical sections

class RootCauseSearch {
public:
  RootCauseSearch(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing)
      : trace_(trace), ending_(trace), solver_(solver), failing_(failing), position_(positionsOf(trace, failing)),
        sections_(trace) {}

  // A cause among `edges`; its core, before edges were replaced, is core().
  RootCause find(std::vector<OrderEdge> edges) {
    unknowns_ = undecided_ = 0;
    reason_.clear();
    leastTellingFirst(edges);
    ScheduleAnswer answer = solver_.passing(edges);
    if (answer.answer == Answer::unknown) return notReduced(std::move(edges), answer.reason);
    if (answer.answer == Answer::sat)
      return {{}, ProofStatus::unknown, "the failure also depends on values that the recording does not hold"};
    adopt(edges, answer.core);
    gatherWitnesses();
    if (kept_.size() > kChunkedFrom)
      for (size_t chunk = kept_.size() / 2; chunk > 1; chunk /= 2) deleteInChunksOf(chunk);
    deleteInChunksOf(1);
    core_ = kept_;
    if (ending_.isDecidedByValues()) preferAccesses();
    std::sort(kept_.begin(), kept_.end(), [&](const OrderEdge& a, const OrderEdge& b) {
      return std::pair(position_[a.after], position_[a.before]) <
             std::pair(position_[b.after], position_[b.before]);
    });
    return verdict();
  }
  const std::vector<OrderEdge>& core() const { return core_; }

private:
  // Of thousands those that are nearest to the failure are kept: who reads them has an idea where to look, and a
  // report of all of them takes longer to write than to read.
  static RootCause notReduced(std::vector<OrderEdge> edges, const std::string& reason) {
    constexpr size_t kMostKept = 200;
    RootCause cause{{}, ProofStatus::unknown, "not reduced: " + reason};
    if (edges.size() > kMostKept)
      cause.note +=
          fmt::format("; of {} orderings the {} nearest to the failure are named", edges.size(), kMostKept);
    cause.orders.assign(edges.end() - ptrdiff_t(std::min(edges.size(), kMostKept)), edges.end());
    return cause;
  }

  // The order in which deletion is tried: synchronisation before accesses, far from the failure before near.
  void leastTellingFirst(std::vector<OrderEdge>& edges) const {
    std::stable_sort(edges.begin(), edges.end(), [&](const OrderEdge& a, const OrderEdge& b) {
      // Where threads wait, what they found taken says most.
      auto key = [&](const OrderEdge& e) {
        const bool isTelling =
            ending_.isDecidedByValues() ? isAccess(trace_.event(e.before).kind) : trace_.event(e.after).pending;
        return std::pair(isTelling, position_[e.after]);
      };
      return key(a) < key(b);
    });
  }

  void adopt(const std::vector<OrderEdge>& asked, std::vector<size_t> core) {
    std::sort(core.begin(), core.end());
    kept_.clear();
    for (size_t i : core) kept_.push_back(asked[i]);
  }

  void gatherWitnesses() {
    Evaluator evaluator(trace_);
    size_t events = 0;
    for (size_t i = kept_.size(); i-- > 0;) { // the most telling first
      const OrderEdge& edge = kept_[i];
      if (witnesses_.size() >= kWitnesses || (events += 2 * failing_.size()) > kWitnessEvents) return;
      for (auto* move : {moveEarlier, moveLater}) {
        EventOrder order = move(trace_, failing_, position_[edge.before], position_[edge.after]);
        if (!order.empty() && evaluator.run(order).outcome == Outcome::passing) addWitness(order);
      }
    }
  }
  void addWitness(const EventOrder& order) { witnesses_.push_back(positionsOf(trace_, order)); }

  // Whether a known passing schedule keeps all of `edges`.
  bool witnessed(const std::vector<OrderEdge>& edges) const {
    return std::any_of(witnesses_.begin(), witnesses_.end(), [&](const std::vector<uint32_t>& position) {
      return std::all_of(edges.begin(), edges.end(),
                         [&](const OrderEdge& e) { return position[e.before] < position[e.after]; });
    });
  }

  // sat: `edges` do not force the failure; unsat: kept_ becomes their core.
  Answer tryInstead(const std::vector<OrderEdge>& edges) {
    if (witnessed(edges)) return Answer::sat;
    if (unknowns_ >= kUnknownsUntilWeStop) return Answer::unknown;
    ScheduleAnswer answer = solver_.passing(edges);
    if (answer.answer == Answer::sat) addWitness(answer.order);
    if (answer.answer == Answer::unsat) adopt(edges, answer.core);
    if (answer.answer == Answer::unknown) ++unknowns_, reason_ = answer.reason;
    return answer.answer;
  }

  // Everything before `at` has been found necessary when the chunk is 1, so it stays in every later core.
  void deleteInChunksOf(size_t chunk) {
    undecided_ = 0;
    for (size_t at = 0; at < kept_.size();) {
      std::vector<OrderEdge> rest = kept_;
      const size_t end = std::min(at + chunk, rest.size());
      rest.erase(rest.begin() + ptrdiff_t(at), rest.begin() + ptrdiff_t(end));
      const Answer answer = tryInstead(rest);
      if (answer == Answer::unknown) ++undecided_;
      if (answer != Answer::unsat) at = end;
    }
  }

  void preferAccesses() {
    for (size_t i = 0; i < kept_.size(); ++i) {
      const Event& before = trace_.event(kept_[i].before);
      if (isAccess(before.kind) || before.object == kNone) continue;
      size_t tried = 0;
      for (const OrderEdge& edge : conflictsImpliedBy(kept_[i])) {
        if (tried++ == kReplacements) break;
        std::vector<OrderEdge> edges = kept_;
        edges[i] = edge;
        if (tryInstead(edges) == Answer::unsat) break;
      }
    }
  }

  // Pairs of conflicting accesses in the critical sections that the edge puts in order, nearest first.
  std::vector<OrderEdge> conflictsImpliedBy(const OrderEdge& edge) const {
    std::vector<OrderEdge> result;
    for (EventRef before : accessesUntil(edge.before))
      for (EventRef after : accessesFrom(edge.after))
        if (conflict(before, after)) result.push_back({before, after});
    std::stable_sort(result.begin(), result.end(), [&](const OrderEdge& a, const OrderEdge& b) {
      return position_[a.after] - position_[a.before] < position_[b.after] - position_[b.before];
    });
    return result;
  }
  std::vector<EventRef> accessesUntil(EventRef release) const {
    for (const LockedRegion& s : sections_.around(release))
      if (s.mutex == trace_.event(release).object) return accessesBetween(s.first, release);
    return {};
  }
  std::vector<EventRef> accessesFrom(EventRef acquisition) const {
    for (const LockedRegion& s : sections_.around(acquisition))
      if (s.mutex == trace_.event(acquisition).object) return accessesBetween(acquisition, s.last);
    return {};
  }
  std::vector<EventRef> accessesBetween(EventRef first, EventRef last) const {
    std::vector<EventRef> result;
    for (EventRef ref = first; ref <= last; ++ref)
      if (isAccess(trace_.event(ref).kind)) result.push_back(ref);
    return result;
  }
  bool conflict(EventRef a, EventRef b) const {
    for (const Part& x : trace_.partsOf(a))
      for (const Part& y : trace_.partsOf(b))
        if (x.cell == y.cell && (x.written != kNoExpr || y.written != kNoExpr)) return true;
    return false;
  }

  RootCause verdict() {
    RootCause cause{kept_, ProofStatus::proved, {}};
    if (undecided_ > 0) {
      cause.status = ProofStatus::tested;
      cause.note = fmt::format("sufficient, but {} of its {} orderings may not be needed: {}", undecided_,
                               kept_.size(), reason_);
    }
    if (!trace_.unmodelled.empty()) {
      cause.status = ProofStatus::tested;
      cause.note += fmt::format("{}not modelled, and may have written shared memory: {}",
                                cause.note.empty() ? "" : "; ", fmt::join(trace_.unmodelled, ", "));
    }
    return cause;
  }

  const SymbolicTrace& trace_;
  const TraceEnd ending_;
  ScheduleSolver& solver_;
  const EventOrder& failing_;
  std::vector<uint32_t> position_;
  CriticalSections sections_;
  std::vector<OrderEdge> kept_, core_;           // force the failure
  std::vector<std::vector<uint32_t>> witnesses_; // positions in passing schedules
  size_t unknowns_ = 0;
  size_t undecided_ = 0; // deletions of the latest pass that nobody could decide
  std::string reason_;
};

} // namespace

RootCause findRootCause(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing) {
  return RootCauseSearch(trace, solver, failing).find(candidateEdges(trace, failing));
}

// Reiter's hitting-set tree: a cause that differs from those known leaves out an edge of each. A node of the tree
// is a set of edges left out; what still forces the failure without them is another cause.
RootCauses findRootCauses(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                          size_t most) {
  constexpr size_t kMostQuestions = 200;
  const std::vector<OrderEdge> candidates = candidateEdges(trace, failing);
  RootCauseSearch search(trace, solver, failing);
  RootCauses result;
  std::vector<std::vector<OrderEdge>> cores;
  std::set<std::vector<OrderEdge>> seen{{}}, shown;
  std::deque<std::vector<OrderEdge>> open{{}};
  size_t questions = 0;
  while (!open.empty() && result.causes.size() < most && questions < kMostQuestions) {
    const std::vector<OrderEdge> without = std::move(open.front());
    open.pop_front();
    auto isLeftOut = [&](const OrderEdge& edge) {
      return std::binary_search(without.begin(), without.end(), edge);
    };
    auto known = std::find_if(cores.begin(), cores.end(), [&](const std::vector<OrderEdge>& core) {
      return std::none_of(core.begin(), core.end(), isLeftOut);
    });
    if (known == cores.end()) {
      ++questions;
      std::vector<OrderEdge> rest;
      std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(rest), std::not_fn(isLeftOut));
      RootCause cause = search.find(std::move(rest));
      if (cause.status == ProofStatus::unknown) {
        if (cores.empty()) return {{std::move(cause)}, false};     // not even one
        result.complete = result.complete && cause.orders.empty(); // empty: without these edges it can pass
        continue;
      }
      cores.push_back(search.core());
      known = cores.end() - 1;
      if (shown.insert(cause.orders).second) result.causes.push_back(std::move(cause));
    }
    for (const OrderEdge& edge : *known) {
      std::vector<OrderEdge> next = without;
      next.insert(std::lower_bound(next.begin(), next.end(), edge), edge);
      if (seen.insert(next).second) open.push_back(std::move(next));
    }
  }
  if (!open.empty()) result.complete = false;
  // The shortest explanation first; of equals, the one that speaks of data instead of locks.
  auto rank = [&](const RootCause& cause) {
    const auto locks = std::count_if(cause.orders.begin(), cause.orders.end(), [&](const OrderEdge& edge) {
      return !isAccess(trace.event(edge.before).kind);
    });
    return std::pair(cause.orders.size(), locks);
  };
  std::stable_sort(result.causes.begin(), result.causes.end(),
                   [&](const RootCause& a, const RootCause& b) { return rank(a) < rank(b); });
  return result;
}

} // namespace symbiosis
