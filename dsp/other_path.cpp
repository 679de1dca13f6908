// Theory. The decisive decision takes the place of the check: its turned run is the alternate, and what forces it
// is the cause. Both come from the model of the failing run where that has what the turn needs, and from the model
// of the passing one (the *mirror*: what forces it to go as it went there) where the failing run had ended before.
#include "dsp/other_path.h"
#include "dsp/kept_updates.h"
#include "dsp/wording.h"
#include "replay/explore.h"
#include "replay/replay.h"
#include "search/recorded_runs.h"
#include "support/owned_directory.h"
#include "symexec/symexec.h"
#include "trace/evaluated_schedule.h"
#include "trace/infix.h"
#include "trace/recorded_order.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

constexpr size_t kFailing = 0, kAlternate = 1;

// The same decision in the run that passes: the same point of the same thread. kNoEvent: it is not there.
Decision inAlternate(const OtherPath& path, const Decision& decision) {
  const EventRef joined = path.joined.joined[kFailing][decision.event];
  Decision result{path.joined.own[kAlternate][joined], kNone};
  if (result.event == kNoEvent) return result;
  const SymbolicTrace& passing = path.runs[kAlternate];
  for (uint32_t c = 0; c < passing.conditions.size() && result.condition == kNone; ++c)
    if (passing.conditions[c].after == result.event &&
        !passing.exprs.symbolsIn(passing.conditions[c].expr).empty())
      result.condition = c;
  return result;
}

// --- what forces the decision ---

// The orderings of `order` that force the decision of this trace to go as it went.
RootCause causeOf(const SymbolicTrace& trace, const EventOrder& order, const Decision& decision,
                  const SolverLimits& limits) {
  const Cut cut = cutAt(trace, decision);
  ScheduleSolver solver(cut.trace, limits);
  const EventOrder model = cut.cutDown(order);
  solver.guideBy(model);
  RootCause cause = findRootCause(cut.trace, solver, model);
  for (OrderEdge& edge : cause.orders) {
    // Behind the stop there is nothing; an edge to it is one to the decision.
    for (EventRef* end : {&edge.before, &edge.after}) *end = *end == cut.stop ? cut.decision : *end;
    edge = {cut.original[edge.before], cut.original[edge.after]};
  }
  return cause;
}

RootCause joinedCause(const OtherPath& path, size_t side, RootCause cause) {
  for (OrderEdge& edge : cause.orders)
    edge = {path.joined.joined[side][edge.before], path.joined.joined[side][edge.after]};
  return cause;
}

// --- how the decision reads ---

// The reads of its thread that the decision is made of; of an outcome, the operation.
std::vector<EventRef> decidingReads(const SymbolicTrace& trace, const Decision& decision) {
  std::vector<EventRef> reads;
  if (decision.condition != kNone)
    for (uint32_t symbol : trace.exprs.symbolsIn(trace.conditions[decision.condition].expr)) {
      const EventRef read = trace.symbols[symbol].event;
      if (read != kNoEvent && trace.threadOf(read) == trace.threadOf(decision.event)) reads.push_back(read);
    }
  if (reads.empty()) reads.push_back(decision.event);
  std::sort(reads.begin(), reads.end());
  return reads;
}

// What is asked, without the "not" in front of it, and whether there was one.
struct Asked {
  std::string text;
  bool negated = false;
};
Asked askedBy(const SymbolicTrace& trace, ExprId expr) {
  const ExprNode& node = trace.exprs.node(expr);
  const bool isNot = node.b != kNoExpr && trace.exprs.width(node.a) == 1 && trace.exprs.isConstant(node.b) &&
                     ((node.op == ExprOp::bitXor && trace.exprs.constantValue(node.b) == 1) ||
                      (node.op == ExprOp::eq && trace.exprs.constantValue(node.b) == 0));
  return {toInfix(trace, isNot ? node.a : expr), isNot};
}

std::string outcomeWords(const Event& event) {
  if (event.kind == EventKind::wake) return event.outcome == 0 ? "signalled" : "time is up";
  return event.outcome == 0 ? "gets it" : "busy";
}

class DecisionWords {
public:
  explicit DecisionWords(const OtherPath& path)
      : path_(path), failing_(path.runs[kFailing], path.orders[kFailing]),
        alternate_(path.runs[kAlternate], path.orders[kAlternate]) {}

  ShownDecision of(const Decision& decision) const {
    const SymbolicTrace& trace = path_.runs[kFailing];
    ShownDecision shown;
    const EventRef read = telling(decidingReads(trace, decision));
    shown.event = path_.joined.joined[kFailing][read];
    shown.location = locationOf(trace, decision);
    const EventRef other = path_.joined.own[kAlternate][shown.event];
    const bool isBranch =
        decision.condition != kNone && trace.conditions[decision.condition].kind == ConditionKind::branch;
    shown.condition = trace.event(read).variable;
    std::string ways[2];
    if (isBranch) {
      const Asked asked = askedBy(trace, trace.conditions[decision.condition].expr);
      constexpr size_t kLongest = 40;
      if (characters(asked.text) <= kLongest) shown.condition = asked.text;
      ways[kFailing] = asked.negated ? "no" : "yes";
      ways[kAlternate] = asked.negated ? "yes" : "no";
    }
    if (trace.event(read).partCount == 0) {
      shown.failing = outcomeWords(trace.event(read));
      shown.alternate = other == kNoEvent ? "does not happen" : outcomeWords(path_.runs[kAlternate].event(other));
      return shown;
    }
    shown.failing = words(formatValue(failing_.accessValue(read)), ways[kFailing]);
    shown.alternate = other == kNoEvent ? "does not happen"
                                        : words(formatValue(alternate_.accessValue(other)), ways[kAlternate]);
    // It is not what it sees that differs, but when it comes.
    if (shown.failing == shown.alternate) shown.failing += ", early", shown.alternate += ", later";
    return shown;
  }

private:
  // Of several reads the last that saw something else in the other run.
  EventRef telling(const std::vector<EventRef>& reads) const {
    for (size_t i = reads.size(); i-- > 0;) {
      const EventRef other = path_.joined.own[kAlternate][path_.joined.joined[kFailing][reads[i]]];
      if (other == kNoEvent || path_.runs[kFailing].event(reads[i]).partCount == 0) continue;
      if (failing_.accessValue(reads[i]).bits != alternate_.accessValue(other).bits) return reads[i];
    }
    return reads.back();
  }
  static std::string words(const std::string& value, const std::string& way) {
    return way.empty() ? value : fmt::format("{} -> {}", value, way);
  }
  const OtherPath& path_;
  EvaluatedSchedule failing_, alternate_;
};

// What forces the decision, in events of the joined trace.
RootCause causeOf(const OtherPath& path, const Decision& decision, const SolverLimits& limits) {
  if (!path.isDelayed)
    return joinedCause(path, kFailing, causeOf(path.runs[kFailing], path.orders[kFailing], decision, limits));
  const Decision mirrored = inAlternate(path, decision);
  if (mirrored.condition == kNone) return {};
  return joinedCause(path, kAlternate, causeOf(path.runs[kAlternate], path.orders[kAlternate], mirrored, limits));
}

// That the read comes before the write that is lost, and what is made of it after, is what losing it means.
RootCause showUpdate(OtherPath& path, const LostUpdate& update, ProofStatus status) {
  const std::vector<EventRef>& joined = path.joined.joined[kFailing];
  path.lostUpdate = AtomicRegion{joined[update.read], joined[update.write], {joined[update.lost]}};
  return {.orders = {{joined[update.read], joined[update.lost]}, {joined[update.lost], joined[update.write]}},
          .status = status,
          .note = {}};
}

// What may still be spent in search of a run that passes.
struct Budget {
  size_t runs = 0;
  std::chrono::steady_clock::time_point end;
  double seconds() const { return std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count(); }
};

// Where one turn is not enough: the decisions of failing runs on other paths are turned, too. A run that passes.
std::optional<LoggedRun> passingBeyond(const Recording& recording, const std::vector<LoggedRun>& failing,
                                       const DecisiveOptions& options, Budget& budget, unsigned depth) {
  constexpr size_t kMostRuns = 4;
  for (size_t i = 0; i < failing.size() && i < kMostRuns && depth > 0; ++i) {
    if (budget.seconds() <= 0 || budget.runs == 0) return std::nullopt;
    Result<OwnedDirectory> place = OwnedDirectory::make(fs::temp_directory_path(), "symbiosis-further-");
    if (!place) return std::nullopt;
    Result<WalkedRun> kept = recordWalked(recording, failing[i], place->path() / "run" / "kept");
    if (!kept) continue;
    DecisiveOptions fewer = options;
    fewer.exploredRuns = 0;
    fewer.mostRuns = budget.runs;
    fewer.seconds = std::max(0.0, budget.seconds());
    Result<DecisiveSearch> search = findDecisive(kept->recording, kept->trace, kept->order, fewer, {});
    if (!search) continue;
    budget.runs -= std::min(budget.runs, search->counts.runs + 1);
    std::optional<LoggedRun> found;
    if (search->found)
      found = std::move(search->found->passing);
    else
      found = passingBeyond(kept->recording, search->furtherFailing, options, budget, depth - 1);
    if (!found) continue;
    found->how.launch = failing[i].how.launch; // the program that was kept here is gone
    return found;
  }
  return std::nullopt;
}

// Both runs, and the decision between them.
Result<std::shared_ptr<OtherPath>> joinWithPassing(const Recording& recording, const SymbolicTrace& trace,
                                                   const EventOrder& failing, const LoggedRun& passing,
                                                   const fs::path& place) {
  Result<Recording> recorded = recordBeside(recording, passing, place);
  if (!recorded) return recorded.error();
  Result<SymbolicTrace> passed = executeSymbolically(*recorded);
  if (!passed) return passed.error();
  auto path = std::make_shared<OtherPath>();
  path->orders[kFailing] = failing;
  path->orders[kAlternate] = recordedOrder(*passed, *recorded);
  path->runs[kFailing] = trace;
  path->runs[kAlternate] = std::move(*passed);
  path->joined = joinRuns(path->runs[kFailing], path->runs[kAlternate]);
  path->recording = recorded->directory;
  return path;
}

} // namespace

Result<OtherPathAnswer> findOtherPath(const Recording& recording, const SymbolicTrace& trace,
                                      const EventOrder& failing, const OtherPathOptions& options,
                                      Observer& observer) {
  observer.begins(Stage::otherPath);
  observer.willRun(Stage::otherPath, 1, options.decisive.mostRuns);
  OtherPathAnswer answer;

  // 1. The failing run with everything recorded: what a native run, or one at a lower level, does not hold can
  // then be
  //    asked for. Where it cannot be had, what there is must do.
  std::optional<WalkedRun> full;
  if (recording.granted.empty() || recording.info.level != format::Level::full || !options.isFull) {
    Result<WalkedRun> again = recordFailing(recording, toSchedule(trace, failing, recording.info.programHash),
                                            recording.directory / "report" / "failing");
    if (again) full = std::move(*again);
  }
  const Recording& base = full ? full->recording : recording;
  const SymbolicTrace& walked = full ? full->trace : trace;
  const EventOrder& order = full ? full->order : failing;

  // 2. The decision that turns the failure, executed both ways.
  Result<DecisiveSearch> search =
      findDecisive(base, walked, order, options.decisive, [&](const DecisiveCounts& counts) {
        observer.runs(Stage::otherPath, counts.runs, options.decisive.mostRuns);
      });
  if (!search) return search.error();
  answer.search = std::move(*search);
  constexpr unsigned kMostTurnsInARow = 3;
  if (!answer.search.found && !answer.search.anyPassing) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(options.decisive.seconds));
    Budget budget{options.decisive.mostRuns - std::min(options.decisive.mostRuns, answer.search.counts.runs),
                  std::min(end, options.decisive.question.deadline)};
    answer.search.anyPassing =
        passingBeyond(base, answer.search.furtherFailing, options.decisive, budget, kMostTurnsInARow - 1);
  }
  const LoggedRun* passing = answer.search.found        ? &answer.search.found->passing
                             : answer.search.anyPassing ? &*answer.search.anyPassing
                                                        : nullptr;
  if (!passing) return answer;

  // 3. A run that passes, recorded and walked, beside the failing one.
  Result<std::shared_ptr<OtherPath>> path =
      joinWithPassing(base, walked, order, *passing, placeOfAlternate(recording));
  if (!path) {
    answer.note = path.error().message;
    return answer;
  }
  answer.path = std::move(*path);

  // 4. What forces the decision to go as it did.
  if (answer.search.found) {
    const TurnedDecision& turned = *answer.search.found;
    answer.path->contrast = turned.contrast;
    answer.path->isDecisive = answer.search.isSignificant;
    answer.path->isDelayed = turned.delayedBefore != kNoEvent;
    answer.path->decision = DecisionWords(*answer.path).of(turned.decision);
    if (turned.update)
      answer.cause = showUpdate(*answer.path, *turned.update, ProofStatus::proved);
    else
      answer.cause = causeOf(*answer.path, turned.decision, options.cause);
  }
  if (answer.path->isDecisive) return answer;

  // 5. Where no decision explains it, what only the failing run loses.
  if (const std::optional<LostUpdate> update = lostOnlyWhenFailing(*answer.path)) {
    answer.path->contrast = {};
    answer.path->isDelayed = false;
    answer.path->decision = DecisionWords(*answer.path).of({update->read, kNone});
    answer.cause = showUpdate(*answer.path, *update, ProofStatus::tested);
    answer.cause.note = "the run that passes loses no update of it; no single one decides";
  } else {
    answer.path->lostUpdate.reset();
  }
  return answer;
}

} // namespace symbiosis
