#include "all_interleavings.h"
#include <algorithm>

namespace symbiosis::testing {

bool Interleaving::respects(std::span<const OrderEdge> edges) const {
  return std::all_of(edges.begin(), edges.end(),
                     [&](const OrderEdge& edge) { return position[edge.before] < position[edge.after]; });
}

namespace {

// A prefix that grows and shrinks by one event, always feasible.
class Walk {
public:
  explicit Walk(const SymbolicTrace& trace) : trace_(trace), evaluator_(trace), next_(trace.threads.size(), 0) {}

  bool tryStep(ThreadIndex thread) {
    if (next_[thread] == trace_.threads[thread].eventCount) return false;
    prefix.push_back(trace_.threads[thread].firstEvent + next_[thread]);
    evaluation = evaluator_.run(prefix);
    ++next_[thread];
    if (evaluation.position == prefix.size()) return true;
    stepBack();
    return false;
  }
  void stepBack() {
    --next_[trace_.threadOf(prefix.back())];
    prefix.pop_back();
  }
  bool isComplete() const { return prefix.size() == trace_.events.size(); }

  EventOrder prefix;
  Evaluation evaluation; // of the latest step

private:
  const SymbolicTrace& trace_;
  Evaluator evaluator_;
  std::vector<uint32_t> next_;
};

constexpr size_t kStepsPerInterleaving = 20; // if it takes more, most lead nowhere

void extend(Walk& walk, size_t threads, size_t most, size_t& steps, std::vector<Interleaving>& found) {
  if (found.size() > most || ++steps > most * kStepsPerInterleaving) return;
  if (walk.isComplete()) {
    std::vector<uint8_t> position(walk.prefix.size());
    for (size_t i = 0; i < walk.prefix.size(); ++i) position[walk.prefix[i]] = uint8_t(i);
    return found.push_back({walk.prefix, std::move(position), walk.evaluation.outcome});
  }
  for (ThreadIndex thread = 0; thread < threads; ++thread)
    if (walk.tryStep(thread)) {
      extend(walk, threads, most, steps, found);
      walk.stepBack();
    }
}

} // namespace

std::optional<std::vector<Interleaving>> allInterleavings(const SymbolicTrace& trace, size_t most) {
  std::vector<Interleaving> found;
  Walk walk(trace);
  size_t steps = 0;
  extend(walk, trace.threads.size(), most, steps, found);
  if (found.size() > most || steps > most * kStepsPerInterleaving) return std::nullopt;
  return found;
}

EventOrder randomInterleaving(const SymbolicTrace& trace, std::mt19937& random) {
  Walk walk(trace);
  std::vector<ThreadIndex> threads(trace.threads.size());
  for (ThreadIndex thread = 0; thread < threads.size(); ++thread) threads[thread] = thread;
  while (!walk.isComplete()) {
    std::shuffle(threads.begin(), threads.end(), random);
    if (std::none_of(threads.begin(), threads.end(), [&](ThreadIndex thread) { return walk.tryStep(thread); }))
      return {};
  }
  return walk.prefix;
}

} // namespace symbiosis::testing
