// `symbiosis breakpoints`: from a diagnosis to sources whose plain build fails, and to a test that the fix passes.
#include "tests/workspace.h"

using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

// A look and a use; the other thread comes between them.
std::string program(bool isFixed) {
  return std::string("#include <assert.h>\n#include <pthread.h>\n"
                     "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
                     "static volatile int left = 1;\n"
                     "static void* take(void* unused) {\n") +
         (isFixed ? "  pthread_mutex_lock(&lock);\n" : "") +
         "  if (left > 0) {\n"
         "    int now = left;\n"
         "    assert(now > 0);\n"
         "    left = now - 1;\n"
         "  }\n" +
         (isFixed ? "  pthread_mutex_unlock(&lock);\n" : "") +
         "  return unused;\n"
         "}\n"
         "int main(void) {\n"
         "  pthread_t threads[2];\n"
         "  pthread_create(&threads[0], 0, take, 0);\n"
         "  pthread_create(&threads[1], 0, take, 0);\n"
         "  pthread_join(threads[0], 0);\n"
         "  pthread_join(threads[1], 0);\n"
         "  (void)lock;\n"
         "  return 0;\n"
         "}\n";
}

bool has(const CommandResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

class BreakpointsTest : public ::testing::Test {
protected:
  void record() {
    workspace_.write("take.c", program(false));
    ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 take.c -o take -pthread"), 0);
    ASSERT_STATUS(workspace_.symbiosis("profile --schedule random ./take"), 0);
  }
  void diagnose() {
    record();
    ASSERT_STATUS(workspace_.symbiosis("diagnose"), 0);
  }
  void patchAndBuild(const std::string& compiler) {
    ASSERT_STATUS(
        workspace_.run("cp take.c patched.c && patch patched.c < .symbiosis/latest/breakpoints/breakpoints.patch"),
        0);
    ASSERT_STATUS(
        workspace_.run(fmt::format("{} -std=c11 -Wall -Werror -O1 -I'{}/include' patched.c -o patched -pthread",
                                   compiler, SYMBIOSIS_SOURCE_DIR)),
        0);
  }
  Workspace workspace_;
};

TEST_F(BreakpointsTest, ThePlainBuildFailsEveryTime) {
  diagnose();
  const CommandResult emitted = workspace_.symbiosis("breakpoints --emit patch");
  ASSERT_STATUS(emitted, 0);
  EXPECT_TRUE(has(emitted, "take.c:")) << emitted.output;
  for (const char* compiler : {"gcc", "clang-19"}) {
    patchAndBuild(compiler);
    for (int i = 0; i < 10; ++i) EXPECT_NE(workspace_.run("./patched").status, 0) << compiler;
    EXPECT_STATUS(workspace_.run("SYMBIOSIS_BREAKPOINTS=0 ./patched"), 0);
  }
}

TEST_F(BreakpointsTest, OurRuntimeEnforcesThemWithoutTouchingTheSources) {
  diagnose();
  const CommandResult runs = workspace_.symbiosis("breakpoints --run --times 30");
  EXPECT_STATUS(runs, 0);
  EXPECT_TRUE(has(runs, "30 of 30 failed as recorded; the breakpoint was hit in 30")) << runs.output;
  EXPECT_EQ(workspace_.read("take.c"), program(false));
}

TEST_F(BreakpointsTest, TheTestFailsBeforeTheFixAndPassesAfterIt) {
  diagnose();
  ASSERT_STATUS(workspace_.symbiosis("breakpoints --emit patch"), 0);
  ASSERT_STATUS(workspace_.symbiosis("breakpoints --emit gtest --times 3"), 0);
  patchAndBuild("gcc");
  ASSERT_STATUS(workspace_.run(
                    "g++ .symbiosis/latest/breakpoints/breakpoint_test.cpp -o test -lgtest -lgtest_main -pthread"),
                0);
  EXPECT_STATUS(workspace_.run("PROGRAM=./patched ./test"), 1);
  // The fix is made in the patched source, in which the breakpoints stay.
  ASSERT_STATUS(workspace_.run("sed -i 's/^static void. take.*/&\\n  pthread_mutex_lock(\\&lock);/; "
                               "s/^  return unused;/  pthread_mutex_unlock(\\&lock);\\n&/' patched.c && "
                               "gcc -O1 -I'" SYMBIOSIS_SOURCE_DIR "/include' patched.c -o patched -pthread"),
                0);
  EXPECT_STATUS(workspace_.run("PROGRAM=./patched ./test"), 0);
}

// A program of the corpus, and the same one mended, kept beside it.
TEST_F(BreakpointsTest, TheFixedProgramPassesWithTheSamePatch) {
  const std::string programs = SYMBIOSIS_SOURCE_DIR "/tests/programs";
  ASSERT_STATUS(
      workspace_.run("cp " + programs + "/wrong/list_head.c . && cp " + programs + "/fixed/list_head.c fixed.c"),
      0);
  ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 list_head.c -o list_head -pthread"), 0);
  ASSERT_STATUS(workspace_.symbiosis("profile --schedule random ./list_head"), 0);
  ASSERT_STATUS(workspace_.symbiosis("diagnose"), 0);
  ASSERT_STATUS(workspace_.symbiosis("breakpoints --emit patch -o it.patch"), 0);
  ASSERT_STATUS(workspace_.run("patch list_head.c it.patch && patch fixed.c it.patch"), 0);
  for (const char* source : {"list_head", "fixed"})
    ASSERT_STATUS(workspace_.run(fmt::format("clang-19 -I'{}/include' {}.c -o plain_{} -pthread",
                                             SYMBIOSIS_SOURCE_DIR, source, source)),
                  0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(workspace_.run("./plain_list_head").status, 0);
    EXPECT_STATUS(workspace_.run("./plain_fixed"), 0);
  }
}

TEST_F(BreakpointsTest, SearchTriesConflictsInBothOrders) {
  record();
  const CommandResult table = workspace_.symbiosis("breakpoints --search --times 4");
  EXPECT_STATUS(table, 0);
  EXPECT_TRUE(has(table, "fails") && has(table, "hit") && has(table, "left")) << table.output;
}

TEST_F(BreakpointsTest, BadInputIsSaidAndNothingIsWritten) {
  EXPECT_STATUS(workspace_.symbiosis("breakpoints nowhere --emit patch"), 2);
  record();
  const CommandResult undiagnosed = workspace_.symbiosis("breakpoints --emit patch -o out.patch");
  EXPECT_STATUS(undiagnosed, 2);
  EXPECT_TRUE(has(undiagnosed, "has not been diagnosed")) << undiagnosed.output;
  ASSERT_STATUS(workspace_.symbiosis("diagnose"), 0);
  workspace_.write("out.patch", "mine\n");
  workspace_.write("take.c", "// changed\n" + program(false));
  const CommandResult changed = workspace_.symbiosis("breakpoints --emit patch -o out.patch");
  EXPECT_STATUS(changed, 2);
  EXPECT_TRUE(has(changed, "has changed since the program was recorded")) << changed.output;
  EXPECT_EQ(workspace_.read("out.patch"), "mine\n");
  workspace_.write(".symbiosis/latest/report/failing.schedule", "nonsense\n");
  EXPECT_STATUS(workspace_.symbiosis("breakpoints --emit patch -o out.patch"), 2);
  EXPECT_STATUS(workspace_.symbiosis("breakpoints --emit patch --run"), 2);
  EXPECT_EQ(workspace_.read("out.patch"), "mine\n");
}

} // namespace
