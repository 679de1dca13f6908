// include/symbiosis/breakpoints.h, as a user has it: small programs, compiled by gcc and clang as C and C++.
#include "tests/workspace.h"
#include <gmock/gmock.h>

namespace symbiosis::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Compiler {
  const char* name;
  const char* command;
  const char* source; // its extension says the language
};

constexpr Compiler kCompilers[] = {
    {"GccC11", "gcc -std=c11", "program.c"},
    {"ClangC11", "clang-19 -std=c11", "program.c"},
    {"GccCpp11", "g++ -std=c++11", "program.cpp"},
    {"ClangCpp11", "clang++-19 -std=c++11", "program.cpp"},
    {"ClangCpp20", "clang++-19 -std=c++20", "program.cpp"},
};

class Header : public ::testing::TestWithParam<Compiler> {
protected:
  void compile(const std::string& body, const std::string& options = "") {
    workspace.write(GetParam().source, "#include <symbiosis/breakpoints.h>\n#include <assert.h>\n" + body);
    ASSERT_STATUS(
        workspace.run(fmt::format("{} -O1 -Wall -Wextra -Werror {} -I'{}' {} -o program -pthread",
                                  GetParam().command, options, SYMBIOSIS_INCLUDE_DIR, GetParam().source)),
        0);
  }
  CommandResult run(const std::string& environment = "") { return workspace.run(environment + " ./program"); }
  Workspace workspace;
};

std::string nameOf(const ::testing::TestParamInfo<Compiler>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Compilers, Header, ::testing::ValuesIn(kCompilers), nameOf);

// Two threads run `first` and `second`; what `end` says is checked behind both.
std::string twoThreads(const std::string& first, const std::string& second, const std::string& end) {
  return fmt::format(R"(
static int x, y;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* one(void* unused) {{ {} return unused; }}
static void* two(void* unused) {{ {} return unused; }}
int main(void) {{
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  (void)a, (void)b, (void)x, (void)y;
  {}
  return 0;
}}
)",
                     first, second, end);
}

TEST_P(Header, RankZeroOfAConflictGoesFirst) {
  compile(twoThreads("SYMBIOSIS_CONFLICT(\"race\", 0, &x); x = 1; SYMBIOSIS_GONE_ON();",
                     "SYMBIOSIS_CONFLICT(\"race\", 1, &x); x = 2;", "assert(x == 2);"));
  for (int i = 0; i < 5; ++i) ASSERT_STATUS(run(), 0);
  compile(twoThreads("SYMBIOSIS_CONFLICT(\"race\", 1, &x); x = 1;",
                     "SYMBIOSIS_CONFLICT(\"race\", 0, &x); x = 2; SYMBIOSIS_GONE_ON();", "assert(x == 1);"));
  for (int i = 0; i < 5; ++i) ASSERT_STATUS(run(), 0);
  EXPECT_THAT(run().output, HasSubstr("breakpoint \"race\": hit 1 time, 0 times waited in vain"));
}

TEST_P(Header, AConflictOnAnotherObjectIsNone) {
  compile(twoThreads("x = SYMBIOSIS_CONFLICT(\"race\", 0, &x);", "y = SYMBIOSIS_CONFLICT(\"race\", 1, &y);",
                     "assert(!x && !y);"));
  const CommandResult result = run("SYMBIOSIS_BREAKPOINTS_WAIT=0.02");
  EXPECT_STATUS(result, 0);
  EXPECT_THAT(result.output, HasSubstr("hit 0 times, 2 times waited in vain"));
}

TEST_P(Header, TheSameThreadDoesNotMeetItself) {
  compile(twoThreads("SYMBIOSIS_CONFLICT(\"race\", 0, &x); SYMBIOSIS_CONFLICT(\"race\", 1, &x);", "", ""));
  EXPECT_THAT(run("SYMBIOSIS_BREAKPOINTS_WAIT=0.01").output, HasSubstr("hit 0 times, 2 times waited"));
}

TEST_P(Header, ADeadlockIsMadeOfLocksHeldAndWanted) {
  const std::string first = "pthread_mutex_lock(&a); SYMBIOSIS_DEADLOCK(\"ab\", 0, &a, &b);"
                            "x = pthread_mutex_trylock(&b); SYMBIOSIS_GONE_ON();"
                            "if (!x) pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);";
  const std::string second = "pthread_mutex_lock(&b); y = SYMBIOSIS_DEADLOCK(\"ab\", 1, &b, &a);"
                             "pthread_mutex_unlock(&b);";
  compile(twoThreads(first, second, "assert(x != 0 && y == 1);"));
  for (int i = 0; i < 5; ++i) ASSERT_STATUS(run(), 0);
}

TEST_P(Header, CustomTriggersHaveAJointPredicate) {
  const std::string predicate =
      "static int ten(const void* a, const void* b) { return *(const int*)a + *(const int*)b == 10; }\n";
  const std::string first = "int mine = 4; x = SYMBIOSIS_TRIGGER(\"sum\", 0, 2, mine > 3, ten, &mine);";
  for (int other : {6, 7}) {
    compile(predicate +
            twoThreads(first,
                       fmt::format("int mine = {}; y = SYMBIOSIS_TRIGGER(\"sum\", 1, 2, 1, ten, &mine);", other),
                       fmt::format("assert(x == {0} && y == {0});", other == 6 ? 1 : 0)));
    EXPECT_STATUS(run(other == 6 ? "" : "SYMBIOSIS_BREAKPOINTS_WAIT=0.02"), 0);
  }
}

TEST_P(Header, ALocalPredicateThatDoesNotHoldMeansNoWait) {
  compile(twoThreads("x = SYMBIOSIS_CONFLICT_IF(x == 7, \"race\", 0, &x);", "", "assert(!x);"));
  const CommandResult result = run();
  EXPECT_STATUS(result, 0);
  EXPECT_THAT(result.output, Not(HasSubstr("in vain"))); // nobody has even asked for the breakpoint
}

TEST_P(Header, ThreeThreadsGoOnByRank) {
  compile(R"(
static int place, order[3];
static void* runs(void* number) {
  int rank = (int)(long)number;
  SYMBIOSIS_MEET("all", rank, 3, &place);
  order[rank] = __atomic_add_fetch(&place, 1, __ATOMIC_SEQ_CST);
  SYMBIOSIS_GONE_ON();
  return number;
}
int main(void) {
  pthread_t threads[3];
  long i;
  for (i = 0; i < 3; ++i) pthread_create(&threads[i], 0, runs, (void*)(2 - i));
  for (i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(order[0] == 1 && order[1] == 2 && order[2] == 3);
  return 0;
}
)");
  for (int i = 0; i < 5; ++i) ASSERT_STATUS(run(), 0);
}

TEST_P(Header, IgnoresTheFirstAndStopsAtABound) {
  const std::string loop = "for (int i = 0; i < 6; ++i) SYMBIOSIS_CONFLICT_IF(SYMBIOSIS_IGNORE_FIRST(2) && "
                           "SYMBIOSIS_BOUND(\"race\", 3), "
                           "\"race\", {}, &x);";
  compile(twoThreads(fmt::format(fmt::runtime(loop), 0), fmt::format(fmt::runtime(loop), 1),
                     "assert(SYMBIOSIS_HITS(\"race\") == 3);"));
  EXPECT_STATUS(run(), 0);
}

TEST_P(Header, KnowsWhichLocksAreHeld) {
  compile(twoThreads("SYMBIOSIS_HOLDS(\"Caret\"); SYMBIOSIS_HOLDS(\"Page\"); SYMBIOSIS_LETS_GO(\"Caret\");"
                     "x = SYMBIOSIS_LOCK_TYPE_HELD(\"Page\") && !SYMBIOSIS_LOCK_TYPE_HELD(\"Caret\");",
                     "pthread_mutex_lock(&a); y = SYMBIOSIS_LOCK_HELD(&a) && !SYMBIOSIS_LOCK_HELD(&b) && "
                     "!SYMBIOSIS_LOCK_TYPE_HELD(\"Page\"); pthread_mutex_unlock(&a);",
                     "assert(x && y && !SYMBIOSIS_LOCK_HELD(&a));"));
  EXPECT_STATUS(run(), 0);
}

// Thread 0.1 waits in vain, so its next wait is longer; this does not look at clocks, but at who came in time.
TEST_P(Header, AWaitInVainMakesTheNextOneLonger) {
  compile(twoThreads("x = SYMBIOSIS_CONFLICT(\"race\", 0, &x); y = SYMBIOSIS_CONFLICT(\"race\", 0, &y);",
                     "struct timespec pause = {0, 400000000}; pthread_mutex_lock(&a);"
                     "pthread_cond_t never = PTHREAD_COND_INITIALIZER; struct timespec now;"
                     "timespec_get(&now, TIME_UTC); now.tv_nsec += pause.tv_nsec;"
                     "if (now.tv_nsec >= 1000000000) now.tv_nsec -= 1000000000, ++now.tv_sec;"
                     "pthread_cond_timedwait(&never, &a, &now); pthread_mutex_unlock(&a);"
                     "SYMBIOSIS_CONFLICT(\"race\", 1, &y);",
                     "assert(!x && y);"));
  bool longer = false; // on a busy machine the other thread may come too late once
  for (int i = 0; i < 5 && !longer; ++i) longer = run().status == 0;
  EXPECT_TRUE(longer);
}

TEST_P(Header, OrderingsAreKeptByThreadAndTime) {
  compile(twoThreads("for (int i = 0; i < 3; ++i) { SYMBIOSIS_AWAIT(\"bug\", 1, 1, \"0.1\", 2); ++x; }"
                     "SYMBIOSIS_REACHED(\"bug\", 1, 1, \"0.7\", 1);",
                     "for (int i = 0; i < 4; ++i) { y = x; SYMBIOSIS_REACHED(\"bug\", 1, 1, \"0.2\", 3); }",
                     "assert(x == 3);"),
          "-DSYMBIOSIS_NAME_THREADS");
  const CommandResult result = run("SYMBIOSIS_BREAKPOINTS_WAIT=20");
  EXPECT_STATUS(result, 0);
  EXPECT_THAT(result.output, HasSubstr("breakpoint \"bug\": 1 of 1 orderings kept, 0 times waited in vain"));
}

TEST_P(Header, TheEndOfAThreadKeepsAnOrdering) {
  for (const char* end : {"if (x) return 0;", "pthread_exit(0);"}) {
    compile(twoThreads("SYMBIOSIS_AWAIT(\"bug\", 1, 1, \"0.1\", 1); y = x;",
                       std::string("SYMBIOSIS_REACHED_AT_END(\"bug\", 1, 1, \"0.2\", 1); x = 1; ") + end,
                       "assert(y == 1);"),
            "-DSYMBIOSIS_NAME_THREADS");
    for (int i = 0; i < 5; ++i) ASSERT_STATUS(run("SYMBIOSIS_BREAKPOINTS_WAIT=20"), 0);
  }
}

TEST_P(Header, AnOrderingInVainMakesTheOthersNoWait) {
  compile(twoThreads("SYMBIOSIS_AWAIT(\"bug\", 1, 2, \"0.1\", 1); SYMBIOSIS_AWAIT(\"bug\", 2, 2, \"0.1\", 1);", "",
                     ""),
          "-DSYMBIOSIS_NAME_THREADS");
  EXPECT_THAT(run("SYMBIOSIS_BREAKPOINTS_WAIT=0.1").output,
              HasSubstr("0 of 2 orderings kept, 2 times waited in vain"));
}

TEST_P(Header, IsSwitchedOffByTheEnvironment) {
  compile(twoThreads("x = SYMBIOSIS_CONFLICT(\"race\", 0, &x);", "", "assert(!x);"));
  for (const char* off : {"SYMBIOSIS_BREAKPOINTS=0", "SYMBIOSIS_BREAKPOINTS=off"}) {
    const CommandResult result = run(off);
    EXPECT_STATUS(result, 0);
    EXPECT_EQ(result.output, "");
  }
  EXPECT_THAT(run().output, HasSubstr("1 time waited in vain"));
}

TEST_P(Header, LeavesNothingWhenItIsCompiledOut) {
  const std::string with = "SYMBIOSIS_CONFLICT(\"race\", 0, &x); SYMBIOSIS_AWAIT(\"bug\", 1, 1, \"0.1\", 1); "
                           "x = SYMBIOSIS_BETWEEN(x + 1, SYMBIOSIS_REACHED(\"bug\", 1, 1, \"0.1\", 1));";
  const std::string shape = "static int x;\nint work(void);\nint work(void) {{ {} return x; }}\n"
                            "int main(void) {{ assert(work() == 1); return 0; }}\n";
  compile(fmt::format(fmt::runtime(shape), with), "-DSYMBIOSIS_BREAKPOINTS=0");
  EXPECT_STATUS(run(), 0);
  const std::string code = workspace.run("objdump -d --no-addresses --no-show-raw-insn program | sed 1,3d").output;
  EXPECT_THAT(workspace.run("nm -a program").output, Not(HasSubstr("symbiosis")));
  compile(fmt::format(fmt::runtime(shape), "x = x + 1;"), "-DSYMBIOSIS_BREAKPOINTS=0");
  EXPECT_EQ(workspace.run("objdump -d --no-addresses --no-show-raw-insn program | sed 1,3d").output, code);
}

TEST_P(Header, SourcesOfAProgramShareTheirBreakpoints) {
  const std::string extension = std::filesystem::path(GetParam().source).extension().string();
  const std::string declared = extension == ".c" ? "" : "extern \"C\" ";
  workspace.write("other" + extension,
                  "#include <symbiosis/breakpoints.h>\n" + declared + "void* two(void*);\n" + declared +
                      "void* two(void* x) { SYMBIOSIS_CONFLICT(\"race\", 1, x); return x; }\n");
  compile(declared + "void* two(void*);\n" + R"(
int main(void) {
  pthread_t thread;
  int x, hit;
  pthread_create(&thread, 0, two, &x);
  hit = SYMBIOSIS_CONFLICT("race", 0, &x);
  pthread_join(thread, 0);
  assert(hit == 1);
  return 0;
}
)",
          "other" + extension);
  EXPECT_STATUS(run(), 0);
}

} // namespace
} // namespace symbiosis::testing
