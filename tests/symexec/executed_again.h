#pragma once
// A program that shows a checksum to a second thread runs under the recorder, and is executed again from the
// recording alone: the checksum must be the same, with only the memory symbolic that really is shared, and with
// all of it.
#include "symexec/symexec.h"
#include "tests/workspace.h"
#include "trace/evaluator.h"

namespace symbiosis::testing {

inline constexpr int kExpected = 77; // of a run that "passes": every run fails, with status 0, and is kept

// `command`: `symbiosis …`, which makes ./app.
inline Recording recordOnce(const Workspace& workspace, const std::string& command, std::string& output) {
  EXPECT_STATUS(workspace.symbiosis(command), 0);
  workspace.run("rm -rf recording");
  const CommandResult profiled = workspace.symbiosis(fmt::format(
      "profile --record full --schedule native --runs 1 --expect-exit {} -o recording ./app", kExpected));
  EXPECT_STATUS(profiled, 0);
  output = profiled.output;
  Result<Recording> recording = openRecording(workspace.root() / "recording");
  EXPECT_TRUE(recording) << recording.error().message;
  return recording ? std::move(*recording) : Recording{};
}

inline uint64_t printedResult(const std::string& output) {
  const size_t at = output.find("result ");
  EXPECT_NE(at, std::string::npos) << output;
  return at == std::string::npos ? 0 : std::stoull(output.substr(at + 7));
}

// The second thread runs between its creation and the join.
inline EventOrder theOnlyOrder(const SymbolicTrace& trace) {
  EventOrder order;
  for (EventRef ref = 0; ref < trace.threads[0].eventCount; ++ref) {
    order.push_back(ref);
    if (trace.event(ref).kind != EventKind::fork) continue;
    const TraceThread& child = trace.threads[trace.event(ref).peer];
    for (uint32_t i = 0; i < child.eventCount; ++i) order.push_back(child.firstEvent + i);
  }
  return order;
}

// Made of a value that nobody read: below level `full` that is what uninstrumented code has left in memory.
inline bool isUnknown(const SymbolicTrace& trace, const Evaluator& evaluator, EventRef read) {
  const EventRef write = evaluator.readFrom()[trace.event(read).firstPart];
  if (write == kNoEvent) return false;
  for (uint32_t symbol : trace.exprs.symbolsIn(trace.partsOf(write)[0].written))
    if (trace.symbols[symbol].event == kNoEvent) return true;
  return false;
}

enum class Certainty { known, mayBeUnknown };

inline void expectChecksum(const SymbolicTrace& trace, uint64_t checksum, const std::string& what,
                           Certainty certainty = Certainty::known) {
  Evaluator evaluator(trace);
  const Evaluation evaluation = evaluator.explain(theOnlyOrder(trace));
  ASSERT_EQ(evaluation.outcome, Outcome::failing) << what << ": " << evaluation.reason;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (trace.threadOf(ref) == 1 && trace.event(ref).variable == "result") {
      if (certainty == Certainty::mayBeUnknown && isUnknown(trace, evaluator, ref)) return;
      EXPECT_EQ(evaluator.accessValue(ref).bits, checksum) << what;
      return;
    }
  ADD_FAILURE() << what << ": the checksum was not read";
}

// `alone`: no library writes memory of the program. Where one does, the words that it has changed are not made
// symbols.
inline void expectSameAgain(const Recording& recording, uint64_t checksum, bool alone,
                            uint64_t largestForSymbols = ~uint64_t{0}) {
  SymexecStats stats;
  Result<SymbolicTrace> trace = executeSymbolically(recording, {}, &stats);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_TRUE(!alone || stats.changedFromOutside == 0) << stats.firstChange;
  expectChecksum(*trace, checksum, "what is shared");
  Result<SymbolicTrace> addresses = executeSymbolically(recording, {.atMost = format::Level::addresses});
  ASSERT_TRUE(addresses) << addresses.error().message;
  expectChecksum(*addresses, checksum, "level addresses", alone ? Certainty::known : Certainty::mayBeUnknown);
  if (recording.info.logBytes > largestForSymbols) return;
  Result<SymbolicTrace> all = executeSymbolically(recording, {.everythingShared = true});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_GT(all->events.size(), trace->events.size());
  expectChecksum(*all, checksum, "everything");
}

} // namespace symbiosis::testing
