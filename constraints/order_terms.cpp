#include "constraints/order_terms.h"
#include <algorithm>
#include <numeric>

namespace symbiosis {

OrderTerms::OrderTerms(Z3Session& session, const SymbolicTrace& trace, const MustOrder& must,
                       std::span<const OrderEdge> mustEdges)
    : session_(session), trace_(trace), must_(must), end_(session.context().int_const("end")) {
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    numbers_.push_back(session.context().int_const(("o" + std::to_string(ref)).c_str()));
    session.countVariable();
    if (ref > 0 && trace.threadOf(ref - 1) == trace.threadOf(ref))
      session.require(numbers_[ref - 1] < numbers_[ref]);
  }
  if (trace.endsWaiting())
    for (EventRef waiting : trace.pendingEvents()) session.require(end_ <= numbers_[waiting]);
  for (const OrderEdge& edge : mustEdges) session.require(numbers_[edge.before] < numbers_[edge.after]);
}

z3::expr OrderTerms::before(EventRef a, EventRef b) {
  if (must_.before(a, b)) return session_.truth(true);
  if (a == b || must_.before(b, a)) return session_.truth(false);
  return numbers_[a] < numbers_[b];
}

z3::expr OrderTerms::happens(EventRef event) {
  return trace_.endsWaiting() ? numbers_[event] <= end_ : session_.truth(true);
}

void OrderTerms::require(EventRef event, const z3::expr& constraint) {
  session_.require(trace_.endsWaiting() ? z3::implies(happens(event), constraint) : constraint);
}

EventOrder OrderTerms::orderIn(const z3::model& model) const {
  std::vector<int64_t> position;
  for (const z3::expr& number : numbers_) position.push_back(model.eval(number, true).get_numeral_int64());
  EventOrder order(numbers_.size());
  std::iota(order.begin(), order.end(), EventRef{0});
  std::sort(order.begin(), order.end(),
            [&](EventRef a, EventRef b) { return std::pair(position[a], a) < std::pair(position[b], b); });
  return order;
}

} // namespace symbiosis
