// Every way in which a run can fail, the whole way: recorded, diagnosed, certified on the real program; from
// explored runs and from plain ones, with and without optimisation.
#include "tests/workspace.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

constexpr const char* kLevels[] = {"-O0", "-O2"};

struct Ending {
  const char* program; // in tests/programs/wrong
  const char* kind;
  const char* message;  // a part of it
  const char* failsAt;  // a part of the failing line
  const char* variable; // that the classification names
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.program; }

constexpr Ending kEndings[] = {
    {"null_order.c", "crash", "null pointer: write of *shared (SIGSEGV)", "*shared = 1", "shared"},
    {"check_then_use.c", "crash", "null pointer: write of current->requests", "if (current)", "current"},
    {"closed_early.cpp", "crash", "null pointer: read of", "", ""},
    {"index_wild.c", "crash", "bad address", "slots[next] = 7", "next"},
    {"use_after_free.c", "use after free", "read of", "block[size / 2]", "block"},
    {"call_gone.c", "crash", "null pointer called (SIGSEGV)", "  handler();", "handler"},
    {"string_gone.c", "crash", "null pointer: strlen(name) (SIGSEGV)", "strlen(name)", "name"},
    {"lock_gone.c", "crash", "null pointer: pthread_mutex_lock(&queue->lock)", "lock(&queue->lock)", "queue"},
    {"divide_by_none.c", "crash", "division by zero (SIGFPE)", "sum / count", "count"},
    {"guarded_trap.c", "crash", "trap instruction (SIGILL)", "__builtin_trap", "open"},
    {"guarded_assert.c", "assertion", "0", "assert(0)", "open"},
    {"fatal_function.c", "crash", "abort()", "abort()", "open"},
    {"forgotten_join.cpp", "exception", "std::terminate()", "", "done"},
    {"guarded_abort.c", "crash", "abort()", "abort()", ""},
    {"uncaught.cpp", "exception", "std::runtime_error: insufficient funds", "throw", "money"},
    {"at_range.cpp", "exception", "std::out_of_range: vector::_M_range_check", "values.at", "chosen"},
    {"allocation_fails.cpp", "exception", "std::bad_alloc", "new char", "wanted"},
    {"broken_promise.cpp", "exception", "std::logic_error: closed", "throw", "closed"},
    {"exit_in_thread.c", "exit", "exit status 3, expected 0", "exit(3)", "ready"},
    {"exit_at_once.c", "exit", "exit status 4, expected 0", "_exit(4)", "ready"},
    {"exit_quickly.c", "exit", "exit status 5, expected 0", "quick_exit(5)", "ready"},
    {"no_join.c", "exit", "exit status 1, expected 0", "return done", ""},
};

std::string sourceOf(const char* program) {
  return fmt::format("{}/tests/programs/wrong/{}", SYMBIOSIS_SOURCE_DIR, program);
}

// The text of line `number`, from 1.
std::string lineOf(const std::string& text, unsigned number) {
  size_t at = 0;
  while (--number > 0) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

void compile(const Workspace& workspace, const std::string& source, const std::string& options) {
  const bool isC = source.ends_with(".c");
  ASSERT_STATUS(
      workspace.symbiosis(fmt::format("{} -g {} {} -o app -pthread", isC ? "cc" : "c++", options, source)), 0);
}

// The report; its certificate has been found complete.
json diagnose(const Workspace& workspace) {
  const CommandResult result = workspace.symbiosis("diagnose --replays 3");
  EXPECT_STATUS(result, 0);
  json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  EXPECT_EQ(report["alternate"]["status"], "found");
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 3) << result.output;
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 3) << result.output;
  // Each view says what kind of failure it was.
  const std::string kind = report["failure"]["kind"];
  EXPECT_NE(result.output.find("FAIL         " + kind), std::string::npos) << result.output;
  EXPECT_NE(workspace.read(".symbiosis/latest/report/dsp.html").find(kind), std::string::npos);
  EXPECT_NE(workspace.read(".symbiosis/latest/report/dsp.svg").find(kind), std::string::npos);
  return report;
}

class ExploredEnding : public ::testing::TestWithParam<std::tuple<Ending, const char*>> {};

TEST_P(ExploredEnding, IsDiagnosedAndCertified) {
  const auto& [ending, level] = GetParam();
  Workspace workspace;
  ASSERT_NO_FATAL_FAILURE(compile(workspace, sourceOf(ending.program), level));
  ASSERT_STATUS(workspace.symbiosis("profile --schedule portfolio ./app"), 0);
  const json report = diagnose(workspace);
  const json& failure = report["failure"];
  EXPECT_EQ(failure["kind"], ending.kind);
  EXPECT_NE(failure["message"].get<std::string>().find(ending.message), std::string::npos) << failure;
  const std::string line = lineOf(*readFile(sourceOf(ending.program)), failure["location"]["line"]);
  EXPECT_NE(line.find(ending.failsAt), std::string::npos) << line;
  const std::string about = report["classification"]["variable"];
  EXPECT_NE(about.find(ending.variable), std::string::npos) << about;
}
INSTANTIATE_TEST_SUITE_P(Programs, ExploredEnding,
                         ::testing::Combine(::testing::ValuesIn(kEndings), ::testing::ValuesIn(kLevels)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param).program;
                           name = name.substr(0, name.find('.')) + std::get<1>(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// One thread takes things away and gives them back; main uses them in between.
constexpr const char* kMoments = R"(
#include <pthread.h>
#include <stdexcept>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char text[] = "text";
static char* volatile pointer = text;
static volatile int number = 1;
static volatile int result;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* volatile lock = &mutex;
static void* taker(void* unused) {
  pointer = nullptr;
  number = 0;
  lock = nullptr;
  sleep(2);
  return unused;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, taker, nullptr);
  usleep(200000);
  FAILS;
  pthread_join(thread, nullptr);
  return 0;
}
)";

struct Moment {
  const char* name;
  const char* fails;
  int signal; // 0: exits
  const char* kind;
  const char* message;
};
void PrintTo(const Moment& moment, std::ostream* out) { *out << moment.name; }

constexpr Moment kMomentsOfFailure[] = {
    {"store", "pointer[2] = 0", 11, "crash", "null pointer: write of"},
    {"load", "result = pointer[1]", 11, "crash", "null pointer: read of"},
    {"divide", "result = 7 / number", 8, "crash", "division by zero"},
    {"length", "result = int(strlen(pointer))", 11, "crash", "null pointer: strlen(pointer)"},
    {"lock", "pthread_mutex_lock(lock)", 11, "crash", "null pointer: pthread_mutex_lock(lock)"},
    {"abort", "if (!number) abort()", 6, "crash", "abort()"},
    {"trap", "if (!number) __builtin_trap()", 4, "crash", "trap instruction"},
    {"throw", "if (!number) throw std::runtime_error(\"none\")", 6, "exception", "std::runtime_error: none"},
    {"exit", "if (!number) _exit(9)", 0, "exit", "exit status 9"},
};

class PlainEnding : public ::testing::TestWithParam<std::tuple<Moment, const char*>> {};

TEST_P(PlainEnding, IsUnchangedAndDiagnosedAndCertified) {
  const auto& [moment, level] = GetParam();
  Workspace workspace;
  workspace.write("app.cpp", kMoments);
  ASSERT_NO_FATAL_FAILURE(compile(workspace, "app.cpp", fmt::format("{} '-DFAILS={}'", level, moment.fails)));
  const CommandResult profiled = workspace.symbiosis("profile --schedule native --runs 5 ./app");
  ASSERT_STATUS(profiled, 0);
  // It ends as it does without us.
  const std::string ended = workspace.symbiosis("dump").output;
  EXPECT_NE(
      ended.find(moment.signal ? fmt::format("ended    signal {} ", moment.signal) : "ended    exit status 9"),
      std::string::npos)
      << ended;
  EXPECT_EQ(workspace.run("./app").status, moment.signal ? 128 + moment.signal : 9);
  const json report = diagnose(workspace);
  EXPECT_EQ(report["failure"]["kind"], moment.kind);
  EXPECT_NE(report["failure"]["message"].get<std::string>().find(moment.message), std::string::npos)
      << report["failure"];
  EXPECT_STATUS(workspace.symbiosis("replay --failing"), 0);
  EXPECT_STATUS(workspace.symbiosis("replay --alternate"), 0);
}
INSTANTIATE_TEST_SUITE_P(Moments, PlainEnding,
                         ::testing::Combine(::testing::ValuesIn(kMomentsOfFailure), ::testing::ValuesIn(kLevels)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) +
                                  (std::get<1>(test.param) == kLevels[0] ? "_O0" : "_O2");
                         });

// libc notices it when the second thread ends and gives its blocks back; by then the thread has closed its logs.
constexpr const char* kFreedTwice = R"(
#include <pthread.h>
#include <stdlib.h>
char* volatile block;
void* release(void* unused) { free((char*)block); return unused; }
int main(void) {
  pthread_t one, two;
  block = malloc(7);
  pthread_create(&one, 0, release, 0);
  pthread_join(one, 0);
  pthread_create(&two, 0, release, 0);
  pthread_join(two, 0);
  return 0;
}
)";

TEST(Endings, AHeapThatIsFoundBrokenWhenAThreadEndsIsNoted) {
  Workspace workspace;
  workspace.write("app.c", kFreedTwice);
  ASSERT_NO_FATAL_FAILURE(compile(workspace, "app.c", "-O1"));
  ASSERT_EQ(workspace.run("./app").status, 128 + 6);
  const CommandResult profiled = workspace.symbiosis("profile --schedule native --runs 1 ./app");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("signal 6 (Aborted), \"double free or corruption (fasttop)\", in thread 0.2"),
            std::string::npos)
      << profiled.output;
  CommandResult diagnosed = workspace.symbiosis("diagnose --replays 0");
  EXPECT_STATUS(diagnosed, 3);
  EXPECT_NE(diagnosed.output.find("thread 0.2 had no logs"), std::string::npos) << diagnosed.output;
  // Under control it is found where it happens, and repeated with the blocks held back as they were then.
  diagnosed = workspace.symbiosis("diagnose");
  EXPECT_STATUS(diagnosed, 1);
  EXPECT_NE(diagnosed.output.find("double free: free("), std::string::npos) << diagnosed.output;
  EXPECT_NE(diagnosed.output.find("failing schedule 20/20 failed"), std::string::npos) << diagnosed.output;
}

TEST(Endings, WhatLibcFindsBrokenIsLookedForUnderControl) {
  Workspace workspace;
  workspace.write("app.c", kFreedTwice);
  ASSERT_NO_FATAL_FAILURE(compile(workspace, "app.c", "-O1"));
  const CommandResult profiled = workspace.symbiosis("profile ./app");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("looking under control for where it happens"), std::string::npos)
      << profiled.output;
  EXPECT_NE(profiled.output.find("double free at address"), std::string::npos) << profiled.output;
  // Every schedule frees twice: there is nothing to pass, but both frees have their place.
  const CommandResult diagnosed = workspace.symbiosis("diagnose --replays 2");
  EXPECT_STATUS(diagnosed, 1);
  EXPECT_NE(diagnosed.output.find("double free: free("), std::string::npos) << diagnosed.output;
  EXPECT_NE(diagnosed.output.find("after T1 has freed it (line"), std::string::npos) << diagnosed.output;
}

TEST(Endings, ABlockThatIsFreedTwiceIsNoticedUnderControlAtTheSecondFree) {
  Workspace workspace;
  workspace.write("app.c", kFreedTwice);
  ASSERT_NO_FATAL_FAILURE(compile(workspace, "app.c", "-O1"));
  const CommandResult profiled = workspace.symbiosis("profile --schedule random --runs 1 ./app");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("double free at address"), std::string::npos) << profiled.output;
  // Where blocks are used again at once, libc still notices.
  EXPECT_NE(workspace.symbiosis("profile --schedule random --heap off --runs 1 ./app").output.find("signal 6"),
            std::string::npos);
}

TEST(Endings, ChildrenOfTheProgramAreSaidNotToBeRecorded) {
  Workspace workspace;
  workspace.write("app.c", R"(
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int open = 1;
static void* closer(void* unused) {
  open = 0;
  open = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  int status;
  pid_t child = fork();
  if (child == 0) abort(); // not the failure that is looked for
  waitpid(child, &status, 0);
  child = fork();
  if (child == 0) execlp("true", "true", (char*)0);
  waitpid(child, &status, 0);
  pthread_create(&thread, NULL, closer, NULL);
  if (!open) abort();
  pthread_join(thread, NULL);
  return 0;
}
)");
  ASSERT_NO_FATAL_FAILURE(compile(workspace, "app.c", "-O1"));
  const CommandResult profiled = workspace.symbiosis("profile --schedule portfolio ./app");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("forked 2 times; its children are not recorded"), std::string::npos)
      << profiled.output;
  EXPECT_NE(workspace.symbiosis("dump").output.find("forked   2 times"), std::string::npos);
  const json report = diagnose(workspace);
  EXPECT_NE(report["classification"]["variable"].get<std::string>().find("open"), std::string::npos);
}

// What the program does with signals is its own affair: it sees the default where our handler is, and its own
// handler where it has one.
TEST(Endings, HandlersOfTheProgramAreItsOwn) {
  Workspace workspace;
  workspace.write("app.c", R"(
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static sigjmp_buf back;
static void recover(int number) { siglongjmp(back, number); }
int main(int count, char** arguments) {
  struct sigaction old, action;
  if (sigaction(SIGSEGV, NULL, &old) != 0 || old.sa_handler != SIG_DFL) return 20;
  if (signal(SIGFPE, recover) != SIG_DFL || signal(SIGFPE, SIG_DFL) != recover) return 21;
  memset(&action, 0, sizeof action);
  action.sa_handler = recover;
  if (sigaction(SIGSEGV, &action, &old) != 0 || old.sa_handler != SIG_DFL) return 22;
  int* volatile nowhere = NULL;
  if (sigsetjmp(back, 1) == 0) *nowhere = 1;
  if (signal(SIGABRT, SIG_IGN) != SIG_DFL) return 23;
  if (signal(SIGABRT, SIG_DFL) != SIG_IGN) return 24;
  puts("recovered");
  return 7;
}
)");
  ASSERT_NO_FATAL_FAILURE(compile(workspace, "app.c", "-O1"));
  EXPECT_EQ(workspace.run("./app").status, 7);
  const CommandResult native = workspace.symbiosis("profile --schedule native --runs 1 ./app");
  ASSERT_STATUS(native, 0);
  EXPECT_NE(native.output.find("exit status 7"), std::string::npos) << native.output;
  const CommandResult explored = workspace.symbiosis("profile --schedule random --runs 1 ./app");
  ASSERT_STATUS(explored, 0);
  EXPECT_NE(explored.output.find("exit status 7"), std::string::npos) << explored.output;
}

} // namespace
