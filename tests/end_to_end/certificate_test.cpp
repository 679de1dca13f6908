// The certificate knows when a check is passed, and whether that is enough.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

namespace symbiosis {
namespace {

using testing::CommandResult;
using testing::Workspace;

// Explores until a run fails as `failure` says, and explains it.
CommandResult diagnosed(const Workspace& workspace, const std::string& program, const std::string& failure,
                        int replays = 3) {
  workspace.write("app.c", program);
  EXPECT_STATUS(workspace.symbiosis("cc -g -O1 app.c -o app -pthread"), 0);
  std::string output;
  for (int seed = 1; seed <= 50 && output.find(failure) == std::string::npos; ++seed)
    output = workspace.symbiosis(fmt::format("profile --schedule pos --seed {} ./app", seed)).output;
  EXPECT_NE(output.find(failure), std::string::npos) << output;
  return workspace.symbiosis(fmt::format("diagnose --replays {} --json dsp.json", replays));
}

nlohmann::json certificateOf(const Workspace& workspace) {
  return nlohmann::json::parse(workspace.read("dsp.json"))["certificate"];
}

// Expected: the checker ends behind its guard, without what the guard says in the failing run; certified.
TEST(Certificate, AThreadThatEndedPastItsGuardHasPassed) {
  Workspace workspace;
  const CommandResult result = diagnosed(workspace, R"(
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int sent, seen;
static void* sender(void* unused) {
  sent = sent + 1;
  seen = seen + 1;
  return unused;
}
static void* checker(void* unused) {
  int count = sent;
  if (count > seen) {
    char line[64];
    snprintf(line, sizeof line, "%d sent", count);
    fputs(line, stderr);
    assert(!"all is seen");
  }
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, sender, 0);
  pthread_create(&two, 0, checker, 0);
  pthread_join(one, 0);
  return pthread_join(two, 0);
}
)",
                                         "all is seen");
  EXPECT_STATUS(result, 0);
  const nlohmann::json certificate = certificateOf(workspace);
  EXPECT_EQ(certificate["whole"]["runs"], 3);
  EXPECT_EQ(certificate["whole"]["repeated"], 3) << certificate.dump(1);
  EXPECT_EQ(certificate["alternate"]["passedFailurePoint"], 3) << certificate.dump(1);
}

// Expected: whoever passes the first check fails at the second, in every continuation; said, and not certified.
TEST(Certificate, IsIncompleteWhereNoContinuationEndsWell) {
  Workspace workspace;
  const CommandResult result = diagnosed(workspace, R"(
#include <assert.h>
#include <pthread.h>
static int ready, used;
static void* user(void* unused) {
  assert(ready);
  used = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, user, 0);
  ready = 1;
  pthread_join(thread, 0);
  assert(!used);
}
)",
                                         "\"ready\" failed");
  EXPECT_STATUS(result, 3);
  EXPECT_NE(result.output.find("Uncertified"), std::string::npos) << result.output;
  const nlohmann::json certificate = certificateOf(workspace);
  EXPECT_EQ(certificate["complete"], false);
  EXPECT_EQ(certificate["whole"]["runs"], 0);
  EXPECT_EQ(certificate["alternate"]["runs"], 50);
  EXPECT_EQ(certificate["alternate"]["failedLater"], 50);
  const std::string note = certificate["note"];
  EXPECT_NE(note.find("none of 50 continuations of the alternate ends well"), std::string::npos) << note;
  EXPECT_NE(note.find("\"!used\" failed at"), std::string::npos) << note;
}

// Expected: what the threads do behind the check, which both wait for, is theirs to say; the run that is certified
// loses no increment, others do.
TEST(Certificate, IsAboutOneRunThoughOthersFailLater) {
  Workspace workspace;
  const CommandResult result = diagnosed(workspace, R"(
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static int ready;
static sem_t go;
static volatile int total;
static void count(void) {
  for (int i = 0; i < 2; ++i) total = total + 1;
}
static void* user(void* unused) {
  assert(ready);
  sem_post(&go);
  count();
  return unused;
}
int main(void) {
  pthread_t thread;
  sem_init(&go, 0, 0);
  pthread_create(&thread, 0, user, 0);
  ready = 1;
  sem_wait(&go);
  count();
  pthread_join(thread, 0);
  assert(total == 4);
}
)",
                                         "\"ready\" failed", 10);
  EXPECT_STATUS(result, 0);
  const nlohmann::json certificate = certificateOf(workspace);
  EXPECT_EQ(certificate["complete"], true) << certificate.dump(1);
  EXPECT_EQ(certificate["whole"]["repeated"], 10);
  // What is replayed from now on is that run.
  const CommandResult replayed = workspace.symbiosis("replay --alternate --times 10");
  EXPECT_STATUS(replayed, 0);
  EXPECT_NE(replayed.output.find("10 of 10 passed as recorded"), std::string::npos) << replayed.output;
  const nlohmann::json& others = certificate["alternate"];
  EXPECT_EQ(others["runs"],
            others["completedOk"].get<int>() + others["failedLater"].get<int>() + others["diverged"].get<int>());
  EXPECT_GT(others["failedLater"], 0) << certificate.dump(1);
}

} // namespace
} // namespace symbiosis
