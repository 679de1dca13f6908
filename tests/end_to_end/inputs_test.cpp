// What threads read from outside: the buffers that read(), fgets(), fread() and getline() fill are in the trace,
// and a run whose branches depend on them is explained and repeated.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

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
      usleep(3000); // long enough for the other one
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
  usleep(1000);
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

class FilledBuffers : public ::testing::TestWithParam<const char*> {};

TEST_P(FilledBuffers, AreWritesOfTheTrace) {
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

// Every run takes another path, by the time of day; a replay sees the recorded one.
constexpr const char* kLottery = R"(#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static int counts[2];
static void* work(void* argument) {
  int* count = argument;
  struct timespec now;
  struct timeval wall;
  clock_gettime(CLOCK_REALTIME, &now);
  gettimeofday(&wall, 0);
  srand((unsigned)(now.tv_nsec ^ wall.tv_usec));
  const int drawn = rand();
  for (int i = 0; i < 20; ++i)
    if (drawn >> i & 1) {
      ++*count;
    } else {
      *count += 2;
      --*count;
    }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, &counts[0]);
  pthread_create(&b, 0, work, &counts[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counts[0] + counts[1] != 40);
  return 0;
}
)";

// Random numbers and schedules are drawn from the same seed: where two runs share none of the former, neither
// began where the other came to.
TEST(InputsTest, RunsOfDifferentSeedsShareNothing) {
  Workspace workspace;
  workspace.write("app.c", R"(#include <stdio.h>
#include <sys/random.h>
int main(void) {
  FILE* out = fopen("drawn", "a");
  for (int i = 0; i < 8; ++i) {
    unsigned long number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return 1;
    fprintf(out, "%lx\n", number);
  }
  return fclose(out) != 0;
})");
  ASSERT_STATUS(workspace.symbiosis("cc -O1 app.c -o app"), 0);
  constexpr size_t kSeeds = 4, kRuns = 6, kNumbers = 8;
  for (size_t seed = 1; seed <= kSeeds; ++seed)
    EXPECT_STATUS(workspace.symbiosis(
                      fmt::format("profile --schedule random --jobs 1 --runs {} --seed {} ./app", kRuns, seed)),
                  1);
  std::istringstream drawn(workspace.read("drawn"));
  std::set<std::string> different;
  size_t count = 0;
  for (std::string number; drawn >> number; ++count) different.insert(number);
  EXPECT_EQ(count, kSeeds * kRuns * kNumbers);
  EXPECT_EQ(different.size(), count);
}

TEST(InputsTest, TimeAndRandomNumbersAreFedToReplays) {
  Workspace workspace;
  workspace.write("lottery.c", kLottery);
  ASSERT_STATUS(workspace.symbiosis("cc -g -O0 lottery.c -o lottery -pthread"), 0);
  for (int time = 0; time < 3; ++time) {
    ASSERT_STATUS(workspace.symbiosis("profile --schedule native --runs 1 ./lottery"), 0);
    const CommandResult diagnosed = workspace.symbiosis("diagnose --replays 3");
    const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
    ASSERT_FALSE(report.is_discarded());
    EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 3) << diagnosed.output;
  }
}

// The same with what the system calls random, and with the ids of process and threads.
constexpr const char* kDice = R"(#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <random>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
static int total;
static void take(unsigned long drawn) {
  for (int i = 0; i < 16; ++i)
    if (drawn >> i & 1) {
      const int seen = total;
      total = seen + 1;
    } else {
      total += 2;
      --total;
    }
}
static void* work(void* unused) {
  unsigned long word = 0, odd[3] = {0, 0, 0};
  if (getrandom(&word, sizeof word, 0) != sizeof word) exit(9);
  take(word);
  if (getentropy(odd, 13)) exit(9);
  take(odd[0] ^ odd[1]);
  take(arc4random());
  const int device = open("/dev/urandom", O_RDONLY);
  if (read(device, &word, 2) != 2) exit(9);
  close(device);
  take(word);
  FILE* stream = fopen("/dev/urandom", "r");
  if (fread(&word, 1, 5, stream) != 5) exit(9);
  fclose(stream);
  take(word);
  std::random_device random;
  take(random());
  take((unsigned long)getpid());
  take((unsigned long)gettid());
  take((unsigned long)syscall(SYS_gettid));
  if (tgkill(getpid(), gettid(), 0) != 0) exit(8);
  return unused;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (kill(getpid(), 0) != 0) return 8;
  assert(total != 288);
  return 0;
}
)";

class RandomNumbers : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomNumbers, AreFedToReplays) {
  Workspace workspace;
  workspace.write("dice.cpp", kDice);
  ASSERT_STATUS(workspace.symbiosis("c++ -g -O1 dice.cpp -o dice -pthread"), 0);
  for (int time = 0; time < 3; ++time) {
    const CommandResult profiled =
        workspace.symbiosis(fmt::format("profile --schedule {} --seed {} --runs 50 ./dice", GetParam(), time + 1));
    ASSERT_STATUS(profiled, 0);
    EXPECT_EQ(profiled.output.find("differ"), std::string::npos) << profiled.output;
    const CommandResult diagnosed = workspace.symbiosis("diagnose --replays 3");
    const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
    ASSERT_FALSE(report.is_discarded()) << diagnosed.output;
    EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 3) << diagnosed.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, RandomNumbers, ::testing::Values("native", "random"),
                         [](const auto& test) { return std::string(test.param); });
INSTANTIATE_TEST_SUITE_P(Schedules, FilledBuffers, ::testing::Values("native", "portfolio"),
                         [](const auto& test) { return std::string(test.param); });

// Natively: whether a thread slept in the kernel and was woken, or found the value changed when it was about to,
// makes it take other branches behind the wait.
constexpr const char* kWaiting = R"(#include <atomic>
#include <cassert>
#include <thread>
#include <unistd.h>
static std::atomic<int> begun = 0, go = 0;
static int done;
int main() {
  std::thread worker([] {
    begun = 1;
    begun.notify_one();
    go.wait(0);
    usleep(20000);
    done = 1;
  });
  begun.wait(0);
  if (SLEEPS) usleep(20000);
  go = 1;
  go.notify_one();
  assert(done == 1);
  worker.join();
}
)";

class RawFutex : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(RawFutex, WaitsAreFedToSchedulesThatWereSolvedFor) {
  const auto [sleeps, level] = GetParam();
  Workspace workspace;
  workspace.write("waiting.cpp", kWaiting);
  ASSERT_STATUS(
      workspace.symbiosis(fmt::format("c++ -std=c++20 -g -O0 -DSLEEPS={} waiting.cpp -o app -pthread", sleeps)),
      0);
  ASSERT_STATUS(workspace.symbiosis(fmt::format("profile --schedule native --runs 5 --record {} ./app", level)),
                0);
  const CommandResult diagnosed = workspace.symbiosis("diagnose --replays 5");
  EXPECT_STATUS(diagnosed, 0);
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << diagnosed.output;
  EXPECT_EQ(report["rootCause"]["status"], "proved") << diagnosed.output;
  EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << diagnosed.output;
  EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5) << diagnosed.output;
}

INSTANTIATE_TEST_SUITE_P(
    Levels, RawFutex, ::testing::Combine(::testing::Values(0, 1), ::testing::Values("path", "addresses", "full")),
    [](const auto& test) {
      return fmt::format("{}_{}", std::get<1>(test.param), std::get<0>(test.param) ? "asleep" : "awake");
    });

// The number is shared, the text is not: what is made of it outside depends on the other thread all the same.
TEST(MadeOutside, OfASharedNumberIsNotTheSameInEverySchedule) {
  Workspace workspace;
  workspace.write("text.c", R"(#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int number;
static void* set(void* unused) {
  number = 5;
  return unused;
}
int main(void) {
  pthread_t thread;
  char text[16];
  pthread_create(&thread, 0, set, 0);
  int copy = number;
  sprintf(text, "%d", copy);
  const int first = text[0] - '0';
  assert(first == 5);
  pthread_join(thread, 0);
}
)");
  ASSERT_STATUS(workspace.symbiosis("cc -g -O0 text.c -o app -pthread"), 0);
  ASSERT_STATUS(workspace.symbiosis("profile --schedule portfolio ./app"), 0);
  ASSERT_STATUS(workspace.symbiosis("diagnose --replays 0"), 1);
  const json full = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"));
  EXPECT_EQ(full["alternate"]["status"], "noneProved");
  EXPECT_NE(full["alternate"]["note"].get<std::string>().find("values given to functions outside"),
            std::string::npos);
  EXPECT_NE(workspace.symbiosis("dump --trace").output.find("address (eq number@"), std::string::npos);
  // What such a function is given is recorded at this level, too.
  ASSERT_STATUS(workspace.symbiosis("diagnose --replays 0 --level addresses --again"), 1);
  EXPECT_EQ(json::parse(workspace.read(".symbiosis/latest/report/dsp.json"))["alternate"]["status"], "noneProved");
}

} // namespace
