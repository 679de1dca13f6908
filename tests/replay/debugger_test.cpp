// `symbiosis replay --gdb` and `--trace`, driven without a terminal.
#include "tests/workspace.h"
#include <cstdlib>

namespace symbiosis {
namespace {

using testing::CommandResult;

constexpr const char* kProgram = R"(#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static volatile int balance;
static void check(int before, int word) { assert(word == 'x' && balance == before + 1); }
static void* deposit(void* word) {
  int before = balance;
  balance = before + 1;
  check(before, *(const char*)word);
  return 0;
}
int main(int argc, char** argv) {
  pthread_t threads[2];
  int first = getchar();
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, deposit, argv[1]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return first == 'i' ? 0 : 3;
}
)";

class Debugger : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(std::system("gdb --version > /dev/null 2>&1"), 0) << "there is no gdb; scripts/test installs it";
    workspace_.write("program.c", kProgram);
    ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 program.c -o program -pthread"), 0);
    // An argument that a shell would take apart, and input that must not come from the terminal.
    ASSERT_STATUS(workspace_.run(fmt::format(
                      "echo input | '{}' profile --schedule portfolio ./program \"x 'y' z\"", SYMBIOSIS_BINARY)),
                  0);
    workspace_.symbiosis("diagnose --replays 0");
  }

  testing::Workspace workspace_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Debugger, StopsAtTheFailureAndBeginsTheSameRunAgain) {
  workspace_.write("commands", "bt\nframe\nrun\nframe\ninfo threads\n");
  const CommandResult result = workspace_.symbiosis("replay --failing --gdb --gdb-commands commands");
  EXPECT_STATUS(result, 0);
  // The failing function is selected, and its caller is on the stack.
  EXPECT_TRUE(contains(result.output, "in check (")) << result.output;
  EXPECT_TRUE(contains(result.output, "deposit (word=")) << result.output;
  size_t stops = 0;
  for (size_t at = 0; (at = result.output.find("hit Breakpoint 1, ", at)) != std::string::npos; ++at) ++stops;
  EXPECT_EQ(stops, 2u) << result.output;
}

TEST_F(Debugger, SaysWhyARunCouldNotFollowItsSchedule) {
  std::string schedule = workspace_.read(".symbiosis/latest/report/failing.schedule");
  const size_t at = schedule.find(" fork ");
  ASSERT_NE(at, std::string::npos) << schedule;
  schedule.replace(at, 6, " lock ");
  workspace_.write("edited", schedule);
  workspace_.write("commands", "bt\n");
  const CommandResult result = workspace_.symbiosis("replay --schedule edited --gdb --gdb-commands commands");
  EXPECT_TRUE(contains(result.output, "endProcess")) << result.output;
  EXPECT_TRUE(contains(result.output, "expected thread 0 to lock")) << result.output;
}

TEST_F(Debugger, TheTraceListsWhatEachThreadDid) {
  const CommandResult result = workspace_.symbiosis("replay --failing --trace");
  EXPECT_STATUS(result, 0);
  for (const char* line : {"0             0  start", "fork", "program.c:7  balance", "program.c:8  balance"})
    EXPECT_TRUE(contains(result.output, line)) << line << " is missing in\n" << result.output;
  EXPECT_LT(result.output.find("0.1           0  start"), result.output.find("failure")) << result.output;
}

} // namespace
} // namespace symbiosis
