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

// Its indices come from shared memory: at level `path` they are told by the order of the locks.
TEST(LevelPath, TheRunningExampleIsExplained) {
  Workspace workspace;
  compile(workspace, SYMBIOSIS_SOURCE_DIR "/examples/queue.c", "queue");
  EXPECT_STATUS(diagnoseAt(workspace, "path", "queue"), 0);
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(report["classification"]["class"], "atomicity violation");
  EXPECT_EQ(report["classification"]["variable"], "filled");
  EXPECT_EQ(report["rootCause"]["status"], "proved");
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5);
}

// A pointer that was read before the other thread set it is no address, and a null pointer explains a crash.
TEST(LevelPath, MendsWhatTheTimeStampsDoNotTell) {
  Workspace workspace;
  workspace.write("published.c", R"(#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct Box { long unused; volatile int value; };
static struct Box* volatile box;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* publish(void* unused) {
  struct Box* made = malloc(sizeof *made);
  usleep(1000);
  made->value = 0;
  box = made;
  usleep(20000);
  made->value = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, publish, 0);
  while (!box) usleep(100);
  int seen = box->value;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  assert(seen == 1);
})");
  workspace.write("gone.c", R"(#include <pthread.h>
#include <unistd.h>
static int two = 2;
static int* volatile number = &two;
static void* replace(void* unused) {
  usleep(1000);
  number = NULL;
  usleep(50000);
  number = &two;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, replace, 0);
  usleep(20000);
  int seen = *number;
  pthread_join(thread, 0);
  return seen - 2;
})");
  for (const char* program : {"published", "gone"}) {
    SCOPED_TRACE(program);
    compile(workspace, fmt::format("{}.c", program), program);
    EXPECT_STATUS(diagnoseAt(workspace, "path", program), 0);
  }
}

// What uninstrumented code has filled is not known at this level.
TEST(LevelPath, NamesTheLineWhoseAddressIsNotKnown) {
  Workspace workspace;
  workspace.write("choice.c", R"(#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static volatile int slots[4];
static void* count(void* unused) {
  int place;
  sscanf("2", "%d", &place);
  for (int i = 0; i < 1000; ++i) ++slots[place];
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, count, 0);
  pthread_create(&two, 0, count, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(slots[2] == 2001);
})");
  compile(workspace, "choice.c", "choice");
  EXPECT_STATUS(workspace.symbiosis("profile --record path --schedule native --runs 20000 ./choice"), 0);
  const CommandResult result = workspace.symbiosis("diagnose --replays 0"); // else it is found again under control
  EXPECT_STATUS(result, 3);
  EXPECT_NE(result.output.find("choice.c:8"), std::string::npos) << result.output;
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
