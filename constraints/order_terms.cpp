#include "constraints/order_terms.h"
#include <algorithm>
#include <numeric>

namespace symbiosis {

OrderTerms::OrderTerms(Z3Session& session, const SymbolicTrace& trace, const MustOrder& must,
                       const SyncStructure& sync, OrderAs kind)
    : session_(session), trace_(trace), ending_(trace), must_(must), kind_(kind), end_(session.context()) {
  if (kind == OrderAs::integers)
    makeNumbers(sync);
  else
    makeGraph(sync);
}

void OrderTerms::makeNumbers(const SyncStructure& sync) {
  end_ = session_.context().int_const("end");
  for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
    numbers_.push_back(session_.context().int_const(("o" + std::to_string(ref)).c_str()));
    session_.countVariable();
    if (ref > 0 && trace_.threadOf(ref - 1) == trace_.threadOf(ref))
      session_.require(numbers_[ref - 1] < numbers_[ref]);
  }
  for (EventRef waiting : ending_.waits()) session_.require(end_ <= numbers_[waiting]);
  for (const OrderEdge& edge : sync.must) session_.require(numbers_[edge.before] < numbers_[edge.after]);
}

// Pending events stand behind the end. One that happens all the same comes after what happens only.
void OrderTerms::makeGraph(const SyncStructure& sync) {
  theory_ = std::make_unique<CycleTheory>(session_, trace_.events.size() + 1);
  auto require = [&](Node before, Node after) {
    required_.push_back({before, after});
    if (must_.isAcyclic()) theory_->require(required_.back());
  };
  for (EventRef ref = 1; ref < trace_.events.size(); ++ref)
    if (trace_.threadOf(ref - 1) == trace_.threadOf(ref)) require(ref - 1, ref);
  for (const OrderEdge& edge : sync.must) require(edge.before, edge.after);
  if (ending_.looksAtEverything()) return findSections(sync);
  for (EventRef waiting : ending_.waits()) {
    const z3::expr proceeds = session_.literal("proceeds");
    proceeding_.emplace(waiting, proceeds);
    require(end(), waiting);
    if (waiting > 0 && trace_.threadOf(waiting - 1) == trace_.threadOf(waiting))
      session_.require(z3::implies(proceeds, happens(waiting - 1)));
  }
}

void OrderTerms::findSections(const SyncStructure& sync) {
  if (session_.explains()) return; // that sections exclude each other is to be said, not to be taken for granted
  sectionsOf_.resize(trace_.events.size());
  for (size_t mutex = 0; mutex < sync.mutexes.size(); ++mutex)
    for (const CriticalSection& section : sync.mutexes[mutex].sections) {
      if (section.release == kNoEvent) continue; // the last of its mutex by must-edges
      for (EventRef event = section.acquire; event <= section.release; ++event)
        sectionsOf_[event].push_back(uint32_t(sections_.size()));
      sections_.push_back({section, mutex});
    }
}

z3::expr OrderTerms::literal(CycleTheory::Edge edge, CycleTheory::Edge otherwise) {
  auto key = [](CycleTheory::Edge e) { return uint64_t(e.from) << 32 | e.to; };
  if (const auto known = literals_.find(key(edge)); known != literals_.end()) return known->second;
  const z3::expr literal = theory_->literal(edge, otherwise);
  literals_.emplace(key(edge), literal);
  literals_.emplace(key(otherwise), !literal);
  return literal;
}

z3::expr OrderTerms::before(EventRef a, EventRef b) {
  if (must_.before(a, b)) return session_.truth(true);
  if (a == b || must_.before(b, a)) return session_.truth(false);
  if (kind_ == OrderAs::integers) return numbers_[a] < numbers_[b];
  if (!sectionsOf_.empty())
    for (uint32_t i : sectionsOf_[a])
      for (uint32_t j : sectionsOf_[b])
        if (sections_[i].mutex == sections_[j].mutex)
          return literal({sections_[i].release, sections_[j].acquire},
                         {sections_[j].release, sections_[i].acquire});
  return pairLiteral(a, b);
}

z3::expr OrderTerms::pairLiteral(EventRef a, EventRef b) {
  const size_t known = literals_.size();
  const z3::expr isBefore = literal({a, b}, {b, a});
  if (literals_.size() > known) {
    if (trace_.event(b).pending) onlyAfterWhatHappens(b, a, isBefore);
    if (trace_.event(a).pending) onlyAfterWhatHappens(a, b, !isBefore);
  }
  return isBefore;
}

void OrderTerms::onlyAfterWhatHappens(EventRef waiting, EventRef event, const z3::expr& before) {
  const z3::expr both = proceeding_.at(waiting) && before;
  session_.require(trace_.event(event).pending ? !both : z3::implies(both, happens(event)));
}

z3::expr OrderTerms::happens(EventRef event) {
  if (ending_.looksAtEverything()) return session_.truth(true);
  if (kind_ == OrderAs::integers) return numbers_[event] <= end_;
  if (trace_.event(event).pending) return proceeding_.at(event);
  return literal({event, end()}, {end(), event});
}

void OrderTerms::require(EventRef event, const z3::expr& constraint) {
  session_.require(ending_.looksAtEverything() ? constraint : z3::implies(happens(event), constraint));
}

EventOrder OrderTerms::orderIn(const z3::model& model) const {
  return kind_ == OrderAs::integers ? orderOfNumbers(model) : orderOfGraph(model);
}

EventOrder OrderTerms::orderOfNumbers(const z3::model& model) const {
  std::vector<int64_t> position;
  for (const z3::expr& number : numbers_) position.push_back(model.eval(number, true).get_numeral_int64());
  EventOrder order(numbers_.size());
  std::iota(order.begin(), order.end(), EventRef{0});
  std::sort(order.begin(), order.end(),
            [&](EventRef a, EventRef b) { return std::pair(position[a], a) < std::pair(position[b], b); });
  return order;
}

// What must happen before the end, then who goes on, then the rest; a thread runs on for as long as it can.
EventOrder OrderTerms::orderOfGraph(const z3::model& model) const {
  const size_t nodes = trace_.events.size() + 1;
  std::vector<std::vector<Node>> successors(nodes), predecessors(nodes);
  std::vector<uint32_t> missing(nodes, 0);
  auto link = [&](CycleTheory::Edge edge) {
    successors[edge.from].push_back(edge.to);
    predecessors[edge.to].push_back(edge.from);
    ++missing[edge.to];
  };
  for (CycleTheory::Edge edge : required_) link(edge);
  for (CycleTheory::Edge edge : theory_->edges()) link(edge);
  std::vector<bool> happening(nodes, ending_.looksAtEverything());
  std::vector<Node> stack{end()};
  while (!ending_.looksAtEverything() && !stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    for (Node before : predecessors[node])
      if (!happening[before]) happening[before] = true, stack.push_back(before);
  }
  EventOrder order;
  std::vector<Node> ready;
  auto release = [&](Node node) {
    for (Node next : successors[node])
      if (--missing[next] == 0 && next != end()) ready.push_back(next);
  };
  auto placeReady = [&](auto mayStand) {
    for (size_t i = ready.size(); i-- > 0;) {
      if (i >= ready.size() || !mayStand(ready[i])) continue;
      const Node node = ready[i];
      ready.erase(ready.begin() + long(i));
      order.push_back(EventRef(node));
      release(node);
      i = ready.size();
    }
  };
  auto proceeds = [&](Node node) {
    const auto waiting = proceeding_.find(EventRef(node));
    return waiting != proceeding_.end() && model.eval(waiting->second, true).is_true();
  };
  for (Node node = 0; node + 1 < nodes; ++node)
    if (missing[node] == 0) ready.push_back(node);
  placeReady([&](Node node) { return happening[node]; });
  release(end());
  placeReady(proceeds);
  placeReady([](Node) { return true; });
  return order;
}

} // namespace symbiosis
