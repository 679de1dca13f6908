// Native runs that no replay repeats: their failure is found again under control, and explained there.
#include "tests/workspace.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// In its first run in a directory the program goes another way than ever after. It reads the limit before it is set,
// natively almost always.
const char* const kFirstTime = R"(
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int limit, steps, isFirst;
static void* worker(void* unused) {
  for (int i = 0; i < 3 && isFirst; ++i) steps = steps + 1;
  assert(limit == 5);
  return unused;
}
int main(void) {
  const int mark = open("been-here", O_CREAT | O_EXCL | O_WRONLY, 0644);
  isFirst = mark >= 0;
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  usleep(20000);
  steps = steps + 1;
  limit = 5;
  return pthread_join(thread, 0);
}
)";

TEST(FoundAgain, IsWhatTheProgramDoesNotRepeat) {
  testing::Workspace workspace;
  workspace.write("first.c", kFirstTime);
  ASSERT_EQ(workspace.symbiosis("cc -g -O1 first.c -o first -pthread").status, 0);
  const testing::CommandResult profiled = workspace.symbiosis("profile --schedule native ./first");
  ASSERT_EQ(profiled.status, 0) << profiled.output;
  const testing::CommandResult diagnosed = workspace.symbiosis("diagnose");
  EXPECT_EQ(diagnosed.status, 0) << diagnosed.output;
  EXPECT_THAT(diagnosed.output, HasSubstr("trying the failing schedule now, once"));
  EXPECT_THAT(diagnosed.output, HasSubstr("looking for its failure under control"));
  EXPECT_THAT(diagnosed.output, HasSubstr("on limit"));
  EXPECT_THAT(diagnosed.output, HasSubstr("failing schedule 20/20 failed"));
  EXPECT_THAT(workspace.read(".symbiosis/latest/report/dsp.json"),
              HasSubstr("the recorded run is not repeated: schedule"));
  // What was explained is what can be replayed.
  const testing::CommandResult replayed = workspace.symbiosis("replay --failing --times 3");
  EXPECT_EQ(replayed.status, 0) << replayed.output;
}

TEST(FoundAgain, IsNotLookedForIfNothingIsToBeRun) {
  testing::Workspace workspace;
  workspace.write("first.c", kFirstTime);
  ASSERT_EQ(workspace.symbiosis("cc -g -O1 first.c -o first -pthread").status, 0);
  ASSERT_EQ(workspace.symbiosis("profile --schedule native ./first").status, 0);
  const testing::CommandResult diagnosed = workspace.symbiosis("diagnose --replays 0");
  EXPECT_THAT(diagnosed.output, Not(HasSubstr("now")));
  EXPECT_THAT(diagnosed.output, HasSubstr("not replayed"));
}

} // namespace
} // namespace symbiosis
