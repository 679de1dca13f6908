// Differential test against reality: programs that csmith generates run under the recorder and are executed again
// from the recording alone. The checksum must be the same, with only the memory symbolic that really is shared,
// and with all of it.
#include "constraints/schedule_solver.h"
#include "symexec/symexec.h"
#include "tests/support/scale.h"
#include "tests/workspace.h"

namespace symbiosis {
namespace {

constexpr int kExpected = 77; // of a run that "passes": every run fails, with status 0, and is kept
constexpr uint64_t kLargestForSymbols = 200'000; // bytes of logs

class GeneratedProgram : public ::testing::TestWithParam<int> {
protected:
  // False: the program runs for too long.
  bool generate(int seed) {
    EXPECT_STATUS(
        workspace_.run(fmt::format("csmith --seed {} --max-funcs 4 --max-block-depth 3 > generated.c", seed)), 0);
    EXPECT_STATUS(workspace_.run(fmt::format("clang-19 -w -O1 {} -o plain", arguments())), 0);
    return workspace_.run("timeout 2 ./plain").status == 0;
  }
  static std::string arguments() {
    return fmt::format("-I/usr/include/csmith -I. '{}/tests/symexec/csmith_main.c' "
                       "-pthread",
                       SYMBIOSIS_SOURCE_DIR);
  }

  Recording record(const std::string& level, std::string& output) {
    EXPECT_STATUS(workspace_.symbiosis(fmt::format("cc -w -g {} {} -o app", level, arguments())), 0);
    workspace_.run("rm -rf recording");
    testing::CommandResult profiled = workspace_.symbiosis(fmt::format(
        "profile --record full --schedule native --runs 1 --expect-exit {} -o recording ./app", kExpected));
    EXPECT_STATUS(profiled, 0);
    output = profiled.output;
    Result<Recording> recording = openRecording(workspace_.root() / "recording");
    EXPECT_TRUE(recording) << recording.error().message;
    return recording ? std::move(*recording) : Recording{};
  }

  testing::Workspace workspace_;
};

uint64_t printedResult(const std::string& output) {
  const size_t at = output.find("result ");
  EXPECT_NE(at, std::string::npos) << output;
  return at == std::string::npos ? 0 : std::stoull(output.substr(at + 7));
}

// The second thread runs between its creation and the join.
EventOrder theOnlyOrder(const SymbolicTrace& trace) {
  EventOrder order;
  for (EventRef ref = 0; ref < trace.threads[0].eventCount; ++ref) {
    order.push_back(ref);
    if (trace.event(ref).kind != EventKind::fork) continue;
    const TraceThread& child = trace.threads[trace.event(ref).peer];
    for (uint32_t i = 0; i < child.eventCount; ++i) order.push_back(child.firstEvent + i);
  }
  return order;
}

void expectChecksum(const SymbolicTrace& trace, uint64_t checksum, const std::string& what) {
  Evaluator evaluator(trace);
  const Evaluation evaluation = evaluator.explain(theOnlyOrder(trace));
  ASSERT_EQ(evaluation.outcome, Outcome::failing) << what << ": " << evaluation.reason;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    if (trace.threadOf(ref) == 1 && trace.event(ref).variable == "result") {
      EXPECT_EQ(evaluator.accessValue(ref).bits, checksum) << what;
      return;
    }
  ADD_FAILURE() << what << ": the checksum was not read";
}

TEST_P(GeneratedProgram, HasTheSameChecksumWhenExecutedFromItsRecording) {
  const int programs = 5 * int(testing::testScale());
  int tried = 0, tooLong = 0;
  for (int seed = GetParam(); tried < programs && tooLong < 10 * programs; seed += 4) {
    if (!generate(seed)) {
      ++tooLong;
      continue;
    }
    ++tried;
    for (const char* level : {"-O0", "-O2"}) {
      SCOPED_TRACE(fmt::format("csmith --seed {}, {}", seed, level));
      std::string output;
      const Recording recording = record(level, output);
      const uint64_t checksum = printedResult(output);
      SymexecStats stats;
      Result<SymbolicTrace> trace = executeSymbolically(recording, {}, &stats);
      ASSERT_TRUE(trace) << trace.error().message;
      EXPECT_EQ(stats.changedFromOutside, 0u) << stats.firstChange;
      expectChecksum(*trace, checksum, "what is shared");
      Result<SymbolicTrace> addresses = executeSymbolically(recording, {.atMost = format::Level::addresses});
      ASSERT_TRUE(addresses) << addresses.error().message;
      expectChecksum(*addresses, checksum, "level addresses");
      if (recording.info.logBytes > kLargestForSymbols) continue;
      Result<SymbolicTrace> all = executeSymbolically(recording, {.everythingShared = true});
      ASSERT_TRUE(all) << all.error().message;
      EXPECT_GT(all->events.size(), trace->events.size());
      expectChecksum(*all, checksum, "everything");
    }
  }
  EXPECT_EQ(tried, programs);
}
INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedProgram, ::testing::Range(1, 5));

} // namespace
} // namespace symbiosis
