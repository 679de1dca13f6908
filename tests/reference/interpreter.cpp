// All interleavings of a tiny program, by depth-first search over its states.
//
// A state is where each thread stands, its registers, the shared variables, who owns each mutex, who waits where,
// and the tokens. A *step* is one shared access or sync operation of one thread together with what that thread
// then does by itself: computing and branching are seen by nobody else, so nothing is lost by doing them at once.
// What ends the process is seen by all: an assertion that fails and an exit are steps of their own, because
// another thread may come first, and the process then ends otherwise.
//
// All jumps go forward, so the states form a graph without circles. Each is expanded once, and the number of
// interleavings that begin in it is the sum of those of its successors: all outcomes are found, and the count is
// exact, without going through each interleaving by itself.
#include "tests/reference/machine.h"
#include <algorithm>
#include <set>

namespace symbiosis::reference {

namespace {

// By thread, and last the final checks: how its conditions and tries went.
using Path = std::vector<std::vector<bool>>;

bool goesOnFrom(const Path& longer, const Path& shorter) {
  for (size_t i = 0; i < shorter.size(); ++i)
    if (shorter[i].size() > longer[i].size() ||
        !std::equal(shorter[i].begin(), shorter[i].end(), longer[i].begin()))
      return false;
  return true;
}

Error tooMany(uint64_t limit) { return gaveUp("more than " + std::to_string(limit) + " interleavings"); }

class Search {
public:
  Search(const TinyProgram& program, const InterpreterOptions& options)
      : machine_(program, options), options_(options) {}

  Result<Possibilities> run() {
    found_.interleavings = countFrom(machine_.begin());
    if (tooMany_) return tooMany(options_.limit);
    found_.paths = longestPaths();
    return std::move(found_);
  }

private:
  // How many interleavings begin in this state; notes the outcomes of all of them.
  uint64_t countFrom(const State& state) {
    if (const auto known = counts_.find(state); known != counts_.end()) return known->second;
    const std::vector<Step> steps = machine_.possible(state);
    uint64_t count = 0;
    if (steps.empty()) count = finish(state, machine_.outcomeOf(state));
    // Nobody has to wake by itself.
    else if (std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.spurious; }))
      found_.outcomes.emplace(machine_.outcomeOf(state), steps_);
    for (const Step& step : steps) {
      State after = state;
      steps_.push_back(step);
      const std::optional<Outcome> outcome = machine_.make(after, step);
      count += outcome ? finish(after, *outcome) : countFrom(after);
      steps_.pop_back();
      tooMany_ |= count > options_.limit;
      if (tooMany_) return count;
    }
    counts_.emplace(state, count);
    return count;
  }

  uint64_t finish(const State& state, const Outcome& outcome) {
    found_.outcomes.emplace(outcome, steps_);
    if (options_.countPaths) {
      Path path;
      for (const ThreadState& thread : state.threads) path.push_back(thread.path);
      path.push_back(machine_.finalChecks(state));
      paths_.insert(std::move(path));
    }
    return 1;
  }

  // Where one thread ended the process, the others may have come farther in another run of the same path.
  uint64_t longestPaths() const {
    return uint64_t(std::count_if(paths_.begin(), paths_.end(), [&](const Path& path) {
      return std::none_of(paths_.begin(), paths_.end(),
                          [&](const Path& other) { return other != path && goesOnFrom(other, path); });
    }));
  }

  Machine machine_;
  InterpreterOptions options_;
  bool tooMany_ = false;
  std::map<State, uint64_t> counts_;
  Steps steps_; // on the way to the state that is being expanded
  std::set<Path> paths_;
  Possibilities found_;
};

// As `Search`, without remembering states.
class Enumeration {
public:
  Enumeration(const TinyProgram& program, uint64_t limit) : machine_(program, {}), limit_(limit) {}

  Result<std::vector<Steps>> run() {
    goOnFrom(machine_.begin());
    if (all_.size() > limit_) return tooMany(limit_);
    return std::move(all_);
  }

private:
  void goOnFrom(const State& state) {
    const std::vector<Step> steps = machine_.possible(state);
    if (steps.empty()) all_.push_back(steps_);
    for (const Step& step : steps) {
      if (all_.size() > limit_) return;
      State after = state;
      steps_.push_back(step);
      if (machine_.make(after, step)) {
        all_.push_back(steps_);
      } else {
        goOnFrom(after);
      }
      steps_.pop_back();
    }
  }

  Machine machine_;
  uint64_t limit_;
  Steps steps_;
  std::vector<Steps> all_;
};

} // namespace

Result<std::vector<Steps>> allInterleavings(const TinyProgram& program, uint64_t limit) {
  return Enumeration(program, limit).run();
}

Result<Possibilities> interleave(const TinyProgram& program, const InterpreterOptions& options) {
  return Search(program, options).run();
}

Result<Outcome> runAlong(const TinyProgram& program, const Steps& steps) {
  const Machine machine(program, {.spuriousWakes = true});
  State state = machine.begin();
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<Step> possible = machine.possible(state);
    if (std::find(possible.begin(), possible.end(), steps[i]) == possible.end())
      return badInput("step " + std::to_string(i + 1) + " of '" + toText(steps) + "' is not possible");
    std::optional<Outcome> outcome = machine.make(state, steps[i]);
    if (outcome && i + 1 < steps.size())
      return badInput("the run ends at step " + std::to_string(i + 1) + " of '" + toText(steps) + "'");
    if (outcome) return *outcome;
  }
  for (const Step& step : machine.possible(state))
    if (!step.spurious) return badInput("the run goes on behind '" + toText(steps) + "'");
  return machine.outcomeOf(state);
}

std::string toText(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    if (!text.empty()) text += ' ';
    if (step.spurious) text += '~';
    text += std::to_string(step.thread + 1);
    if (step.waiter != kNoWaiter) text += ">" + std::to_string(step.waiter + 1);
  }
  return text;
}

bool isPassing(const Outcome& outcome) { return outcome.kind == OutcomeKind::ends; }

bool Possibilities::canPass() const {
  return std::any_of(outcomes.begin(), outcomes.end(), [](const auto& entry) { return isPassing(entry.first); });
}
bool Possibilities::canFail() const {
  return std::any_of(outcomes.begin(), outcomes.end(), [](const auto& entry) { return !isPassing(entry.first); });
}

} // namespace symbiosis::reference
