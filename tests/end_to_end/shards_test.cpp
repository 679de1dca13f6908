// Exploration that goes on behind a failure, that is shared out, and that found nothing: what is said is true.
#include "tests/workspace.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

using testing::CommandResult;
using testing::Workspace;

void expectSays(const CommandResult& result, const std::string& words) {
  EXPECT_NE(result.output.find(words), std::string::npos) << words << "\n" << result.output;
}
void expectNeverSays(const CommandResult& result, const std::string& words) {
  EXPECT_EQ(result.output.find(words), std::string::npos) << words << "\n" << result.output;
}

// What stands between the words and the next space.
std::string behind(const CommandResult& result, const std::string& words) {
  const size_t at = result.output.find(words);
  if (at == std::string::npos) return "";
  const size_t begin = at + words.size();
  return result.output.substr(begin, result.output.find_first_of(" \n", begin) - begin);
}

void build(const Workspace& workspace, const std::string& program) {
  workspace.write("app.c", "#include <assert.h>\n#include <pthread.h>\n" + program);
  const CommandResult built = workspace.symbiosis("cc -g -O1 app.c -o app -pthread");
  ASSERT_STATUS(built, 0);
}

// The checker sees the first flag and not the second in few schedules.
constexpr const char* kRare = R"(
static int left, right;
static void* set(void* unused) { left = 1; right = 1; return unused; }
static void* check(void* unused) { int l = left, r = right; assert(!l || r); return unused; }
int main(void) {
  pthread_t setters[4], checker;
  for (int i = 0; i < 4; ++i) pthread_create(&setters[i], 0, set, 0);
  pthread_create(&checker, 0, check, 0);
  for (int i = 0; i < 4; ++i) pthread_join(setters[i], 0);
  return pthread_join(checker, 0);
}
)";

constexpr const char* kSafe = R"(
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, add, 0);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(count == 2);
}
)";

// Expected: one recording for each of two assertions and a deadlock, told apart, with how many runs failed so.
TEST(KeepGoing, KeepsARunOfEachFailure) {
  Workspace workspace;
  build(workspace, R"(
static int a, b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void* one(void* unused) {
  int seen = a;
  a = seen + 1;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n);
  b = 1;
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return unused;
}
static void* two(void* unused) {
  int seen = a;
  a = seen + 1;
  pthread_mutex_lock(&n);
  pthread_mutex_lock(&m);
  b = 2;
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&n);
  return unused;
}
int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, two, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  assert(b == 2);
  assert(a == 2);
}
)");
  const CommandResult result = workspace.symbiosis("profile --keep-going --runs 120 ./app");
  ASSERT_STATUS(result, 0);
  expectSays(result, "explored 120 schedules");
  expectSays(result, "of them: deadlock: ");
  expectSays(result, R"(of them: assertion "a == 2" failed at app.c)");
  expectSays(result, R"(of them: assertion "b == 2" failed at app.c)");
  for (const char* recording : {"app-1", "app-2", "app-3"})
    EXPECT_TRUE(std::filesystem::exists(workspace.root() / ".symbiosis" / recording)) << recording;
  EXPECT_FALSE(std::filesystem::exists(workspace.root() / ".symbiosis/app-4")) << result.output;
  EXPECT_STATUS(workspace.symbiosis("replay .symbiosis/app-2 --failing --times 2"), 0);
}

TEST(KeepGoing, RefusesWhatItCannotKeep) {
  Workspace workspace;
  EXPECT_STATUS(workspace.symbiosis("profile --keep-going -o here ./app"), 2);
  EXPECT_STATUS(workspace.symbiosis("profile --keep-going --schedule native ./app"), 2);
}

// Expected: how many runs each strategy made, dataflows, and a bound for those that do not adapt.
TEST(CleanRuns, AreSaidToMeanNoMoreThanIsTrue) {
  Workspace workspace;
  build(workspace, kSafe);
  const CommandResult all = workspace.symbiosis("profile --schedule portfolio --runs 60 ./app");
  EXPECT_STATUS(all, 1);
  expectSays(all, "different dataflows, the last new one in schedule ");
  expectSays(all, "A rarer one may be there.");
  // 1 - 0.01^(1/30) is 14.23 %.
  const CommandResult one = workspace.symbiosis("profile --schedule random --runs 30 ./app");
  expectSays(one, "  random 30; ");
  expectSays(one, "  random 14.3 %. A rarer one may be there.");
  const CommandResult adapts = workspace.symbiosis("profile --schedule feedback --runs 30 ./app");
  expectNeverSays(adapts, "feedback 1");
}

// Expected: the lowest schedule that fails is that of one machine, whoever came first, and what is missing is
// told.
TEST(Shards, FindTheWinnerOfOneMachine) {
  Workspace workspace;
  build(workspace, kRare);
  const std::string options = "--schedule pos --seed 3 --runs 400";
  const CommandResult alone = workspace.symbiosis(fmt::format("profile {} ./app", options));
  ASSERT_STATUS(alone, 0);
  const std::string winner = behind(alone, "symbiosis: schedule ");
  const CommandResult unmade = workspace.symbiosis("merge .");
  EXPECT_STATUS(unmade, 2); // no shard has been made
  for (int shard : {3, 0, 1}) workspace.symbiosis(fmt::format("profile {} --shard {}/4 ./app", options, shard));
  const CommandResult some = workspace.symbiosis("merge");
  expectSays(some, "3 of 4 shards");
  expectSays(some, "no result of shard 2");
  expectSays(some, "were not made: ");
  workspace.run("GTEST_SHARD_INDEX=2 GTEST_TOTAL_SHARDS=4 '" SYMBIOSIS_BINARY "' profile " + options +
                " --shard environment ./app");
  const CommandResult all = workspace.symbiosis("merge .symbiosis");
  EXPECT_STATUS(all, 0);
  expectSays(all, "4 of 4 shards");
  EXPECT_EQ(behind(all, "symbiosis: schedule "), winner);
  expectNeverSays(all, "were not made");
}

// Expected: a shard that is killed leaves nothing behind that counts, and can be made again.
TEST(Shards, OneThatIsKilledIsMadeAgain) {
  Workspace workspace;
  build(workspace, kRare);
  auto shard = [](int i) {
    return fmt::format("mkdir -p part-{0} && cd part-{0} && exec '{1}' profile --schedule pos --seed 3 --runs 400 "
                       "--shard {0}/4 --jobs 1 ../app >/dev/null",
                       i, SYMBIOSIS_BINARY);
  };
  std::string all;
  for (int i = 0; i < 4; ++i) all += fmt::format("( {} ) & worker{}=$!; ", shard(i), i);
  const CommandResult first = workspace.run(all + "kill -9 $worker2; wait; true");
  EXPECT_STATUS(first, 0);
  std::filesystem::remove_all(workspace.root() / "part-2"); // it may have been done before it was killed
  const CommandResult some = workspace.symbiosis("merge part-*");
  expectSays(some, "no result of shard 2");
  workspace.run(shard(2));
  const CommandResult merged = workspace.symbiosis("merge part-*");
  EXPECT_STATUS(merged, 0);
  expectNeverSays(merged, "were not made");
  const CommandResult alone = workspace.symbiosis("profile --schedule pos --seed 3 --runs 400 ./app");
  EXPECT_EQ(behind(merged, "symbiosis: schedule "), behind(alone, "symbiosis: schedule "));
}

// Expected: where nothing fails the merge says so only if every shard is there.
TEST(Shards, SayThatNothingFailedOnlyOfWhatWasMade) {
  Workspace workspace;
  build(workspace, kSafe);
  EXPECT_STATUS(workspace.symbiosis("profile --runs 40 --shard 0/2 ./app"), 1);
  EXPECT_STATUS(workspace.symbiosis("merge"), 3);
  EXPECT_STATUS(workspace.symbiosis("profile --runs 40 --shard 1/2 ./app"), 1);
  const CommandResult all = workspace.symbiosis("merge");
  EXPECT_STATUS(all, 1);
  expectSays(all, "40 schedules, and none failed");
}

TEST(Shards, RefuseWhatIsNone) {
  Workspace workspace;
  build(workspace, kSafe);
  for (const char* shard : {"4/4", "1", "x/2", "/", "-1/2", "0/0", "environment"}) {
    const CommandResult result = workspace.symbiosis(fmt::format("profile --shard {} ./app", shard));
    EXPECT_STATUS(result, 2) << shard;
  }
  ASSERT_STATUS(workspace.symbiosis("profile --runs 10 --shard 0/2 ./app"), 1);
  ASSERT_STATUS(workspace.symbiosis("profile --runs 10 --seed 2 --shard 1/2 ./app"), 1);
  expectSays(workspace.symbiosis("merge"), "are not of one exploration");
  workspace.write(".symbiosis/shard-1-of-2.json", "{\"schema\": \"symbiosis-shard/1\"}");
  const CommandResult altered = workspace.symbiosis("merge");
  EXPECT_STATUS(altered, 2);
  expectSays(altered, "altered or cut off");
  workspace.write(".symbiosis/shard-1-of-2.json", "{\"schema\": \"symbiosis-shard/9\"}");
  expectSays(workspace.symbiosis("merge"), "another version");
  workspace.write(".symbiosis/shard-1-of-2.json", "[");
  EXPECT_STATUS(workspace.symbiosis("merge"), 2);
}

} // namespace
} // namespace symbiosis
