// `symbiosis profile -- make check` and the like: programs that others start.
#include "tests/workspace.h"

using namespace symbiosis;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

constexpr const char* kTest = R"(#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int sum;
static void* add(void* u) { int s = sum; sum = s + 1; return u; }
int main(int c, char** v) {
  pthread_t a;
  pthread_create(&a, 0, add, 0);
  pthread_join(a, 0);
  assert(fopen("needed.txt", "r"));
  if (c > 1 && !strcmp(v[1], "become")) execv(v[2], v + 2);
  if (c > 1 && !strcmp(v[1], "bad")) assert(sum == 2);
  return c > 1 && !strcmp(v[1], "status") ? 3 : 0;
}
)";

class DescendantsTest : public ::testing::Test {
protected:
  void SetUp() override {
    workspace_.write("t.c", kTest);
    workspace_.write("sub/needed.txt", "");
    ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 t.c -o t -pthread && cp t other"), 0);
  }
  Workspace workspace_;
};

TEST_F(DescendantsTest, TheOneThatFailedIsKeptAndReplayedAlone) {
  workspace_.write("Makefile",
                   "check:\n\tcd sub && ../t one\n\tcd sub && ../t bad 'two words'\n\tcd sub && ../t three\n");
  const CommandResult profiled = workspace_.symbiosis("profile -- make check");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("../t bad two words"), std::string::npos) << profiled.output;
  EXPECT_NE(workspace_.symbiosis("dump").output.find("../t bad two words"), std::string::npos);
  const CommandResult diagnosed = workspace_.symbiosis("diagnose --replays 3");
  EXPECT_NE(diagnosed.output.find("3/3 failed"), std::string::npos) << diagnosed.output;
}

TEST_F(DescendantsTest, AStatusIsAFailureToo) {
  workspace_.write("run.sh", "#!/bin/sh\ncd sub\n../t one || exit 5\n../t status || exit 1\n");
  ASSERT_STATUS(workspace_.run("chmod +x run.sh"), 0);
  ASSERT_STATUS(workspace_.symbiosis("profile ./run.sh"), 0);
  const CommandResult dumped = workspace_.symbiosis("dump");
  EXPECT_NE(dumped.output.find("exit status 3"), std::string::npos) << dumped.output;
}

TEST_F(DescendantsTest, CTestStartsWhatIsRecorded) {
  workspace_.write("CTestTestfile.cmake", "add_test(good ../t one)\nadd_test(flaky ../t bad)\n"
                                          "set_tests_properties(good flaky PROPERTIES WORKING_DIRECTORY sub)\n");
  const CommandResult profiled = workspace_.symbiosis("profile -- ctest -R flaky");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("/t bad"), std::string::npos) << profiled.output;
  const CommandResult diagnosed = workspace_.symbiosis("diagnose --replays 3");
  EXPECT_NE(diagnosed.output.find("3/3 failed"), std::string::npos) << diagnosed.output;
}

// One process, two recorded programs.
TEST_F(DescendantsTest, AProgramThatBecomesAnotherIsNotTakenForIt) {
  const CommandResult profiled =
      workspace_.run(fmt::format("cd sub && '{}' profile -o ../kept ../t become ../other bad", SYMBIOSIS_BINARY));
  ASSERT_STATUS(profiled, 0);
  const CommandResult dumped = workspace_.symbiosis("dump --trace kept");
  EXPECT_STATUS(dumped, 0);
  EXPECT_NE(workspace_.symbiosis("dump kept").output.find("../other bad"), std::string::npos);
}

TEST_F(DescendantsTest, WhatIsNotDoneIsSaid) {
  workspace_.write("Makefile", "check:\n\tcd sub && ../t one\n");
  const CommandResult passed = workspace_.symbiosis("profile -- make check");
  EXPECT_STATUS(passed, 1);
  EXPECT_NE(passed.output.find("explored only for a program that is profiled directly"), std::string::npos)
      << passed.output;
  EXPECT_NE(passed.output.find("symbiosis profile -- ../t one"), std::string::npos) << passed.output;
  EXPECT_STATUS(workspace_.symbiosis("profile --schedule pct -- make check"), 2);
  const CommandResult nothing = workspace_.symbiosis("profile -- true");
  EXPECT_STATUS(nothing, 2);
  EXPECT_NE(nothing.output.find("A script, make or ctest can be profiled"), std::string::npos) << nothing.output;
}

} // namespace
