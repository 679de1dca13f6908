// Deadlocks, lost wake-ups and hangs: each program of tests/programs/wrong that names a class says how it must be
// explained. From an explored run, and from a native one that the time limit ends.
#include "tests/workspace.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace {

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

const std::string kPrograms = SYMBIOSIS_SOURCE_DIR "/tests/programs/wrong/";

// What stands behind "// NAME: ", of each such line, cut at the bars.
std::vector<std::string> said(const std::string& program, const std::string& name) {
  const std::string text = *readFile(kPrograms + program), mark = "// " + name + ": ";
  std::vector<std::string> found;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    std::string line = text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
    for (size_t bar; (bar = line.find('|')) != std::string::npos; line = line.substr(bar + 1))
      found.push_back(line.substr(0, bar));
    found.push_back(line);
  }
  return found;
}

std::vector<std::string> programsThatWait() {
  std::vector<std::string> programs;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms))
    if (!said(entry.path().filename().string(), "class").empty())
      programs.push_back(entry.path().filename().string());
  std::sort(programs.begin(), programs.end());
  return programs;
}

void compile(const Workspace& workspace, const std::string& program, std::string flags) {
  const bool isCxx = program.ends_with(".cpp");
  for (const std::string& more : said(program, "flags")) flags += " " + more;
  EXPECT_STATUS(workspace.symbiosis(fmt::format("{} -g {} {}{} -o program -pthread", isCxx ? "c++" : "cc", flags,
                                                kPrograms, program)),
                0);
}

// Diagnoses the latest recording and holds the report against what the program says.
void expectExplained(const Workspace& workspace, const std::string& program) {
  const bool hasAlternate = said(program, "alternate").empty();
  const CommandResult result = workspace.symbiosis("diagnose --replays 5");
  EXPECT_STATUS(result, hasAlternate ? 0 : 1);
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  EXPECT_STATUS(
      workspace.run(fmt::format("python3 -c 'import json, jsonschema; "
                                "jsonschema.validate(json.load(open(\".symbiosis/latest/report/dsp.json\")), "
                                "json.load(open(\"{}/docs/dsp-schema.json\")))'",
                                SYMBIOSIS_SOURCE_DIR)),
      0);
  EXPECT_EQ(report["failure"]["kind"], "deadlock");
  EXPECT_EQ(report["classification"]["class"], said(program, "class").at(0));
  EXPECT_EQ(report["rootCause"]["status"], "proved") << report["rootCause"].dump(1);
  EXPECT_EQ(report["rootCause"]["orders"].empty(), !hasAlternate);
  const std::string words = report["classification"]["headline"].get<std::string>() + " " +
                            report["classification"]["hint"].get<std::string>();
  for (const std::string& text : said(program, "says"))
    EXPECT_NE(words.find(text), std::string::npos) << text << " is not in: " << words;
  EXPECT_LE(report["dsp"]["events"].size(), 6u);
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << report["certificate"].dump(1);
  EXPECT_NE(result.output.find("waits for"), std::string::npos) << result.output;
  EXPECT_NE(workspace.read(".symbiosis/latest/report/dsp.svg").find("for ever"), std::string::npos);
  EXPECT_STATUS(workspace.symbiosis("replay --failing"), 0);
  if (!hasAlternate) {
    EXPECT_EQ(report["alternate"]["status"], "noneProved");
    return;
  }
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5) << report["certificate"].dump(1);
  EXPECT_GE(report["certificate"]["alternate"]["completedOk"], 3) << report["certificate"].dump(1);
  EXPECT_STATUS(workspace.symbiosis("replay --alternate"), 0);
}

class Waiting : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Waiting, IsExplainedFromAnExploredRun) {
  const auto& [program, level] = GetParam();
  Workspace workspace;
  compile(workspace, program, level);
  const CommandResult profiled = workspace.symbiosis("profile --schedule portfolio ./program");
  EXPECT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("failed: deadlock: "), std::string::npos) << profiled.output;
  EXPECT_NE(profiled.output.find(" waits for "), std::string::npos) << profiled.output;
  expectExplained(workspace, program);
}
std::string nameOf(const ::testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  const auto& [program, level] = info.param;
  return std::filesystem::path(program).stem().string() + "_" + level.substr(1);
}
INSTANTIATE_TEST_SUITE_P(All, Waiting,
                         ::testing::Combine(::testing::ValuesIn(programsThatWait()),
                                            ::testing::Values(std::string("-O0"), std::string("-O2"))),
                         nameOf);

class Hanging : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Hanging, IsExplainedFromANativeRunThatTheTimeLimitEnds) {
  const auto& [program, level] = GetParam();
  Workspace workspace;
  compile(workspace, program, level);
  const CommandResult profiled =
      workspace.symbiosis("profile --schedule native --runs 50 --timeout 1.5 ./program");
  EXPECT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("failed: deadlock: "), std::string::npos) << profiled.output;
  const CommandResult dumped = workspace.symbiosis("dump");
  EXPECT_NE(dumped.output.find("ended    time-out"), std::string::npos) << dumped.output;
  EXPECT_NE(dumped.output.find(" waits for "), std::string::npos) << dumped.output;
  EXPECT_NE(dumped.output.find("(not finished)"), std::string::npos) << dumped.output;
  expectExplained(workspace, program);
}
INSTANTIATE_TEST_SUITE_P(Mutexes, Hanging,
                         ::testing::Combine(::testing::Values(std::string("ab_ba.c"),
                                                              std::string("lost_wakeup.c")),
                                            ::testing::Values(std::string("-O0"), std::string("-O2"))),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Others, Hanging,
                         ::testing::Combine(::testing::ValuesIn(std::vector<std::string>{
                                                "ab_ba_guard.cpp", "join_with_lock.c", "semaphores_crossed.c",
                                                "rwlocks_crossed.c", "once_with_lock.c"}),
                                            ::testing::Values(std::string("-O1"))),
                         nameOf);

// One of the two would have gone on after an hour. Under control that hour is over when nobody else can go on, but
// not in a replay of a run in which it was not.
TEST(Hang, OfALockWithATimeLimitIsRepeated) {
  Workspace workspace;
  workspace.write("program.c", R"(#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void* patient(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 3600;
  pthread_mutex_lock(&first);
  usleep(100000);
  if (pthread_mutex_timedlock(&second, &until) == 0) pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return unused;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, 0, patient, 0);
  pthread_mutex_lock(&second);
  usleep(100000);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  pthread_join(thread, 0);
  return 0;
}
)");
  ASSERT_STATUS(workspace.symbiosis("cc -g -O1 program.c -o program -pthread"), 0);
  ASSERT_STATUS(workspace.symbiosis("profile --schedule native --runs 50 --timeout 1.5 ./program"), 0);
  EXPECT_STATUS(workspace.symbiosis("diagnose --replays 5"), 0);
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(report["classification"]["class"], "deadlock");
  EXPECT_EQ(report["rootCause"]["status"], "proved");
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << report["certificate"].dump(1);
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5) << report["certificate"].dump(1);
}

// A run that only takes too long has nothing to explain.
// Nobody needs to wait for the time limit: it is long enough here to end the test.
TEST(Hang, InWhichEveryThreadWaitsIsSeenBeforeTheTimeLimit) {
  const Workspace workspace;
  workspace.write("stop.c",
                  "#include <pthread.h>\n"
                  "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                  "static void* again(void* x) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return x; }\n"
                  "int main(void) {\n"
                  "  pthread_t t;\n"
                  "  pthread_create(&t, 0, again, 0);\n"
                  "  return pthread_join(t, 0);\n"
                  "}\n");
  ASSERT_STATUS(workspace.symbiosis("cc -g stop.c -o stop -pthread"), 0);
  ASSERT_STATUS(workspace.symbiosis("profile --schedule native --timeout 3600 ./stop"), 0);
  const CommandResult dumped = workspace.symbiosis("dump");
  EXPECT_NE(dumped.output.find("every thread waits for another one"), std::string::npos) << dumped.output;
}

// A thread that sleeps, or waits with a time limit, goes on by itself; so does one that a timer or a child may
// wake.
TEST(Hang, IsNotSeenWhereSomethingMayStillCome) {
  const Workspace workspace;
  workspace.write("slow.c",
                  "#include <pthread.h>\n#include <unistd.h>\n#include <signal.h>\n#include <semaphore.h>\n"
                  "static sem_t s;\n"
                  "static void post(int n) { (void)n; sem_post(&s); }\n"
                  "static void* wait(void* x) { while (sem_wait(&s)) {} return x; }\n"
                  "int main(void) {\n"
                  "  pthread_t t;\n"
                  "  sem_init(&s, 0, 0);\n"
                  "  signal(SIGALRM, post);\n"
                  "  alarm(5);\n"
                  "  pthread_create(&t, 0, wait, 0);\n"
                  "  pthread_join(t, 0);\n"
                  "  return 0;\n"
                  "}\n");
  ASSERT_STATUS(workspace.symbiosis("cc -g slow.c -o slow -pthread"), 0);
  EXPECT_STATUS(workspace.symbiosis("profile --schedule native --runs 1 ./slow"), 1);
}

TEST(Hang, WithoutAnybodyWhoWaitsIsSaidToBeUnexplained) {
  Workspace workspace;
  workspace.write("loop.c", "int main(void) { for (volatile int i = 1; i; ) { } return 0; }\n");
  EXPECT_STATUS(workspace.symbiosis("cc -g loop.c -o program"), 0);
  EXPECT_STATUS(workspace.symbiosis("profile --schedule native --timeout 0.5 ./program"), 0);
  const CommandResult result = workspace.symbiosis("diagnose");
  EXPECT_STATUS(result, 3);
  EXPECT_NE(result.output.find("no thread waits for another"), std::string::npos) << result.output;
}

// Somebody waits for ever while another still runs: that is a hang, not a deadlock.
TEST(Hang, NamesWhoWaitsAndWhoHasIt) {
  Workspace workspace;
  workspace.write("busy.c", "#include <pthread.h>\n"
                            "#include <unistd.h>\n"
                            "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                            "static void* want(void* unused) {\n"
                            "  usleep(100000);\n"
                            "  pthread_mutex_lock(&m);\n"
                            "  pthread_mutex_unlock(&m);\n"
                            "  return unused;\n"
                            "}\n"
                            "int main(void) {\n"
                            "  pthread_t thread;\n"
                            "  pthread_create(&thread, 0, want, 0);\n"
                            "  pthread_mutex_lock(&m);\n"
                            "  for (volatile int i = 1; i;) usleep(1000);\n"
                            "  return 0;\n"
                            "}\n");
  EXPECT_STATUS(workspace.symbiosis("cc -g busy.c -o program -pthread"), 0);
  const CommandResult profiled = workspace.symbiosis("profile --schedule native --timeout 1.5 ./program");
  EXPECT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("hang: 1 of 2 threads wait for ever"), std::string::npos) << profiled.output;
  EXPECT_NE(profiled.output.find("T1 waits for m (busy.c:6), held by T0 (busy.c:13)"), std::string::npos)
      << profiled.output;
  workspace.symbiosis("diagnose --replays 0");
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(report["failure"]["kind"], "hang");
  EXPECT_EQ(report["classification"]["class"], "hang");
}

} // namespace
