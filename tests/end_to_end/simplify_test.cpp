// `symbiosis simplify`: fewer context switches by each method, on real programs; what it writes is replayed and
// diagnosed.
#include "tests/workspace.h"
#include <sstream>

using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

// The shape of a compressor's queue (Tinertia, Fig. 7): the main thread clears the pointer to the mutex while a
// worker is about to take it. A third worker has nothing to do with it.
constexpr const char* kQueue = R"(#include <assert.h>
#include <pthread.h>
static pthread_mutex_t storage = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* mut = &storage;
static int jobs = 6, done, idle;
static void* consumer(void* unused) {
  for (;;) {
    pthread_mutex_t* m = mut;
    assert(m != 0);
    pthread_mutex_lock(m);
    int mine = jobs > 0 ? jobs-- : 0;
    if (mine) ++done;
    pthread_mutex_unlock(m);
    if (!mine) return unused;
  }
}
static void* bystander(void* unused) {
  for (int i = 0; i < 20; ++i) ++idle;
  return unused;
}
int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, consumer, 0);
  pthread_create(&threads[1], 0, consumer, 0);
  pthread_create(&threads[2], 0, bystander, 0);
  for (int all = 0; !all;) {
    pthread_mutex_lock(&storage);
    all = done == 6;
    pthread_mutex_unlock(&storage);
  }
  mut = 0;
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return idle > 20;
})";

struct Row {
  size_t switches = 0, preemptions = 0, threads = 0, events = 0;
};
// The line of the table that begins with the name.
Row rowOf(const std::string& output, const std::string& name) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    Row row;
    if (words >> first && first == name && words >> row.switches >> row.preemptions >> row.threads >> row.events)
      return row;
  }
  ADD_FAILURE() << "no row " << name << " in\n" << output;
  return {};
}

bool has(const CommandResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

class SimplifyTest : public ::testing::Test {
protected:
  void record(const char* source, const std::string& schedule = "--schedule random --seed 3") {
    workspace_.write("scan.c", source);
    ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 scan.c -o scan -pthread"), 0);
    ASSERT_STATUS(workspace_.symbiosis(fmt::format("profile {} --runs 5000 ./scan", schedule)), 0);
  }
  Workspace workspace_;
};

TEST_F(SimplifyTest, LeavesOnePreemptionRightBehindTheClearedPointer) {
  record(kQueue);
  const CommandResult result = workspace_.symbiosis("simplify --replays 5 --time-limit 300");
  ASSERT_STATUS(result, 0);
  const Row before = rowOf(result.output, "recorded"), after = rowOf(result.output, "execute");
  EXPECT_LT(after.switches, before.switches);
  EXPECT_LE(rowOf(result.output, "static").switches, before.switches);
  EXPECT_LE(rowOf(result.output, "evaluate").switches, rowOf(result.output, "static").switches);
  EXPECT_LE(after.preemptions, 2u) << result.output;
  EXPECT_TRUE(has(result, "still fails 5/5 with")) << result.output;
  EXPECT_TRUE(has(result, "assertion \"m != 0\"")) << result.output;
  EXPECT_TRUE(has(result, "Preempted")) << result.output;
  EXPECT_TRUE(has(result, "no single switch can go")) << result.output;

  EXPECT_STATUS(workspace_.symbiosis("replay --schedule .symbiosis/latest/simplified.schedule --times 5"), 0);
  const CommandResult diagnosis =
      workspace_.symbiosis("diagnose --replays 2 --schedule .symbiosis/latest/simplified.schedule");
  EXPECT_TRUE(diagnosis.status == 0 || diagnosis.status == 1) << diagnosis.output;
  EXPECT_TRUE(has(diagnosis, "FAIL")) << diagnosis.output;
}

TEST_F(SimplifyTest, EachMethodWorksAlone) {
  record(kQueue);
  for (const char* method : {"static", "evaluate", "execute"}) {
    const CommandResult result =
        workspace_.symbiosis(fmt::format("simplify --method {} --replays 3 --time-limit 300", method));
    ASSERT_STATUS(result, 0);
    EXPECT_LT(rowOf(result.output, method).switches, rowOf(result.output, "recorded").switches) << method;
  }
}

// What one of the methods has left is where another begins.
TEST_F(SimplifyTest, GoesOnFromAGivenSchedule) {
  record(kQueue);
  const CommandResult first = workspace_.symbiosis("simplify --method static --replays 1");
  ASSERT_STATUS(first, 0);
  ASSERT_STATUS(workspace_.run("cp .symbiosis/latest/simplified.schedule given.schedule"), 0);
  const CommandResult second =
      workspace_.symbiosis("simplify --method evaluate --replays 1 --schedule given.schedule");
  ASSERT_STATUS(second, 0);
  EXPECT_EQ(rowOf(second.output, "recorded").switches, rowOf(first.output, "static").switches);
}

TEST_F(SimplifyTest, ADeadlockStaysTheSameDeadlock) {
  const std::string program = fmt::format("{}/tests/programs/wrong/ab_ba.c", SYMBIOSIS_SOURCE_DIR);
  ASSERT_STATUS(workspace_.symbiosis(fmt::format("cc -g -O1 '{}' -o ab_ba -pthread", program)), 0);
  ASSERT_STATUS(workspace_.symbiosis("profile --schedule random --runs 5000 ./ab_ba"), 0);
  const CommandResult result = workspace_.symbiosis("simplify --replays 3");
  ASSERT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "still fails 3/3 with")) << result.output;
}

TEST_F(SimplifyTest, ABudgetOfRunsIsKeptAndSaid) {
  record(kQueue);
  const CommandResult result = workspace_.symbiosis("simplify --method execute --runs 4 --replays 1");
  ASSERT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "at most 4 runs of ./scan")) << result.output;
  EXPECT_TRUE(has(result, "the budget of runs or seconds ended first (4 runs)")) << result.output;
}

TEST_F(SimplifyTest, ForeignAndBrokenSchedulesAreRefusedAndNothingIsOverwritten) {
  record(kQueue);
  ASSERT_STATUS(workspace_.symbiosis("simplify --method static --replays 1"), 0);
  const std::string kept = workspace_.read(".symbiosis/latest/simplified.schedule");
  workspace_.run("sed 's/^program .*/program 0123456789abcdef/' .symbiosis/latest/simplified.schedule > foreign");
  workspace_.run("head -n 4 .symbiosis/latest/simplified.schedule > short");
  for (const char* verb : {"simplify", "diagnose"}) {
    const CommandResult foreign = workspace_.symbiosis(fmt::format("{} --schedule foreign", verb));
    EXPECT_STATUS(foreign, 2);
    EXPECT_TRUE(has(foreign, "belongs to another program")) << foreign.output;
    const CommandResult cut = workspace_.symbiosis(fmt::format("{} --schedule short", verb));
    EXPECT_STATUS(cut, 2);
    EXPECT_TRUE(has(cut, "truncated")) << cut.output;
    EXPECT_STATUS(workspace_.symbiosis(fmt::format("{} --schedule nowhere", verb)), 2);
  }
  EXPECT_EQ(workspace_.read(".symbiosis/latest/simplified.schedule"), kept);
}

} // namespace
