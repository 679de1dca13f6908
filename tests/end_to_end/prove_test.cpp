// `symbiosis prove` and `predict` on real programs: correct ones, and mutants of these that can fail. A mutant
// that can fail must never be proved.
#include "tests/workspace.h"

using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

bool has(const CommandResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

// Two sellers and two tickets; a lock around test and sale.
constexpr const char* kTickets = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static TYPE left = 1;
static void* sell(void* unused) {
  LOCK1;
  if (left > 0) {
    UNLOCK1; LOCK2;
    left = left - 1;
  }
  UNLOCK2;
  return unused;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], 0, sell, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  CHECK;
})";

// A hand-over; what the waiter does when it comes back is the question.
constexpr const char* kHandOver = R"(#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, value;
static void* give(void* unused) {
  pthread_mutex_lock(&m);
  value = 7;
  ready = 1;
  SIGNAL;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, give, 0);
  pthread_mutex_lock(&m);
  WAIT;
  assert(value == 7);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
})";

constexpr const char* kTwoLocks = R"(#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void* one(void* unused) {
  pthread_mutex_lock(&a); pthread_mutex_lock(&b);
  ++x; ++y;
  pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
  return unused;
}
static void* two(void* unused) {
  pthread_mutex_lock(&FIRST); pthread_mutex_lock(&SECOND);
  ++x; ++y;
  pthread_mutex_unlock(&SECOND); pthread_mutex_unlock(&FIRST);
  return unused;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, one, 0);
  pthread_create(&t[1], 0, two, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  return x == EXPECTED ? 0 : 1;
})";

class ProveTest : public ::testing::Test {
protected:
  CommandResult prove(const char* source, const std::string& flags) {
    workspace_.write("app.c", source);
    EXPECT_STATUS(workspace_.symbiosis("cc -g -O1 " + flags + " app.c -o app -pthread"), 0);
    return workspace_.symbiosis("prove --time-limit 100 -- ./app");
  }
  CommandResult tickets(const char* type, bool oneSection, const char* check) {
    const char* split = oneSection ? "-DUNLOCK1='(void)0' -DLOCK2='(void)0'"
                                   : "'-DUNLOCK1=pthread_mutex_unlock(&m)' '-DLOCK2=pthread_mutex_lock(&m)'";
    return prove(kTickets, std::string("-DTYPE=") + type + " '-DLOCK1=pthread_mutex_lock(&m)' " + split +
                               " '-DUNLOCK2=pthread_mutex_unlock(&m)' '-DCHECK=" + check + "'");
  }
  CommandResult handOver(const char* wait, const char* signal) {
    return prove(kHandOver, std::string("'-DWAIT=") + wait + "' '-DSIGNAL=" + signal + "'");
  }
  CommandResult twoLocks(const char* first, const char* second, int expected) {
    return prove(kTwoLocks, fmt::format("-DFIRST={} -DSECOND={} -DEXPECTED={}", first, second, expected));
  }
  Workspace workspace_;
};

TEST_F(ProveTest, ALockAroundTestAndSaleIsProved) {
  const CommandResult result = tickets("int", true, "assert(left == 0)");
  EXPECT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "PROVED")) << result.output;
  EXPECT_TRUE(has(result, "Holds for    this executable and this input")) << result.output;
}

TEST_F(ProveTest, ATestApartFromTheSaleFailsAndIsRecorded) {
  const CommandResult result = tickets("int", false, "assert(left == 0)");
  EXPECT_STATUS(result, 1);
  EXPECT_TRUE(has(result, "FAILURE")) << result.output;
  EXPECT_STATUS(workspace_.symbiosis("replay --failing --times 3"), 0);
}

TEST_F(ProveTest, AnExitStatusIsACheck) {
  EXPECT_STATUS(tickets("int", true, "return left"), 0);
  EXPECT_STATUS(tickets("int", false, "return left"), 1);
}

TEST_F(ProveTest, ARaceThatDoesNoHarmIsNoProof) {
  const CommandResult result =
      prove(kTickets, "-DTYPE=int '-DLOCK1=(void)0' '-DUNLOCK1=(void)0' '-DLOCK2=(void)0' "
                      "'-DUNLOCK2=(void)0' '-DCHECK=assert(left <= 0)'");
  EXPECT_STATUS(result, 3);
  EXPECT_TRUE(has(result, "passes under sequential consistency only")) << result.output;
  EXPECT_TRUE(has(result, "data race on left")) << result.output;
}

TEST_F(ProveTest, SequentiallyConsistentAtomicsRaceWithNobody) {
  const CommandResult result =
      prove(kTickets, "-DTYPE=_Atomic\\ int '-DLOCK1=(void)0' '-DUNLOCK1=(void)0' '-DLOCK2=(void)0' "
                      "'-DUNLOCK2=(void)0' '-DCHECK=assert(left <= 0)'");
  EXPECT_STATUS(result, 0);
}

TEST_F(ProveTest, AWaitInALoopIsProved) {
  const CommandResult result = handOver("while (!ready) pthread_cond_wait(&c, &m)", "pthread_cond_signal(&c)");
  EXPECT_STATUS(result, 0);
  EXPECT_TRUE(has(result, "PROVED")) << result.output;
}

TEST_F(ProveTest, MutantsOfAWaitFail) {
  // It may wake by itself.
  EXPECT_STATUS(handOver("if (!ready) pthread_cond_wait(&c, &m)", "pthread_cond_signal(&c)"), 1);
  // The signal may have come before.
  EXPECT_STATUS(handOver("pthread_cond_wait(&c, &m)", "pthread_cond_signal(&c)"), 1);
  // Nobody signals.
  EXPECT_STATUS(handOver("while (!ready) pthread_cond_wait(&c, &m)", "(void)0"), 1);
  // A look that is not repeated often enough: no idle loop, because it counts.
  EXPECT_STATUS(
      handOver("for (int i = 0; i < 2 && !ready; ++i) pthread_cond_wait(&c, &m)", "pthread_cond_signal(&c)"), 1);
}

TEST_F(ProveTest, LocksInOneOrderAndInTwo) {
  EXPECT_STATUS(twoLocks("a", "b", 2), 0);
  EXPECT_STATUS(twoLocks("b", "a", 2), 1);
  EXPECT_STATUS(twoLocks("a", "b", 1), 1);
}

TEST_F(ProveTest, WhatIsNotCoveredIsNamed) {
  const CommandResult result = prove(R"(#include <pthread.h>
#include <stdlib.h>
static void* work(void* unused) { return rand() == -1 ? unused : 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
})",
                                     "");
  EXPECT_STATUS(result, 3);
  EXPECT_TRUE(has(result, "rand (app.c:3) is not covered")) << result.output;
}

// The thread that spins holds what the other one needs.
TEST_F(ProveTest, ALoopThatOnlyLooksIsNoProof) {
  const char* spin = R"(#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int flag;
static void* set(void* unused) {
  pthread_mutex_lock(&m);
  flag = 1;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  pthread_mutex_lock(&m);
  while (!flag) ;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
})";
  EXPECT_NE(prove(spin, "").status, 0);
}

TEST_F(ProveTest, WhatAThreadReturnsIsNotCovered) {
  const CommandResult result = prove(R"(#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static _Atomic intptr_t next;
static void* take(void* unused) { return (void*)next++; }
int main(void) {
  pthread_t t[2];
  void* got[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], 0, take, 0);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], &got[i]);
  assert(got[0] == 0);
})",
                                     "");
  EXPECT_NE(result.status, 0) << result.output;
}

TEST_F(ProveTest, AThreadThatIsNotJoinedIsNoProof) {
  const CommandResult result = prove(R"(#include <pthread.h>
static _Atomic int x;
static void* work(void* unused) { ++x; return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  return x > 1;
})",
                                     "");
  EXPECT_STATUS(result, 3);
  EXPECT_TRUE(has(result, "is not joined")) << result.output;
}

TEST_F(ProveTest, BadInputIsSaid) {
  EXPECT_STATUS(workspace_.symbiosis("prove -- ./nothing"), 2);
  EXPECT_STATUS(workspace_.symbiosis("prove -- /bin/true"), 2);
  EXPECT_STATUS(workspace_.symbiosis("prove"), 2);
}

TEST_F(ProveTest, APassingRunIsKeptAndPredictsTheFailure) {
  tickets("int", false, "assert(left == 0)");
  const CommandResult kept = workspace_.symbiosis("profile --keep-passing -o passing -- ./app");
  EXPECT_STATUS(kept, 0);
  EXPECT_TRUE(has(kept, "passed: exit status 0")) << kept.output;
  EXPECT_TRUE(has(workspace_.symbiosis("dump --trace passing"), "left"));
  const CommandResult predicted = workspace_.symbiosis("predict --races passing");
  EXPECT_STATUS(predicted, 0);
  EXPECT_TRUE(has(predicted, "PREDICTED")) << predicted.output;
  EXPECT_TRUE(has(predicted, "replays 20/20")) << predicted.output;
  EXPECT_STATUS(workspace_.symbiosis("diagnose --replays 2"), 0);
}

TEST_F(ProveTest, NothingIsPredictedWhereNothingFails) {
  tickets("int", true, "assert(left == 0)");
  const CommandResult predicted = workspace_.symbiosis("predict -- ./app");
  EXPECT_STATUS(predicted, 1);
  EXPECT_TRUE(has(predicted, "NOTHING")) << predicted.output;
}

// The byte that decides lies behind those of a text that are events.
TEST_F(ProveTest, ALongTextThatIsReadOutsideIsNotCovered) {
  workspace_.write("text.c", R"(
#include <assert.h>
#include <pthread.h>
#include <string.h>
static char text[128];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* mark(void* unused) {
  pthread_mutex_lock(&lock);
  text[100] = 'z';
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  memset(text, 'a', 120);
  pthread_t thread;
  pthread_create(&thread, 0, mark, 0);
  pthread_mutex_lock(&lock);
  const char* found = strrchr(text, 'z');
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  assert(found == 0);
}
)");
  ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 text.c -o text -pthread"), 0);
  const CommandResult result = workspace_.symbiosis("prove -- ./text");
  EXPECT_NE(result.status, 0) << "it can fail: " << result.output;
}

// A thread that is asked to end, and is held back from it by our schedule, is no deadlock of the program's.
TEST_F(ProveTest, ACancellationThatIsWithheldIsNoFailure) {
  ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 '" SYMBIOSIS_SOURCE_DIR
                                     "/tests/programs/correct/cancelled_wait.c' -o cancelled -pthread"),
                0);
  EXPECT_STATUS(workspace_.symbiosis("prove --time-limit 5 -- ./cancelled"), 3);
}

} // namespace
