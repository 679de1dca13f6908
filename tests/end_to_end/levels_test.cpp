// From a native run, recorded at each level, to a certified diagnosis; or to a message that says what to do.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

void compile(const Workspace& workspace, const std::string& source, const std::string& name) {
  ASSERT_STATUS(workspace.symbiosis(fmt::format("cc -g -O1 '{}' -o {} -pthread", source, name)), 0);
}

CommandResult diagnoseAt(const Workspace& workspace, const std::string& level, const std::string& program) {
  EXPECT_STATUS(
      workspace.symbiosis(fmt::format("profile --record {} --schedule native --runs 20000 ./{}", level, program)),
      0);
  return workspace.symbiosis("diagnose --replays 5");
}

class LevelTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LevelTest, TheLostDepositIsExplained) {
  Workspace workspace;
  compile(workspace, SYMBIOSIS_SOURCE_DIR "/examples/bank.c", "bank");
  EXPECT_STATUS(diagnoseAt(workspace, GetParam(), "bank"), 0);
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(report["rootCause"]["status"], "proved");
  EXPECT_EQ(report["alternate"]["status"], "found");
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5);
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5);
}
INSTANTIATE_TEST_SUITE_P(Levels, LevelTest, ::testing::Values("path", "addresses", "full"),
                         [](const auto& test) { return std::string(test.param); });

// An index that many values are written to cannot be told at level `path`.
TEST(LevelPath, NamesTheLineWhoseAddressIsAmbiguous) {
  Workspace workspace;
  compile(workspace, SYMBIOSIS_SOURCE_DIR "/examples/queue.c", "queue");
  const CommandResult result = diagnoseAt(workspace, "path", "queue");
  EXPECT_STATUS(result, 3);
  EXPECT_NE(result.output.find("queue.c:"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("--record addresses"), std::string::npos) << result.output;
}

// A pointer that is set once, and read by threads that did not set it.
TEST(LevelPath, FindsAnAddressThatOneThreadWrites) {
  Workspace workspace;
  workspace.write("account.c", R"(#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct Account { long id; int balance; };
static struct Account* account;
static void* deposit(void* unused) {
  for (int i = 0; i < 20; ++i) {
    int balance = account->balance;
    sched_yield();
    account->balance = balance + 1;
  }
  return unused;
}
int main(void) {
  pthread_t one, two;
  account = malloc(sizeof *account);
  account->balance = 0;
  pthread_create(&one, 0, deposit, 0);
  pthread_create(&two, 0, deposit, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(account->balance == 40);
})");
  compile(workspace, "account.c", "account");
  ASSERT_STATUS(workspace.symbiosis("profile --record path --schedule native --runs 20000 ./account"), 0);
  const CommandResult dumped = workspace.symbiosis("dump --trace");
  EXPECT_STATUS(dumped, 0);
  EXPECT_NE(dumped.output.find("account->balance"), std::string::npos);
  EXPECT_NE(dumped.output.find("bug condition"), std::string::npos);
}

} // namespace
