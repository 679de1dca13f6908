// The command line itself: help, versions, programs that pass, compilers that fail.
#include "tests/workspace.h"

using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

constexpr const char* kPassing = R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int c, count = 0;
  while ((c = getchar()) != EOF) count++;
  printf("read %d, %d arguments\n", count, argc - 1);
  return argc > 1 ? atoi(argv[1]) : 0;
})";

TEST(CommandLine, EveryVerbExplainsItself) {
  Workspace workspace;
  EXPECT_NE(workspace.symbiosis("--version").output.find("symbiosis 0."), std::string::npos);
  for (const char* verb : {"", "profile", "diagnose", "replay", "simplify", "isolate", "merge", "breakpoints",
                           "predict", "prove", "dump", "view"}) {
    CommandResult help = workspace.symbiosis(std::string(verb) + " --help");
    EXPECT_STATUS(help, 0);
    EXPECT_GT(help.output.size(), 100u);
  }
}

TEST(CommandLine, TheCompilersStatusAndOutputComeThrough) {
  Workspace workspace;
  workspace.write("broken.c", "int main(void) { return x; }\n");
  CommandResult result = workspace.symbiosis("cc broken.c -o broken");
  EXPECT_STATUS(result, 1);
  EXPECT_NE(result.output.find("undeclared identifier 'x'"), std::string::npos) << result.output;
}

TEST(CommandLine, AProgramThatPassesYieldsNoRecording) {
  Workspace workspace;
  workspace.write("app.c", kPassing);
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app"), 0);
  CommandResult result = workspace.symbiosis("profile --runs 7 ./app");
  EXPECT_STATUS(result, 1);
  // Five as they come, then two schedules.
  EXPECT_NE(result.output.find("7 runs, and none failed"), std::string::npos) << result.output;
  EXPECT_FALSE(std::filesystem::exists(workspace.root() / ".symbiosis/latest"));
}

TEST(CommandLine, AnInstrumentedProgramRunsAloneAsBefore) {
  Workspace workspace;
  workspace.write("app.c", kPassing);
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app"), 0);
  CommandResult result = workspace.run("printf abc | ./app 3");
  EXPECT_STATUS(result, 3);
  EXPECT_EQ(result.output, "read 3, 1 arguments\n");
}

TEST(CommandLine, ExitStatusAndArgumentsAreTheUsers) {
  Workspace workspace;
  workspace.write("app.c", kPassing);
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app"), 0);
  EXPECT_STATUS(workspace.symbiosis("profile --schedule native --runs 3 --expect-exit 4 -- ./app 4"), 1);
  CommandResult result = workspace.symbiosis("profile --runs 3 -o kept -- ./app 4");
  EXPECT_STATUS(result, 0);
  EXPECT_NE(result.output.find("exit status 4"), std::string::npos) << result.output;
  // Standard input is captured once and fed to every run.
  CommandResult fed =
      workspace.run(std::string("printf abcde | '") + SYMBIOSIS_BINARY + "' profile --runs 1 ./app");
  EXPECT_NE(fed.output.find("read 5, 0 arguments"), std::string::npos) << fed.output;
  CommandResult dumped = workspace.symbiosis("dump --blocks kept");
  EXPECT_STATUS(dumped, 0);
  EXPECT_NE(dumped.output.find("./app 4"), std::string::npos) << dumped.output;
  // An existing directory is never overwritten.
  EXPECT_STATUS(workspace.symbiosis("profile --runs 3 -o kept -- ./app 4"), 2);
}

TEST(CommandLine, WhatTheProgramIsGivenIsByteForByteWhatWasWritten) {
  Workspace workspace;
  workspace.write("app.c", R"(#include <stdio.h>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) printf("<%s>", argv[i]);
  puts("");
  return 0;
})");
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app"), 0);
  const std::string words =
      R"( '[x]' '[a,b]' '[]' '' ' ' '%%' '"q"' '{1}' '=' '=x' -- --runs 3 -o x '++' '[' @none)";
  const std::string seen = "<[x]><[a,b]><[]><>< ><%%><\"q\"><{1}><=><=x><--><--runs><3><-o><x><++><[><@none>\n";
  for (const char* before :
       {"profile --runs 1 ./app", "profile --runs=1 -- ./app", "profile --runs 1 -o kept -- ./app"}) {
    CommandResult run = workspace.symbiosis(before + words);
    EXPECT_STATUS(run, 1);
    EXPECT_NE(run.output.find(seen), std::string::npos) << run.output;
  }
  // … and in the runs that repeat it.
  CommandResult kept = workspace.symbiosis("profile --runs 1 --expect-exit 7 -o kept ./app" + words);
  EXPECT_STATUS(kept, 0);
  EXPECT_NE(workspace.symbiosis("dump kept").output.find("[a,b]"), std::string::npos);
  EXPECT_STATUS(workspace.symbiosis("profile --runs 1"), 2);
}

constexpr const char* kReader = R"(#include <pthread.h>
static int values[1024], sum;
static void* read_all(void* unused) {
  for (int i = 0; i < 1000000; ++i) sum += values[i & 1023];
  return unused;
}
int main(void) {
  pthread_t thread;
  values[3] = 1;
  pthread_create(&thread, 0, read_all, 0);
  pthread_join(thread, 0);
  return sum == 0 ? 1 : 2;
})";

TEST(CommandLine, EachLevelRecordsMoreThanTheOneBefore) {
  Workspace workspace;
  workspace.write("app.c", kReader);
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app -pthread"), 0);
  uintmax_t before = 0;
  for (const char* level : {"path", "addresses", "full"}) {
    CommandResult result = workspace.symbiosis(
        fmt::format("profile --record {} --schedule native --runs 1 -o {} ./app", level, level));
    EXPECT_STATUS(result, 0);
    EXPECT_NE(result.output.find(fmt::format("at level {}", level)), std::string::npos) << result.output;
    EXPECT_NE(workspace.symbiosis(fmt::format("dump {}", level)).output.find(fmt::format("level    {}", level)),
              std::string::npos);
    uintmax_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(workspace.root() / level))
      if (entry.path().extension() == ".values" || entry.path().extension() == ".drained")
        size += entry.file_size();
    EXPECT_GE(size, before) << level;
    before = size;
  }
  EXPECT_GT(before, 4000000u) << "a million loads of four bytes";
  EXPECT_STATUS(workspace.symbiosis("profile --record nothing ./app"), 2);
}

TEST(CommandLine, ValuesPastTheLimitAreDroppedAndThatIsSaid) {
  Workspace workspace;
  workspace.write("app.c", kReader);
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app -pthread"), 0);
  CommandResult result =
      workspace.symbiosis("profile --record full --value-limit 2 --schedule native --runs 1 -o kept ./app");
  EXPECT_STATUS(result, 0);
  EXPECT_NE(result.output.find("limit of 2 MB were dropped"), std::string::npos) << result.output;
  EXPECT_LE(std::filesystem::file_size(workspace.root() / "kept/1.drained"), 2000000u);
  CommandResult blocks = workspace.symbiosis("dump --blocks kept");
  EXPECT_NE(blocks.output.find("values past the limit were dropped"), std::string::npos);
  EXPECT_GT(blocks.output.size(), 1000000u) << "the path is complete";
  CommandResult diagnosed = workspace.symbiosis("diagnose --replays 0 kept");
  EXPECT_STATUS(diagnosed, 3);
  EXPECT_NE(diagnosed.output.find("--value-limit"), std::string::npos) << diagnosed.output;
  // Where the program may be run, the failure is found under control instead; it comes in every schedule.
  diagnosed = workspace.symbiosis("diagnose kept");
  EXPECT_STATUS(diagnosed, 1);
  EXPECT_NE(diagnosed.output.find("--value-limit"), std::string::npos) << diagnosed.output;
  EXPECT_NE(diagnosed.output.find("failing schedule 20/20 failed"), std::string::npos) << diagnosed.output;
}

TEST(CommandLine, SeparateCompilationAndArchivesWork) {
  Workspace workspace;
  workspace.write("one.c", "int two(int);\nint main(void) { return two(20); }\n");
  workspace.write("two.c", "int two(int x) { return x > 10 ? x + 1 : x; }\n");
  ASSERT_STATUS(workspace.symbiosis("cc -O2 -c one.c -o one.o"), 0);
  ASSERT_STATUS(workspace.symbiosis("cc -O2 -c two.c -o two.o"), 0);
  ASSERT_STATUS(workspace.run("ar rcs libtwo.a two.o"), 0);
  ASSERT_STATUS(workspace.symbiosis("cc one.o -L. -ltwo -o app"), 0);
  EXPECT_STATUS(workspace.run("./app"), 21);
  EXPECT_STATUS(workspace.symbiosis("profile --runs 1 ./app"), 0);
}

TEST(CommandLine, ALinkWithoutBitcodeIsNotSilent) {
  Workspace workspace;
  workspace.write("app.c", "int main(void) { return 0; }\n");
  ASSERT_STATUS(workspace.run("cc -c app.c -o app.o"), 0);
  CommandResult result = workspace.symbiosis("cc app.o -o app");
  EXPECT_STATUS(result, 2);
  EXPECT_NE(result.output.find("app.o"), std::string::npos) << result.output;
}

} // namespace
