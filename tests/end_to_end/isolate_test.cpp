// `symbiosis isolate`: the thread switch that decides, on real programs; given, found and judged runs; bad input.
#include "tests/workspace.h"

using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

// The queue of Choi and Zeller (2002), Figure 2: A enqueues 11, B dequeues, C enqueues 95. The check is the
// paper's: whether 95 is in the queue.
constexpr const char* kIntQueue = R"(#include <pthread.h>
#include <stdio.h>
static int link_[100], head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enqueue(int element) {
  link_[element] = 0;
  if (head == 0)
    head = element;
  else {
    pthread_mutex_lock(&lock);
    link_[tail] = element;
    pthread_mutex_unlock(&lock);
  }
  tail = element;
}
static int dequeue(void) {
  int element = head;
  if (element == tail) tail = 0;
  pthread_mutex_lock(&lock);
  head = link_[head];
  pthread_mutex_unlock(&lock);
  return element;
}
static void* a(void* unused) { enqueue(11); return unused; }
static void* b(void* unused) { dequeue(); return unused; }
static void* c(void* unused) { enqueue(95); return unused; }
int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, a, 0);
  pthread_create(&threads[1], 0, b, 0);
  pthread_create(&threads[2], 0, c, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  int found = 0;
  for (int e = head, n = 0; e != 0 && n < 5; e = link_[e], ++n) found |= e == 95;
  printf(found ? "has 95\n" : "lost 95\n");
  return found ? 0 : EXIT;
})";

bool has(const CommandResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

class IsolateTest : public ::testing::Test {
protected:
  void build(const char* flags) {
    workspace_.write("queue.c", kIntQueue);
    ASSERT_STATUS(workspace_.symbiosis(fmt::format("cc -g -O1 {} queue.c -o queue -pthread", flags)), 0);
  }
  void record() {
    build("-DEXIT=1");
    ASSERT_STATUS(workspace_.symbiosis("profile --schedule random --runs 5000 ./queue"), 0);
  }
  Workspace workspace_;
};

TEST_F(IsolateTest, NamesTheSwitchThatLosesAnElement) {
  record();
  const CommandResult result = workspace_.symbiosis("isolate --replays 5 --time-limit 300");
  ASSERT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "The run fails if and only if")) << result.output;
  EXPECT_TRUE(has(result, "(1-minimal)")) << result.output;
  EXPECT_TRUE(has(result, "fails 5/5")) << result.output;
  EXPECT_TRUE(has(result, "passes 5/5")) << result.output;
  EXPECT_TRUE(has(result, "queue.c:")) << result.output;
  // Both runs can be had again, and are shown.
  EXPECT_STATUS(workspace_.symbiosis("replay --schedule .symbiosis/latest/isolate/failing.schedule --times 3"), 0);
  EXPECT_NE(workspace_.read(".symbiosis/latest/isolate/passing.schedule"), "");
  for (const char* view : {"dsp.html", "dsp.svg", "dsp.json", "dsp.dot"})
    EXPECT_NE(workspace_.read(fmt::format(".symbiosis/latest/isolate/failing/report/{}", view)), "") << view;
}

TEST_F(IsolateTest, TakesThePassingScheduleOfAnEarlierRun) {
  record();
  ASSERT_STATUS(workspace_.symbiosis("isolate --replays 1 --time-limit 300"), 0);
  ASSERT_STATUS(workspace_.run("cp .symbiosis/latest/isolate/passing.schedule given"), 0);
  const CommandResult result = workspace_.symbiosis("isolate --replays 1 --passing given --time-limit 300");
  ASSERT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "passing one: given")) << result.output;
}

// A run that ends well and prints the wrong thing.
TEST_F(IsolateTest, AnOracleDecidesFromWhatARunPrints) {
  record();
  const CommandResult result =
      workspace_.symbiosis("isolate --replays 2 --time-limit 300 --oracle 'grep -q has && exit 0; exit 1'");
  ASSERT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "ISOLATED")) << result.output;
}

TEST_F(IsolateTest, OraclesThatCannotBeRightAreRefused) {
  record();
  const CommandResult never = workspace_.symbiosis("isolate --runs 30 --oracle 'exit 1'");
  EXPECT_STATUS(never, 1);
  EXPECT_TRUE(has(never, "no run near the recorded one passes")) << never.output;
  const CommandResult always = workspace_.symbiosis("isolate --oracle 'exit 0'");
  EXPECT_STATUS(always, 2);
  EXPECT_TRUE(has(always, "the failing schedule passes, says the oracle")) << always.output;
  const CommandResult crashes = workspace_.symbiosis("isolate --oracle 'kill -SEGV $$'");
  EXPECT_STATUS(crashes, 2);
  EXPECT_TRUE(has(crashes, "did not answer")) << crashes.output;
  EXPECT_STATUS(workspace_.symbiosis("isolate --oracle /nowhere/oracle"), 2);
}

TEST_F(IsolateTest, ForeignAndFailingSchedulesAreNoPassingOnes) {
  record();
  ASSERT_STATUS(workspace_.symbiosis("isolate --replays 1 --time-limit 300"), 0);
  const std::string kept = workspace_.read(".symbiosis/latest/isolate/passing.schedule");
  workspace_.run(
      "sed 's/^program .*/program 0123456789abcdef/' .symbiosis/latest/isolate/passing.schedule > foreign");
  workspace_.run("cp .symbiosis/latest/isolate/failing.schedule fails");
  const CommandResult foreign = workspace_.symbiosis("isolate --passing foreign");
  EXPECT_STATUS(foreign, 2);
  EXPECT_TRUE(has(foreign, "belongs to another program")) << foreign.output;
  EXPECT_STATUS(workspace_.symbiosis("isolate --passing fails"), 2);
  EXPECT_STATUS(workspace_.symbiosis("isolate --passing nowhere"), 2);
  EXPECT_EQ(workspace_.read(".symbiosis/latest/isolate/passing.schedule"), kept);
}

} // namespace
