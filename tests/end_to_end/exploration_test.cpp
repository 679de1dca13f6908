// What exploration says of its runs is true of them: what did not come to its end is counted apart, with its
// reason, and is never part of "none failed".
#include "tests/workspace.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

using testing::CommandResult;
using testing::Workspace;

CommandResult explored(const Workspace& workspace, const std::string& program, const std::string& options) {
  workspace.write("app.c", program);
  const CommandResult built = workspace.symbiosis("cc -g -O1 app.c -o app -pthread");
  EXPECT_STATUS(built, 0);
  return workspace.symbiosis("profile --schedule portfolio " + options + " ./app");
}

void expectSays(const CommandResult& result, const std::string& words) {
  EXPECT_NE(result.output.find(words), std::string::npos) << words << "\n" << result.output;
}
void expectNeverSays(const CommandResult& result, const std::string& words) {
  EXPECT_EQ(result.output.find(words), std::string::npos) << words << "\n" << result.output;
}

// How many runs of the program there have been before this one, and two threads.
constexpr const char* kCounting = R"(
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int runsBefore(void) {
  int count = open("count", O_CREAT | O_RDWR | O_APPEND, 0600);
  char mark = 'x';
  if (write(count, &mark, 1) != 1) exit(9);
  int before = (int)lseek(count, 0, SEEK_END) - 1;
  close(count);
  return before;
}
static int shared, before;
)";

// Expected: stopped after the second stuck run, thread and call named, status 3.
TEST(Exploration, EndsWithAdviceWhereRunsAreStuckAtOnePlace) {
  Workspace workspace;
  const CommandResult result = explored(workspace, std::string(kCounting) + R"(
static void* visitor(void* unused) {
  shared = shared + 1;
  syscall(SYS_ppoll, 0, 0, 0, 0, 0); /* nobody ever comes */
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, visitor, 0);
  shared = shared + 1;
  return pthread_join(thread, 0);
}
)",
                                        "--jobs 1 --runs 300");
  EXPECT_STATUS(result, 3);
  expectSays(result, "explored 2 schedules");
  expectSays(result, "2 stuck        thread 0.1 is blocked in ppoll()");
  expectSays(result, "two were stuck at the same place");
  expectNeverSays(result, "none failed");
}

// A program that ends with status 5 in some of its runs, whatever their schedule.
std::string clientThatFailsIf(const char* condition) {
  return fmt::format(R"({}
static void* client(void* unused) {{
  shared = shared + 1;
  if ({}) exit(5);
  return unused;
}}
int main(void) {{
  before = runsBefore();
  pthread_t thread;
  pthread_create(&thread, 0, client, 0);
  shared = shared + 1;
  return pthread_join(thread, 0);
}}
)",
                     kCounting, condition);
}

// Expected: each seventh run fails and its repeat does not; the search goes on to the end, status 3.
TEST(Exploration, GoesOnBehindAFailureThatCannotBeRepeated) {
  Workspace workspace;
  const CommandResult result = explored(workspace, clientThatFailsIf("before % 7 == 6"), "--jobs 1 --runs 20");
  EXPECT_STATUS(result, 3);
  expectSays(result, "explored 20 schedules");
  expectSays(result, "17 finished, none of these failed");
  expectSays(result, "3 failed once  exit status 5; the repeat ");
  expectSays(result, "--schedule native");
  EXPECT_FALSE(std::filesystem::exists(workspace.root() / ".symbiosis/latest"));
}

// Expected: the failure that cannot be repeated does not hide the one that can.
TEST(Exploration, FindsTheFailureBehindOneThatCannotBeRepeated) {
  Workspace workspace;
  const CommandResult result = explored(workspace, std::string(kCounting) + R"(
static void* adder(void* unused) {
  if (before == 0) exit(5);
  int seen = shared;
  shared = seen + 1;
  return unused;
}
int main(void) {
  before = runsBefore();
  pthread_t one, two;
  pthread_create(&one, 0, adder, 0);
  pthread_create(&two, 0, adder, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(shared == 2);
}
)",
                                        "--jobs 1 --runs 300");
  EXPECT_STATUS(result, 0);
  expectSays(result, "1 failed once  exit status 5; the repeat ");
  expectSays(result, R"(assertion "shared == 2" failed)");
}

// Expected: after twenty of them the exploration ends and proposes native runs.
TEST(Exploration, ProposesNativeRunsWhereNothingCanBeRepeated) {
  Workspace workspace;
  const CommandResult result = explored(workspace, clientThatFailsIf("before % 2 == 0"), "--jobs 1 --runs 300");
  EXPECT_STATUS(result, 3);
  expectSays(result, "20 failed once  exit status 5");
  expectSays(result, "from outside (a client, a file) is another each time. Try --schedule native");
}

// Expected: copies that run at once find each other's mark and fail; one at a time none does.
TEST(Exploration, CopiesThatCollideAreRunOneAtATime) {
  Workspace workspace;
  const CommandResult result = explored(workspace, std::string(kCounting) + R"(
static void* adder(void* unused) {
  for (int i = 0; i < 2000; ++i) __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
  return unused;
}
int main(void) {
  if (open("mark", O_CREAT | O_EXCL, 0600) < 0) return 4;
  pthread_t one, two;
  pthread_create(&one, 0, adder, 0);
  pthread_create(&two, 0, adder, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  unlink("mark");
}
)",
                                        "--jobs 4 --runs 60");
  EXPECT_STATUS(result, 1);
  expectSays(result, "failed beside other copies of the program, but not alone");
  expectSays(result, "explored 60 schedules");
  expectSays(result, "all finished, none failed");
}

// Expected: said after a few runs, status 3.
TEST(Exploration, SaysThatThereIsOnlyOneThread) {
  Workspace workspace;
  const CommandResult result = explored(workspace, "int main(void) { return 0; }\n", "--runs 300");
  EXPECT_STATUS(result, 3);
  expectSays(result, "only one thread was ever seen");
}

// Expected: a warning; the runs themselves are clean.
TEST(Exploration, WarnsWhereThreadsShareNothing) {
  Workspace workspace;
  const std::string words = "no two threads were seen to touch the same memory or lock";
  const CommandResult apart = explored(workspace, R"(
#include <pthread.h>
#include <stdlib.h>
static int huts[2];
static void* hermit(void* hut) {
  volatile int* own = hut;
  *own = 1;
  *own = *own + 1;
  return 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, hermit, &huts[0]);
  pthread_create(&two, 0, hermit, &huts[1]);
  pthread_join(one, 0);
  return pthread_join(two, 0);
}
)",
                                       "--runs 5");
  EXPECT_STATUS(apart, 1);
  expectSays(apart, words);
  Workspace other;
  const CommandResult together = explored(other, std::string(kCounting) + R"(
static void* reader(void* unused) { return shared == 7 ? unused : 0; }
int main(void) {
  pthread_t one;
  shared = 1;
  pthread_create(&one, 0, reader, 0);
  return pthread_join(one, 0);
}
)",
                                          "--runs 5");
  EXPECT_STATUS(together, 1);
  expectNeverSays(together, words);
}

// Expected: what was found by exploring is repeated before it is diagnosed; of a native run the order is not
// known.
TEST(Exploration, AFailureIsReplayedRightAfterItWasRecorded) {
  Workspace workspace;
  const std::string program = std::string(kCounting) + R"(
static void* adder(void* unused) {
  int seen = shared;
  shared = seen + 1;
  return unused;
}
int main(int argc, char** argv) {
  pthread_t one, two;
  pthread_create(&one, 0, adder, 0);
  pthread_create(&two, 0, adder, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(shared == 2 && argc == 1);
}
)";
  ASSERT_STATUS(explored(workspace, program, "--runs 300"), 0);
  const CommandResult replayed = workspace.symbiosis("replay --failing --times 3");
  EXPECT_STATUS(replayed, 0);
  expectSays(replayed, "3 of 3 failed as recorded");
  ASSERT_STATUS(workspace.symbiosis("profile --schedule native ./app always"), 0);
  const CommandResult native = workspace.symbiosis("replay --failing");
  EXPECT_STATUS(native, 2);
  expectSays(native, "the run was native, so that its order was not recorded; make it with: symbiosis diagnose");
}

// Expected: the program interrupts who explores it; what was found so far is told, status 3.
TEST(Exploration, TellsWhatItHasFoundWhenItIsInterrupted) {
  for (const char* signal : {"SIGINT", "SIGTERM"}) {
    Workspace workspace;
    const CommandResult result =
        explored(workspace, std::string(kCounting) + "#define INTERRUPTION " + signal + R"(
static void* other(void* unused) {
  shared = shared + 1;
  if (before == 9) {
    kill(getppid(), INTERRUPTION);
    for (;;) pause();
  }
  return unused;
}
int main(void) {
  before = runsBefore();
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  shared = shared + 1;
  return pthread_join(thread, 0);
}
)",
                 "--jobs 1 --runs 300");
    EXPECT_STATUS(result, 3);
    expectSays(result, "explored 9 schedules");
    expectSays(result, "all finished, none failed");
    expectSays(result, "incomplete: interrupted");
    const CommandResult native = workspace.run(
        fmt::format("rm count && '{}' profile --schedule native --runs 300 ./app", SYMBIOSIS_BINARY));
    EXPECT_STATUS(native, 3);
    expectSays(native, "interrupted after 9 native runs");
  }
}

} // namespace
} // namespace symbiosis
