// Theory (§3.4: the core of Φ_root is the root cause; Junker's QuickXplain, 2004). A set of edges is sufficient if
// no passing schedule respects it. Halves of a sufficient set are tried with the rest as background: a small cause
// among many edges costs a logarithm of questions per edge. Whatever a question is answered with helps later: a
// passing schedule answers for every set that it respects, a core for every set that contains it.
#include "constraints/core_minimisation.h"
#include <algorithm>

namespace symbiosis {

bool respects(const EventOrder& order, std::span<const OrderEdge> edges) {
  std::vector<size_t> position(order.size());
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return std::all_of(edges.begin(), edges.end(),
                     [&](const OrderEdge& edge) { return position[edge.before] < position[edge.after]; });
}

namespace {

using Edges = std::vector<OrderEdge>;

Edges joined(const Edges& a, const Edges& b) {
  Edges both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

class Minimiser {
public:
  explicit Minimiser(const std::function<ScheduleAnswer(std::span<const OrderEdge>)>& passing)
      : passing_(passing) {}

  RootCauseCore run(Edges edges) {
    std::reverse(edges.begin(), edges.end()); // what is preferred stands first
    RootCauseCore result;
    const Answer whole = ask(edges);
    if (whole != Answer::unsat) {
      result.edges.assign(edges.rbegin(), edges.rend());
      result.reason = whole == Answer::sat ? "a passing schedule respects all of them" : reason_;
      return result;
    }
    if (!lastCore_.empty()) edges = std::move(lastCore_);
    Edges core = ask({}) == Answer::unsat ? Edges{} : quickXplain({}, false, edges);
    dropOneByOne(core);
    result.edges.assign(core.rbegin(), core.rend());
    result.sufficient = true; // every set that was given up had a proof
    result.irreducible = irreducible_;
    result.reason = irreducible_ ? std::string() : reason_;
    return result;
  }

private:
  struct Known {
    std::vector<uint32_t> position; // by event, of a passing schedule
    bool respects(const Edges& edges) const {
      return std::all_of(edges.begin(), edges.end(),
                         [&](const OrderEdge& edge) { return position[edge.before] < position[edge.after]; });
    }
  };

  Answer ask(const Edges& edges) {
    for (size_t i = known_.size(); i-- > 0;)
      if (known_[i].respects(edges)) return Answer::sat;
    ScheduleAnswer answer = passing_(edges);
    if (answer.answer == Answer::sat) remember(answer.order);
    if (answer.answer == Answer::unknown) reason_ = answer.reason;
    lastCore_.clear();
    if (answer.answer == Answer::unsat)
      for (size_t i : answer.core) lastCore_.push_back(edges[i]);
    return answer.answer;
  }
  void remember(const EventOrder& order) {
    Known known{std::vector<uint32_t>(order.size())};
    for (size_t i = 0; i < order.size(); ++i) known.position[order[i]] = uint32_t(i);
    known_.push_back(std::move(known));
  }

  // `background` and `edges` together are sufficient; returns edges that are needed besides the background.
  Edges quickXplain(const Edges& background, bool backgroundGrew, const Edges& edges) {
    if (backgroundGrew && ask(background) == Answer::unsat) return {};
    if (edges.size() <= 1) return edges;
    const auto middle = edges.begin() + long(edges.size() / 2);
    const Edges first(edges.begin(), middle), second(middle, edges.end());
    const Edges fromSecond = quickXplain(joined(background, first), true, second);
    const Edges fromFirst = quickXplain(joined(background, fromSecond), !fromSecond.empty(), first);
    return joined(fromFirst, fromSecond);
  }

  // Where every answer was exact this only confirms, mostly from schedules already known.
  void dropOneByOne(Edges& core) {
    irreducible_ = true;
    for (size_t i = core.size(); i-- > 0;) {
      Edges fewer = core;
      fewer.erase(fewer.begin() + long(i));
      const Answer answer = ask(fewer);
      if (answer == Answer::unsat) core = std::move(fewer);
      if (answer == Answer::unknown) irreducible_ = false;
    }
  }

  const std::function<ScheduleAnswer(std::span<const OrderEdge>)>& passing_;
  std::vector<Known> known_; // passing schedules
  Edges lastCore_;           // of the latest question, if unsat
  std::string reason_;       // of the latest unknown
  bool irreducible_ = false;
};

} // namespace

RootCauseCore minimiseCore(std::span<const OrderEdge> edges,
                           const std::function<ScheduleAnswer(std::span<const OrderEdge>)>& passing) {
  return Minimiser(passing).run({edges.begin(), edges.end()});
}

} // namespace symbiosis
