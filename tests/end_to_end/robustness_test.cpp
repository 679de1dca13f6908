// Recordings of programs that are killed at any moment, or that leave the recorder nothing to work with.
#include "tests/support/scale.h"
#include "tests/workspace.h"
#include <map>
#include <random>
#include <sstream>

using namespace symbiosis;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

// Thread -> the blocks that it executed, as `dump --blocks` shows them.
std::map<std::string, std::string> blocksOf(const std::string& dump) {
  std::map<std::string, std::string> blocks;
  std::istringstream lines(dump);
  std::string thread;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("thread ")) thread = line.substr(7, line.find(' ', 7) - 7);
    constexpr std::string_view kBlocks = "  blocks: ";
    if (line.starts_with(kBlocks) && line.size() > kBlocks.size())
      blocks[thread] = line.substr(kBlocks.size()) + " ";
  }
  return blocks;
}

void build(const Workspace& workspace, const char* source) {
  ASSERT_STATUS(workspace.symbiosis(fmt::format("cc -g -O1 {}/tests/programs/path/{} -o app -pthread",
                                                SYMBIOSIS_SOURCE_DIR, source)),
                0);
}

TEST(Robustness, ARecordingThatWasCutOffAnywhereDecodesToTheBeginningOfTheRun) {
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(build(workspace, "steady.c"));
  ASSERT_STATUS(workspace.symbiosis("profile --schedule native --runs 1 -o whole ./app"), 0);
  const std::map<std::string, std::string> whole = blocksOf(workspace.symbiosis("dump --blocks whole").output);
  ASSERT_EQ(whole.size(), 17u);
  std::mt19937_64 random(4711);
  size_t cut = 0;
  for (size_t run = 1; run <= 20 * symbiosis::testing::testScale() && !::testing::Test::HasFailure(); ++run) {
    // From before main to about the end.
    const double seconds = 0.0005 * double(1 + random() % 100);
    const CommandResult profiled =
        workspace.symbiosis(fmt::format("profile --schedule native --runs 1 --timeout {} -o kept ./app", seconds));
    const bool begun = profiled.output.find("before anything was recorded") == std::string::npos;
    if (begun) {
      ASSERT_STATUS(profiled, 0);
      const CommandResult dumped = workspace.symbiosis("dump --blocks kept");
      ASSERT_STATUS(dumped, 0);
      for (const auto& [thread, blocks] : blocksOf(dumped.output)) {
        ASSERT_TRUE(whole.count(thread)) << thread;
        EXPECT_TRUE(whole.at(thread).starts_with(blocks))
            << "thread " << thread << ", killed after " << seconds << ": " << blocks.substr(0, 200) << "\n"
            << whole.at(thread).substr(0, 200);
      }
      cut += profiled.output.find("time-out") != std::string::npos;
      // It can be followed, or it is said why it cannot be diagnosed; never is anything misread.
      EXPECT_NE(workspace.symbiosis("dump --trace kept").status, 70);
    }
    workspace.run("rm -rf kept");
  }
  EXPECT_GT(cut, 0u) << "no run was cut off";
}

class LimitsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LimitsTest, LeaveTheProgramAsItIs) {
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(build(workspace, "limits.c"));
  const std::string how = GetParam();
  const CommandResult plain = workspace.run("./app " + how);
  EXPECT_STATUS(plain, 7);
  const CommandResult profiled = workspace.symbiosis("profile --schedule native --runs 1 -o kept -- ./app " + how);
  EXPECT_NE(profiled.output.find(plain.output), std::string::npos) << profiled.output;
  EXPECT_NE(profiled.output.find("exit status 7"), std::string::npos) << profiled.output;
  if (profiled.status == 0) {
    EXPECT_STATUS(workspace.symbiosis("dump --blocks kept"), 0);
    return;
  }
  // What could not be recorded is said, with the reason.
  EXPECT_STATUS(profiled, 3);
  EXPECT_NE(profiled.output.find("the recording is incomplete: "), std::string::npos) << profiled.output;
}

INSTANTIATE_TEST_SUITE_P(Each, LimitsTest,
                         ::testing::Values("descriptors", "no-files", "small-files", "little-memory"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Robustness, ADirectoryThatCannotBeWrittenIsSaidBeforeTheProgramRuns) {
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(build(workspace, "limits.c"));
  workspace.write(".symbiosis", "a file, not a directory");
  const CommandResult profiled = workspace.symbiosis("profile --runs 1 ./app");
  EXPECT_STATUS(profiled, 2);
  EXPECT_NE(profiled.output.find(".symbiosis"), std::string::npos) << profiled.output;
  EXPECT_EQ(profiled.output.find("228572"), std::string::npos) << "it ran: " << profiled.output;
}

TEST(Robustness, AFailureWhosePlaceIsGoneIsKeptElsewhere) {
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(build(workspace, "limits.c"));
  workspace.write("taken", "a file, not a directory");
  const CommandResult profiled =
      workspace.symbiosis("profile --schedule native --runs 1 -o taken/recording ./app");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("the recording is kept elsewhere"), std::string::npos) << profiled.output;
  const std::string next = "next: symbiosis diagnose ";
  const size_t at = profiled.output.find(next);
  ASSERT_NE(at, std::string::npos) << profiled.output;
  const std::string kept =
      profiled.output.substr(at + next.size(), profiled.output.find('\n', at) - at - next.size());
  EXPECT_STATUS(workspace.symbiosis("dump --blocks " + kept), 0);
  workspace.run("rm -r $(dirname " + kept + ")");
}

} // namespace
