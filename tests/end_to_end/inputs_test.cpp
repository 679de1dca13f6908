// What threads read from outside: the buffers that read(), fgets(), fread() and getline() fill are in the trace,
// and a run whose branches depend on them is explained and repeated.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

constexpr const char* kReader = R"(#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static char shared[64], block[16];
static int sum, lines;
static void* reader(void* unused) {
  memset(shared, 'z', 8);
  char local[32], *line = 0;
  size_t room = 0;
  if (read(0, shared, 8) != 8) exit(9);
  while (fgets(local, sizeof local, stdin)) {
    if (local[0] == 'b') {
      int seen = sum;
      sum = seen + atoi(local + 1);
    }
    lines++;
  }
  FILE* file = fopen("in.txt", "r");
  while (getline(&line, &room, file) > 0)
    if (line[0] == 'c') lines += 10;
  rewind(file);
  if (fread(block, 1, 4, file) != 4) exit(9);
  fclose(file);
  free(line);
  return unused;
}
static void* user(void* unused) {
  if (shared[0] == 'a' || block[1] == '1') {
    int seen = sum;
    sum = seen + 1;
  } else {
    sum += 1;
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, user, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 6 && lines == 12);
  return 0;
}
)";

class InputsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(InputsTest, FilledBuffersAreWritesOfTheTrace) {
  Workspace workspace;
  workspace.write("reader.c", kReader);
  workspace.write("stdin.txt", "aaaaaaa\nb5\nx\n");
  workspace.write("in.txt", "c1\nd2\n");
  ASSERT_STATUS(workspace.symbiosis("cc -g -O1 reader.c -o reader -pthread"), 0);
  ASSERT_STATUS(workspace.run(fmt::format("'{}' profile --schedule {} --runs 3000 ./reader < stdin.txt",
                                          SYMBIOSIS_BINARY, GetParam())),
                0);
  const CommandResult diagnosed = workspace.symbiosis("diagnose --replays 5");
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << diagnosed.output;
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5) << diagnosed.output;
}

INSTANTIATE_TEST_SUITE_P(Schedules, InputsTest, ::testing::Values("native", "portfolio"),
                         [](const auto& test) { return std::string(test.param); });

} // namespace
