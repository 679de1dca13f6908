#include "replay/launch.h"
#include "support/files.h"
#include "tests/support/temporary_directory.h"
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace symbiosis {
namespace {

LaunchOptions shell(const std::string& script) {
  LaunchOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  options.quiet = true;
  return options;
}

TEST(Launch, ReportsExitStatusAndSignal) {
  EXPECT_EQ(*launch(shell("exit 3")), (Ending{EndingKind::exited, 3}));
  EXPECT_EQ(*launch(shell("kill -ABRT $$")), (Ending{EndingKind::signalled, SIGABRT}));
}

TEST(Launch, FeedsInputAndEnvironment) {
  LaunchOptions options = shell("read line; test \"$line/$GREETING\" = hello/world");
  options.standardInput = "hello\n";
  options.environment = {{"GREETING", "world"}};
  EXPECT_EQ(launch(options)->code, 0);
  options.standardInput.reset();
  EXPECT_EQ(launch(options)->code, 1);
}

TEST(Launch, WritesOutputToFiles) {
  testing::TemporaryDirectory directory;
  LaunchOptions options = shell("pwd; echo wrong >&2");
  options.outputFile = directory.path() / "out";
  options.errorFile = directory.path() / "err";
  options.workingDirectory = "/";
  EXPECT_EQ(launch(options)->code, 0);
  EXPECT_EQ(*readFile(options.outputFile), "/\n");
  EXPECT_EQ(*readFile(options.errorFile), "wrong\n");
}

TEST(Launch, KillsTheWholeGroupOnTimeOut) {
  testing::TemporaryDirectory directory;
  const std::string mark = (directory.path() / "mark").string();
  LaunchOptions options = shell("(sleep 1; touch " + mark + ") & sleep 60");
  options.timeoutSeconds = 0.2;
  EXPECT_EQ(launch(options)->kind, EndingKind::timedOut);
  EXPECT_EQ(launch(shell("sleep 1.2; test -e " + mark))->code, 1);
}

class InterruptedLaunch : public ::testing::TestWithParam<int> {};

// The launcher is another process; it dies while its program runs, and the program with it.
TEST_P(InterruptedLaunch, LeavesNoProgramBehind) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    ::close(ends[0]);
    ::dup2(ends[1], 9);
    ::close(ends[1]);
    [[maybe_unused]] auto ending = launch(shell("echo started >&9; exec sleep 60"));
    ::_exit(0);
  }
  ::close(ends[1]);
  char text[16];
  ASSERT_EQ(::read(ends[0], text, sizeof text), 8);
  ::kill(launcher, GetParam());
  int status = 0;
  ::waitpid(launcher, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam());
  EXPECT_EQ(::read(ends[0], text, sizeof text), 0) << "somebody still holds the pipe";
  ::close(ends[0]);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedLaunch, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL),
                         [](const auto& test) { return sigabbrev_np(test.param); });

TEST(Launch, EndsWhatItsWatcherCallsStuck) {
  LaunchOptions options = shell("sleep 60");
  int looks = 0;
  options.isStuck = [&](int) { return ++looks == 3; };
  EXPECT_EQ(launch(options)->kind, EndingKind::timedOut);
}

TEST(Launch, SaysWhenAProgramCannotBeRun) {
  LaunchOptions options;
  options.program = "/no/such/program";
  Result<Ending> result = launch(options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "/no/such/program: cannot run: No such file or directory");
}

} // namespace
} // namespace symbiosis
