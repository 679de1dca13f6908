// Theory. Each part of Φ that a user can look up is put behind a literal of its own: a path condition, a part of
// the bug condition, what one read can see, one sync object. Z3's core over these literals is a contradiction; it
// is made smaller by leaving out one fact after the other. Program order, thread creation and joins are beyond
// doubt.
#include "constraints/contradiction.h"
#include "constraints/schedule_formula.h"
#include "trace/infix.h"
#include "trace/sync_model.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace symbiosis {

namespace {

std::vector<Fact> contradictingFacts(const SymbolicTrace& trace, Goal goal, const CallWatch& watch) {
  ScheduleFormula formula(trace, {.explains = true}, watch);
  if (formula.checkFacts(goal, formula.facts(), watch) != z3::unsat) return {};
  std::vector<Fact> core = formula.factsOfCore();
  try {
    for (size_t i = core.size(); i-- > 0;) {
      std::vector<Fact> fewer = core;
      fewer.erase(fewer.begin() + long(i));
      const CallWatch brief = watch.within(watch.secondsLeft() / 4); // a hard one must not cost the others
      if (formula.checkFacts(goal, fewer, brief) != z3::unsat) continue;
      core = formula.factsOfCore();
      i = std::min(i, core.size());
    }
  } catch (const LimitReached&) { // what is left is a contradiction too
  }
  return core;
}

class Sentences {
public:
  explicit Sentences(const SymbolicTrace& trace) : trace_(trace) {}

  std::string of(const Fact& fact) const {
    switch (fact.kind) {
    case Fact::Kind::bug: {
      const EventRef failure = trace_.failure.event;
      return fmt::format("the failing check{} needs {}", failure == kNoEvent ? "" : " of " + who(failure),
                         toInfix(trace_, trace_.failure.bug[fact.number]));
    }
    case Fact::Kind::condition: {
      const Condition& condition = trace_.conditions[fact.number];
      return fmt::format("{} went on as recorded{}, which needs {}", thread(condition.after),
                         place(condition.location, " at "), toInfix(trace_, condition.expr));
    }
    case Fact::Kind::read: return ofRead(fact.number);
    case Fact::Kind::object: return ofObject(fact.number);
    }
    return {};
  }

private:
  std::string thread(EventRef event) const { return trace_.threads[trace_.threadOf(event)].displayName; }
  std::string place(uint32_t location, const char* before) const {
    if (location == kNone || trace_.locations[location].file.empty()) return {};
    const SourceLocation& at = trace_.locations[location];
    return fmt::format("{}{}:{}", before, std::filesystem::path(at.file).filename().string(), at.line);
  }
  std::string who(EventRef event) const { return thread(event) + place(trace_.event(event).location, " at "); }
  std::string variable(EventRef event) const {
    const Event& e = trace_.event(event);
    if (!e.variable.empty()) return e.variable;
    return e.object == kNone || trace_.objects[e.object].name.empty() ? "memory" : trace_.objects[e.object].name;
  }

  // Who writes what it reads; several writes at one place are said once.
  std::string ofRead(EventRef read) const {
    constexpr size_t kMostWriters = 6;
    std::vector<std::string> writers;
    std::vector<std::string> initial;
    std::map<uint32_t, bool> cells;
    for (const Part& part : trace_.partsOf(read))
      if (part.symbol != kNone) cells[part.cell] = true;
    for (const auto& [cell, isRead] : cells)
      if (trace_.exprs.isConstant(trace_.cells[cell].initial))
        initial.push_back(toInfix(trace_, trace_.cells[cell].initial, trace_.cells[cell].isFloat));
    for (EventRef write = 0; write < trace_.events.size(); ++write)
      for (const Part& part : trace_.partsOf(write)) {
        if (part.written == kNoExpr || write == read || !cells.contains(part.cell)) continue;
        std::string text = who(write);
        if (trace_.exprs.isConstant(part.written))
          text += fmt::format(" (value {})", toInfix(trace_, part.written, trace_.cells[part.cell].isFloat));
        if (std::find(writers.begin(), writers.end(), text) == writers.end()) writers.push_back(text);
      }
    const size_t more = writers.size() > kMostWriters ? writers.size() - kMostWriters : 0;
    writers.resize(writers.size() - more);
    std::string text = fmt::format("the read of {} by {}", variable(read), who(read));
    if (const auto observed = observedValue(read)) text += fmt::format(" returned {}, and it", *observed);
    text += " sees the last write before it";
    text += writers.empty() ? fmt::format(", but nobody writes {}", variable(read))
                            : fmt::format(": of {}", fmt::join(writers, ", "));
    if (more > 0) text += fmt::format(" and {} more", more);
    if (!initial.empty())
      text +=
          fmt::format("{} the initial value {}", writers.empty() ? ", only" : ", or", fmt::join(initial, ", "));
    return text;
  }
  std::optional<std::string> observedValue(EventRef read) const {
    const Part& part = trace_.partsOf(read)[0];
    if (trace_.event(read).partCount != 1 || !trace_.symbols[part.symbol].observed) return std::nullopt;
    const SymbolInfo& symbol = trace_.symbols[part.symbol];
    return valueText(*symbol.observed, symbol.width, trace_.cells[part.cell].isFloat);
  }

  std::string ofObject(uint32_t object) const {
    const std::string name =
        trace_.objects[object].name.empty() ? trace_.objects[object].id : trace_.objects[object].name;
    std::vector<std::string> users;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref) {
      if (trace_.event(ref).object != object || isAccess(trace_.event(ref).kind)) continue;
      std::string text = fmt::format("{} by {}", toText(trace_.event(ref).kind), who(ref));
      if (users.size() < 4 && std::find(users.begin(), users.end(), text) == users.end()) users.push_back(text);
    }
    return fmt::format("{} {}: {}", name, ruleOf(object), fmt::join(users, ", "));
  }
  const char* ruleOf(uint32_t object) const {
    for (const Event& event : trace_.events) {
      const sync::Sort sort = sync::ruleOf(event.kind).sort;
      if (event.object == object && sort != sync::Sort::none) return sync::lawOf(sort);
    }
    return sync::lawOf(sync::Sort::none);
  }

  const SymbolicTrace& trace_;
};

} // namespace

std::vector<std::string> explainContradiction(const SymbolicTrace& trace, Goal goal, SolverLimits limits) {
  constexpr size_t kMostSentences = 12;
  std::vector<Fact> facts;
  try {
    const std::string contradiction = analyseSync(trace).contradiction;
    if (!contradiction.empty()) return {contradiction};
    facts = contradictingFacts(trace, goal, CallWatch(limits));
  } catch (const LimitReached&) {
  } catch (const z3::exception&) { // Z3 gave up; so there is nothing to say
  } catch (const std::bad_alloc&) {
  }
  // Bug and conditions first: a reader begins where it failed.
  std::sort(facts.begin(), facts.end());
  std::stable_partition(facts.begin(), facts.end(), [](const Fact& f) { return f.kind == Fact::Kind::bug; });
  std::vector<std::string> sentences;
  std::map<std::string, size_t> counts;
  const Sentences words(trace);
  for (const Fact& fact : facts) {
    std::string text = words.of(fact);
    if (++counts[text] == 1) sentences.push_back(std::move(text));
  }
  const size_t more = sentences.size() > kMostSentences ? sentences.size() - kMostSentences : 0;
  sentences.resize(sentences.size() - more);
  for (std::string& text : sentences)
    if (const size_t times = counts[text]; times > 1) text += fmt::format(" ({} times)", times);
  if (more > 0) sentences.push_back(fmt::format("and {} more such facts", more));
  return sentences;
}

} // namespace symbiosis
