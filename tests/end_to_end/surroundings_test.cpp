// What the program sees is what it would see without us: functions of its own, the cores that it has, and its logs
// go on when it gives up its rights.
#include "tests/workspace.h"
#include <algorithm>
#include <sched.h>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace symbiosis {
namespace {

using testing::CommandResult;
using testing::Workspace;

const std::filesystem::path kOurs = std::filesystem::path(SYMBIOSIS_BINARY).parent_path() / "../lib/symbiosis";

std::vector<std::string> wordsOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Every name of libc that the runtime wraps, from what is linked into programs.
std::vector<std::string> wrappedNames(const Workspace& workspace) {
  const std::string archive = (kOurs / "libsymbiosis_names.a").string();
  return wordsOf(
      workspace.run("nm --defined-only --format=posix '" + archive + "' | awk 'NF > 2 { print $1 }'").output);
}

std::string definitions(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += fmt::format("int {}(char c) {{ return {} + c; }}\n", names[i], i);
  return text;
}

std::string calls(const std::vector<std::string>& names) {
  std::string text = "extern int printf(const char*, ...);\n";
  for (const std::string& name : names) text += fmt::format("extern int {}(char);\n", name);
  text += "int main(void) {\n  int wrong = 0;\n";
  for (size_t i = 0; i < names.size(); ++i)
    text += fmt::format("  if ({}(7) != {}) wrong = printf(\"{} is not the program's\\n\");\n", names[i], i + 7,
                        names[i]);
  return text + "  return wrong;\n}\n";
}

void expectPasses(const Workspace& workspace) {
  EXPECT_STATUS(workspace.run("LD_LIBRARY_PATH=. ./app"), 0);
  for (const char* schedule : {"native", "random"}) {
    const CommandResult run = workspace.run(
        fmt::format("LD_LIBRARY_PATH=. '{}' profile --schedule {} --runs 2 ./app", SYMBIOSIS_BINARY, schedule));
    EXPECT_STATUS(run, 1);
    EXPECT_NE(run.output.find("2 runs, and none failed"), std::string::npos) << run.output;
  }
}

TEST(OwnNames, EveryWrappedNameGivesWayToTheProgramsOwn) {
  Workspace workspace;
  const std::vector<std::string> names = wrappedNames(workspace);
  ASSERT_GT(names.size(), 100u);
  workspace.write("names.c", definitions(names));
  workspace.write("app.c", calls(names));
  ASSERT_STATUS(workspace.symbiosis("cc -w -fno-builtin -O1 app.c names.c -o app"), 0);
  expectPasses(workspace);
}

TEST(OwnNames, EveryWrappedNameGivesWayToALibraryOfTheProgram) {
  Workspace workspace;
  const std::vector<std::string> names = wrappedNames(workspace);
  workspace.write("names.c", definitions(names));
  workspace.write("app.c", calls(names));
  ASSERT_STATUS(workspace.symbiosis("cc -w -fno-builtin -O1 -fPIC -shared names.c -o libnames.so"), 0);
  ASSERT_STATUS(workspace.symbiosis("cc -w -fno-builtin -O1 app.c -L. -lnames -lc -o app"), 0);
  // Functions of the library's own are called as outside ones, by whatever name.
  EXPECT_STATUS(workspace.run("LD_LIBRARY_PATH=. ./app"), 0);
  ASSERT_STATUS(workspace.run("cc -w -fno-builtin -O1 -c names.c -o names.o && ar rcs libnames.a names.o"), 0);
  ASSERT_EQ(workspace.symbiosis("cc -w -fno-builtin -O1 app.c libnames.a -o app").status, 0);
  EXPECT_STATUS(workspace.run("./app"), 0);
}

TEST(OwnNames, VariablesMayHaveThemToo) {
  Workspace workspace;
  std::string text;
  for (const std::string& name : wrappedNames(workspace)) text += fmt::format("int {} = 3;\n", name);
  workspace.write("app.c", text + "int main(void) { return send + poll - 6; }\n");
  ASSERT_STATUS(workspace.symbiosis("cc -w -fno-builtin -O1 app.c -o app"), 0);
  expectPasses(workspace);
}

// What the C++ library itself takes from libc is left out: its own functions would be called with the program's.
TEST(OwnNames, InCxxAsWell) {
  Workspace workspace;
  const std::string library = workspace.run("clang++-19 -print-file-name=libstdc++.so").output;
  const std::vector<std::string> needed =
      wordsOf(workspace
                  .run("nm -D --undefined-only --format=posix " + library.substr(0, library.find('\n')) +
                       " | sed 's/[@ ].*//'")
                  .output);
  std::vector<std::string> names;
  for (const std::string& name : wrappedNames(workspace))
    if (!name.starts_with("__cxa") && std::find(needed.begin(), needed.end(), name) == needed.end())
      names.push_back(name);
  ASSERT_GT(names.size(), 60u);
  workspace.write("names.cpp", "extern \"C\" {\n" + definitions(names) + "}\n");
  workspace.write("app.cpp", "extern \"C\" {\n" + calls(names) + "}\n");
  ASSERT_STATUS(workspace.symbiosis("c++ -w -fno-builtin -O1 app.cpp names.cpp -o app"), 0);
  expectPasses(workspace);
}

// The runtime needs such functions itself, and does not take the program's, which would be instrumented.
TEST(OwnNames, TheRuntimeDoesNotCallTheProgramsFunctions) {
  Workspace workspace;
  workspace.write("app.c", R"(#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int copies;
void* memcpy(void* to, const void* from, size_t size) {
  pthread_mutex_lock(&mutex);
  ++copies;
  pthread_mutex_unlock(&mutex);
  for (size_t i = 0; i < size; ++i) ((volatile char*)to)[i] = ((const volatile char*)from)[i];
  return to;
}
size_t strlen(const char* text) { size_t n = 0; while (((const volatile char*)text)[n]) ++n; return n; }
void* mmap(int a) { return &copies + a; }
int mkdir, fstat, munmap, sigaltstack;
static void* work(void* text) { char own[8]; memcpy(own, text, 4); return own[0] == 'a' && strlen(text) == 3 ? text : NULL; }
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, "abc");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return copies != 2;
})");
  ASSERT_STATUS(workspace.symbiosis("cc -w -fno-builtin -O1 app.c -o app -pthread"), 0);
  expectPasses(workspace);
}

constexpr const char* kCores = R"(#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>
static int seen() { cpu_set_t all; return sched_getaffinity(0, sizeof all, &all) ? -1 : CPU_COUNT(&all); }
int main(int argc, char**) {
  FILE* out = fopen("seen", "w");
  cpu_set_t all;
  unsigned long raw[16] = {};
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof raw, raw); // as OpenMP's runtime asks
  int bits = 0;
  for (unsigned long word : raw) bits += __builtin_popcountl(word);
  pthread_getaffinity_np(pthread_self(), sizeof all, &all);
  fprintf(out, "cores %d %d %d %ld %ld %d %d %u\n", seen(), CPU_COUNT(&all), bytes > 0 ? bits : -1,
         sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF), get_nprocs(), get_nprocs_conf(),
         std::thread::hardware_concurrency());
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  int child = 0, other = 0;
  std::thread before([&] { other = seen(); });
  before.join();
  sched_setaffinity(0, sizeof one, &one);
  std::thread after([&] { child = seen(); });
  after.join();
  const int own = seen();
  CPU_ZERO(&one);
  const int none = sched_setaffinity(0, sizeof one, &one);
  fprintf(out, "then %d %d %d %d\n", other == CPU_COUNT(&all), own, child, none);
  fclose(out);
  return argc > 1;
})";

TEST(Cores, AreThoseThatTheProgramWouldHave) {
  Workspace workspace;
  workspace.write("app.cpp", kCores);
  ASSERT_STATUS(workspace.symbiosis("c++ -O1 app.cpp -o app -pthread"), 0);
  EXPECT_STATUS(workspace.run("./app"), 0);
  const std::string alone = workspace.read("seen");
  EXPECT_NE(alone.find("then 1 1 1 -1\n"), std::string::npos) << alone;
  for (const char* schedule : {"native", "random"}) {
    workspace.write("seen", "");
    EXPECT_STATUS(
        workspace.symbiosis(fmt::format("profile --schedule {} --runs 1 -o {} ./app failing", schedule, schedule)),
        0);
    EXPECT_EQ(workspace.read("seen"), alone) << schedule;
  }
}

// What the recorded run saw is what its repetitions see, also where there are fewer cores.
TEST(Cores, AreFedToReplays) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "this machine has one core";
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  Workspace workspace;
  workspace.write("app.c", R"(#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static int total;
static void* work(void* unused) { int now = total; total = now + 1; return unused; }
int main(void) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2 || sysconf(_SC_NPROCESSORS_ONLN) < 2) return 0;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(total == 2);
})");
  ASSERT_STATUS(workspace.symbiosis("cc -g -O1 app.c -o app -pthread"), 0);
  ASSERT_STATUS(workspace.symbiosis("profile --schedule portfolio ./app"), 0);
  const CommandResult diagnosed =
      workspace.run(fmt::format("taskset -c {} '{}' diagnose --replays 5", first, SYMBIOSIS_BINARY));
  EXPECT_STATUS(diagnosed, 0);
  EXPECT_NE(diagnosed.output.find("lost update on total"), std::string::npos) << diagnosed.output;
}

constexpr const char* kDaemon = R"(#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int served, clients;
static void* serve(void* unused) {
  for (int i = 0; i < 3000; ++i) {
    pthread_mutex_lock(&mutex);
    ++served;
    pthread_mutex_unlock(&mutex);
  }
  pthread_barrier_wait(&barrier);
  const int now = clients;
  clients = now + 1;
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, 0, 2);
  if (chroot("/proc") || setresuid(65534, 65534, 65534)) return 9;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, serve, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(clients == 2);
})";

TEST(Privileges, TheLogsOfAProgramThatDropsThemGoOn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has privileges to drop";
  Workspace workspace;
  workspace.write("app.c", kDaemon);
  ASSERT_STATUS(workspace.symbiosis("cc -g -O1 app.c -o app -pthread"), 0);
  const CommandResult profiled = workspace.symbiosis("profile --schedule portfolio ./app");
  ASSERT_STATUS(profiled, 0);
  EXPECT_NE(profiled.output.find("clients == 2"), std::string::npos) << profiled.output;
  const CommandResult diagnosed = workspace.symbiosis("diagnose --replays 3");
  EXPECT_STATUS(diagnosed, 0);
  EXPECT_NE(diagnosed.output.find("lost update on clients"), std::string::npos) << diagnosed.output;
}

} // namespace
} // namespace symbiosis
