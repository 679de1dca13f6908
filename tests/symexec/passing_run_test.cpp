// A run that passed is walked like one that failed: the same events, and no failure in them.
#include "symexec/symexec.h"
#include "tests/workspace.h"
#include "trace/evaluator.h"
#include "trace/recorded_order.h"
#include <algorithm>
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

constexpr const char* kProgram = R"(
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  if (count != 2) abort();
  return count + 1;
}
)";
constexpr int kStatus = 3; // with which the program ends

// Keeps one run as if it had failed, and then says what it is: one with the status that was expected.
void recordPassingRun(const testing::Workspace& workspace, const std::string& options) {
  workspace.write("program.c", kProgram);
  ASSERT_STATUS(workspace.symbiosis("cc -g -O1 program.c -o program -pthread"), 0);
  ASSERT_STATUS(
      workspace.symbiosis(fmt::format("profile {} --runs 1 --expect-exit 77 -o kept ./program", options)), 0);
  ASSERT_STATUS(workspace.run(fmt::format(
                    "sed -i 's/\"expectedExit\": 77/\"expectedExit\": {}/' kept/manifest.json", kStatus)),
                0);
}

class PassingRun : public ::testing::TestWithParam<const char*> {};

TEST_P(PassingRun, HasATraceWithoutAFailure) {
  testing::Workspace workspace;
  recordPassingRun(workspace, GetParam());
  Result<Recording> recording = openRecording(workspace.root() / "kept");
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_TRUE(hasPassed(*recording));
  Result<SymbolicTrace> trace = executeSymbolically(*recording);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->failure.kind, FailureKind::none);
  EXPECT_EQ(trace->failure.event, kNoEvent);
  EXPECT_TRUE(trace->failure.bug.empty());
  EXPECT_EQ(trace->failure.message, "exit status 3");
  // What was decided is a condition like any other: it is not the failing check of anything.
  const auto isBranch = [](const Condition& condition) { return condition.kind == ConditionKind::branch; };
  EXPECT_EQ(std::count_if(trace->conditions.begin(), trace->conditions.end(), isBranch), 1);
  if (recording->granted.empty()) return;
  const Evaluation evaluation = Evaluator(*trace).explain(recordedOrder(*trace, *recording));
  EXPECT_EQ(evaluation.outcome, Outcome::passing) << evaluation.reason;
}
INSTANTIATE_TEST_SUITE_P(Levels, PassingRun,
                         ::testing::Values("--schedule native --record path",
                                           "--schedule native --record addresses",
                                           "--schedule native --record full", "--schedule random"),
                         [](const auto& param) {
                           const std::string options = param.param;
                           return options.substr(options.rfind(' ') + 1);
                         });

TEST(PassingRunCommands, DumpItAndHaveNothingToDiagnose) {
  testing::Workspace workspace;
  recordPassingRun(workspace, "--schedule native");
  const testing::CommandResult dumped = workspace.symbiosis("dump --trace kept");
  ASSERT_STATUS(dumped, 0);
  EXPECT_THAT(dumped.output, ::testing::HasSubstr("\nno failure: exit status 3\n"));
  EXPECT_THAT(dumped.output, ::testing::Not(::testing::HasSubstr("bug condition")));
  const testing::CommandResult asked = workspace.symbiosis("dump --smt2 kept");
  ASSERT_STATUS(asked, 2);
  EXPECT_THAT(asked.output, ::testing::HasSubstr("the recorded run passed"));
  const testing::CommandResult diagnosed = workspace.symbiosis("diagnose kept");
  ASSERT_STATUS(diagnosed, 2);
  EXPECT_THAT(diagnosed.output, ::testing::HasSubstr("the recorded run passed (exit status 3)"));
}

} // namespace
} // namespace symbiosis
