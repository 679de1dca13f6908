// `symbiosis cc` in the place of a compiler: flags, archives, response files, other compilers' objects, build
// systems.
#include "tests/workspace.h"

using namespace symbiosis;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

constexpr const char* kMain = "#include <stdio.h>\nint helper(int);\n"
                              "int main(int c, char** v) {\n  (void)v;\n"
                              "  for (int i = 0; i < 3; i++) c = helper(c);\n  printf(\"%d\\n\", c);\n"
                              "  return c == 99;\n}\n";
constexpr const char* kHelper = "int helper(int x) { return x > 2 ? x * 2 : x + 1; }\n";

void writeSources(const Workspace& workspace) {
  workspace.write("a.c", kMain);
  workspace.write("h.c", kHelper);
  workspace.write("link.args", "a.c  h.c\n-o \"app\"");
  workspace.write("with space/a.c", kMain);
}

// The program runs as it would have, and what is recorded of it decodes.
void expectRecordable(const Workspace& workspace) {
  const CommandResult plain = workspace.run("./app");
  EXPECT_STATUS(plain, 0);
  EXPECT_EQ(plain.output, "6\n");
  const CommandResult profiled =
      workspace.symbiosis("profile --schedule native --runs 1 --expect-exit 5 -o kept ./app");
  EXPECT_STATUS(profiled, 0);
  EXPECT_STATUS(workspace.symbiosis("dump --blocks kept"), 0);
  EXPECT_STATUS(workspace.symbiosis("dump --trace kept"), 0);
}

struct Build {
  const char* name;
  const char* commands; // $CC is `symbiosis cc`
};

class BuildTest : public ::testing::TestWithParam<Build> {};

TEST_P(BuildTest, IsSilentAndTheProgramCanBeRecorded) {
  Workspace workspace;
  writeSources(workspace);
  const CommandResult built = workspace.run(
      fmt::format("CC='{} cc'; CC1='{}-cc'; {}", SYMBIOSIS_BINARY, SYMBIOSIS_BINARY, GetParam().commands));
  ASSERT_STATUS(built, 0);
  EXPECT_EQ(built.output, "");
  expectRecordable(workspace);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, BuildTest,
    ::testing::Values(
        Build{"O0", "$CC -O0 a.c h.c -o app"}, Build{"O1g", "$CC -g -O1 a.c h.c -o app"},
        Build{"O2", "$CC -O2 a.c h.c -o app"}, Build{"O3", "$CC -O3 a.c h.c -o app"},
        Build{"Os", "$CC -Os a.c h.c -oapp"},
        Build{"Archive", "$CC -c a.c && $CC -c h.c -o h.o && ar rcs libh.a h.o && $CC a.o libh.a -o app"},
        Build{"Library", "$CC -c a.c && $CC -c h.c -o h.o && ar rcs libh.a h.o && $CC a.o -L. -lh -o app"},
        Build{"ResponseFile", "$CC @link.args"}, Build{"Language", "cat a.c | $CC -x c - -x none h.c -o app"},
        Build{"Dependencies", "$CC -MD -MF a.d -c a.c && grep -q 'a.o: a.c' a.d && $CC a.o h.c -o app"},
        Build{"UsersLto", "$CC -flto=thin -fuse-ld=bfd a.c h.c -o app"},
        Build{"Sections", "$CC -ffunction-sections -Wl,--gc-sections a.c h.c -o app"},
        Build{"NoPie", "$CC -no-pie -fno-pie a.c h.c -o app"}, Build{"Stripped", "$CC a.c h.c -o app -s"},
        Build{"Spaces", "$CC -c 'with space/a.c' -o 'with space/a.o' && $CC 'with space/a.o' h.c -o app"},
        Build{"ShortName", "$CC1 -c a.c && $CC1 a.o h.c -o app"},
        Build{"Excluded", "$CC --exclude 'h.c' a.c h.c -o app"},
        Build{"ExcludedObject",
              "$CC -c a.c && $CC --exclude='h*' -c h.c && $CC --exclude='h*' a.o h.o -o app 2>/dev/null"},
        Build{"ExcludedFunction", "$CC -O0 --exclude help* a.c h.c -o app"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CompilerTest, QuestionsAreAnsweredByTheCompiler) {
  Workspace workspace;
  writeSources(workspace);
  EXPECT_NE(workspace.symbiosis("cc -E a.c").output.find("int helper"), std::string::npos);
  EXPECT_NE(workspace.symbiosis("cc -S a.c -o -").output.find("main:"), std::string::npos);
  EXPECT_NE(workspace.symbiosis("cc -MM a.c").output.find("a.o: a.c"), std::string::npos);
  EXPECT_STATUS(workspace.symbiosis("cc -fsyntax-only a.c"), 0);
  EXPECT_NE(workspace.symbiosis("cc --version").output.find("clang"), std::string::npos);
  EXPECT_NE(workspace.symbiosis("cc -c missing.c").status, 0);
}

TEST(CompilerTest, HelpBeginsWithOurOptionsAndEndsWithTheCompilers) {
  Workspace workspace;
  for (const char* verb : {"cc", "c++"}) {
    const CommandResult help = workspace.symbiosis(std::string(verb) + " --help");
    EXPECT_STATUS(help, 0);
    const size_t ours = help.output.find("--every-access"), theirs = help.output.find("-fcolor-diagnostics");
    EXPECT_LT(help.output.find("usage: symbiosis " + std::string(verb)), ours);
    EXPECT_LT(help.output.find("--exclude PATTERN"), theirs);
    EXPECT_LT(ours, theirs) << help.output.substr(0, 2000);
    EXPECT_NE(theirs, std::string::npos);
  }
}

// Whoever comes to look at the bitcode finds it broken, and what is undefined was found before.
TEST(CompilerTest, WhatIsUndefinedIsSaidBeforeCodeIsGenerated) {
  Workspace workspace;
  workspace.write("app.c", "int nowhere(int);\nint main(void) { return nowhere(2); }\n");
  workspace.write("junk", "no bitcode at all");
  ASSERT_STATUS(workspace.symbiosis("cc -O1 -c app.c -o app.o"), 0);
  ASSERT_STATUS(workspace.run("objcopy --update-section .llvm.lto=junk app.o broken.o"), 0);
  for (const char* line : {"cc broken.o -o app", "c++ broken.o -o app", "cc app.c -o app"}) {
    const CommandResult linked = workspace.symbiosis(line);
    EXPECT_STATUS(linked, 1);
    EXPECT_NE(linked.output.find("undefined symbol: nowhere"), std::string::npos) << linked.output;
    EXPECT_NE(linked.output.find("referenced by"), std::string::npos) << linked.output;
  }
  workspace.write("other.c", "int nowhere(int x) { return x; }\n");
  const CommandResult defined = workspace.symbiosis("cc broken.o other.c -o app");
  EXPECT_NE(defined.status, 0);
  EXPECT_EQ(defined.output.find("undefined"), std::string::npos) << defined.output;
}

// The terminal's words about a failure of app.c.
std::string diagnosed(const Workspace& workspace, const std::string& flags) {
  EXPECT_STATUS(workspace.symbiosis("cc -g -O2 -pthread " + flags + " app.c -o app"), 0);
  std::filesystem::remove_all(workspace.root() / ".symbiosis");
  EXPECT_STATUS(workspace.symbiosis("profile --schedule portfolio ./app"), 0);
  return workspace.symbiosis("diagnose --replays 3").output;
}

TEST(Values, OfVariablesThatOnlyEverHoldTwoAreTheProgramsOwn) {
  Workspace workspace;
  for (const char* storage : {"static", ""}) { // seen by one file, or by the linker only
    workspace.write("app.c", fmt::format(R"(#include <assert.h>
#include <pthread.h>
{0} int speed = 60;
{0} struct {{ int width, height; }} screen = {{640, 480}};
static void* change(void* unused) {{
  speed = 75;
  screen.width = 1024;
  return unused;
}}
int main(void) {{
  pthread_t thread;
  pthread_create(&thread, 0, change, 0);
  int fast = speed, wide = screen.width;
  assert(fast == 60 || wide == 1024);
  pthread_join(thread, 0);
  return screen.height != 480;
}}
)",
                                         storage));
    const std::string said = diagnosed(workspace, "");
    EXPECT_NE(said.find("speed"), std::string::npos) << said;
    EXPECT_NE(said.find("75"), std::string::npos) << said;
    EXPECT_NE(said.find("640"), std::string::npos) << said;
  }
}

// At -O2 the second read is the first one again, and no schedule fails.
TEST(Values, EveryAccessOfTheSourceIsThereIfAskedFor) {
  Workspace workspace;
  workspace.write("app.c", R"(#include <assert.h>
#include <pthread.h>
static int shared;
static void* change(void* unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, change, 0);
  const int first = shared;
  const int second = shared;
  assert(first == second);
  pthread_join(thread, 0);
  return 0;
}
)");
  ASSERT_STATUS(workspace.symbiosis("cc -g -O2 -pthread app.c -o app"), 0);
  EXPECT_STATUS(workspace.symbiosis("profile --schedule portfolio --runs 200 ./app"), 1);
  const std::string said = diagnosed(workspace, "--every-access");
  EXPECT_NE(said.find("order violation on shared"), std::string::npos) << said;
  // … also where compiling and linking are two commands.
  ASSERT_STATUS(workspace.symbiosis("cc --every-access -g -O2 -c app.c -o app.o"), 0);
  ASSERT_STATUS(workspace.symbiosis("cc -pthread app.o -o app"), 0);
  EXPECT_STATUS(workspace.symbiosis("profile --schedule portfolio --runs 200 ./app"), 0);
}

TEST(Values, StoresOfDifferentVariablesStayApart) {
  Workspace workspace;
  workspace.write("app.c", R"(#include <assert.h>
#include <pthread.h>
static int left, right, both;
static void* choose(void* which) {
  if (*(int*)which)
    left = both + 1;
  else
    right = both + 1;
  return which;
}
int main(int argc, char** argv) {
  int which = argc < 5;
  pthread_t thread;
  (void)argv;
  pthread_create(&thread, 0, choose, &which);
  assert(left == 0);
  pthread_join(thread, 0);
  return right;
}
)");
  const std::string said = diagnosed(workspace, "");
  EXPECT_NE(said.find("line 6"), std::string::npos) << said;
  EXPECT_NE(said.find("order violation on left"), std::string::npos) << said;
}

TEST(CompilerTest, WhatCannotBeDoneIsRefusedWithASentence) {
  Workspace workspace;
  writeSources(workspace);
  for (const char* arguments : {"-static a.c h.c", "-r a.c h.c -o both.o", "-fsanitize=thread a.c h.c",
                                "-m32 a.c h.c", "--exclude h.c -c a.c h.c"}) {
    const CommandResult result = workspace.symbiosis(std::string("cc ") + arguments);
    EXPECT_STATUS(result, 2) << arguments;
    EXPECT_NE(result.output.find("symbiosis"), std::string::npos);
    EXPECT_NE(result.output.find(';'), std::string::npos) << "says what to do: " << result.output;
  }
}

TEST(CompilerTest, InputsWithoutBitcodeAreListed) {
  Workspace workspace;
  writeSources(workspace);
  ASSERT_STATUS(workspace.run("cc -c h.c -o h.o && cc -shared -fPIC h.c -o libshared.so"), 0);
  const CommandResult object = workspace.symbiosis("cc a.c h.o -o app");
  EXPECT_STATUS(object, 0);
  EXPECT_NE(object.output.find("not instrumented"), std::string::npos) << object.output;
  EXPECT_NE(object.output.find("h.o"), std::string::npos) << object.output;
  expectRecordable(workspace);
  const CommandResult library = workspace.symbiosis("cc a.c -L. -lshared -Wl,-rpath,. -o other");
  EXPECT_STATUS(library, 0);
  EXPECT_NE(library.output.find("libshared.so"), std::string::npos) << library.output;
}

// What is known of inline assembly is replaced by what it is; of the rest the link says where it stands.
TEST(Compiler, SaysWhichInlineAssemblyIsNotSeen) {
  Workspace workspace;
  workspace.write("mixed.c", "int n;\n"
                             "int main(void) {\n"
                             "  __asm__ volatile(\"lock; incl %0\" : \"+m\"(n) : : \"memory\");\n"
                             "  __asm__ volatile(\"\" : : : \"memory\");\n"
                             "  __asm__ volatile(\"notl %0\" : \"+m\"(n) : : \"memory\");\n"
                             "  return n != -2;\n"
                             "}\n");
  const CommandResult link = workspace.symbiosis("cc -g -O1 mixed.c -o mixed");
  EXPECT_STATUS(link, 0);
  EXPECT_NE(link.output.find("inline assembly at mixed.c:5 is not seen"), std::string::npos) << link.output;
  EXPECT_EQ(link.output.find("mixed.c:3"), std::string::npos) << link.output;
  EXPECT_EQ(link.output.find("mixed.c:4"), std::string::npos) << link.output;
  EXPECT_STATUS(workspace.run("./mixed"), 0);
}

// A shared library is made as by any compiler: not instrumented, and whoever links it is told.
TEST(CompilerTest, SharedLibrariesStayAsTheyAre) {
  Workspace workspace;
  writeSources(workspace);
  const CommandResult made = workspace.symbiosis("cc -shared -fPIC h.c -o libh.so");
  EXPECT_STATUS(made, 0);
  EXPECT_EQ(made.output, "");
  EXPECT_STATUS(workspace.run("nm -D libh.so | grep -q __symbiosis"), 1);
  const CommandResult linked = workspace.symbiosis("cc a.c -L. -lh -Wl,-rpath,. -o app");
  EXPECT_STATUS(linked, 0);
  EXPECT_NE(linked.output.find("libh.so"), std::string::npos) << linked.output;
  expectRecordable(workspace);
}

TEST(CompilerTest, WithoutDebugInformationProfileAndDiagnoseGiveAHint) {
  Workspace workspace;
  workspace.write("app.c",
                  "#include <assert.h>\nint main(int c, char** v) { (void)v; assert(c == 2); return 0; }\n");
  const CommandResult built = workspace.symbiosis("cc -O1 app.c -o app");
  EXPECT_EQ(built.output, "");
  EXPECT_NE(workspace.symbiosis("profile ./app").output.find("-g"), std::string::npos);
  EXPECT_NE(workspace.symbiosis("diagnose --replays 0").output.find("hint: "), std::string::npos);
}

// The tests that ./configure makes: does it compile, does it link, was anything said?
TEST(CompilerTest, ConfigureLikeProbesAreAnsweredAsByAPlainCompiler) {
  Workspace workspace;
  workspace.write("conftest.c",
                  "#include <pthread.h>\nchar nosuchfunction();\nint main() { return nosuchfunction(); }\n");
  workspace.write("confgood.c", "#include <pthread.h>\nint main() { return pthread_self() == 0; }\n");
  EXPECT_NE(workspace.symbiosis("cc conftest.c -o conftest").status, 0);
  const CommandResult good = workspace.symbiosis("cc -o confgood -g -O2 confgood.c -lm");
  EXPECT_STATUS(good, 0);
  EXPECT_EQ(good.output, "");
  EXPECT_STATUS(workspace.run("./confgood"), 0);
  EXPECT_NE(workspace.symbiosis("cc -Werror -fnosuchflag -c confgood.c").status, 0);
}

// The pass replaces these calls.
TEST(CompilerTest, TextIsCopiedAsByLibc) {
  Workspace workspace;
  const std::string sources = fmt::format("-std=c++20 -w '{0}/tests/symexec/executed_main.cpp' "
                                          "'{0}/tests/programs/executed/text_copies.cpp'",
                                          SYMBIOSIS_SOURCE_DIR);
  ASSERT_STATUS(workspace.run(fmt::format("clang++-19 -O1 {} -o plain", sources)), 0);
  const CommandResult plain = workspace.run("./plain");
  ASSERT_STATUS(plain, 0);
  for (const char* level : {"-O0", "-O2"}) {
    ASSERT_STATUS(workspace.symbiosis(fmt::format("c++ {} {} -o app", level, sources)), 0);
    EXPECT_EQ(workspace.run("./app").output, plain.output) << level;
  }
}

TEST(CompilerTest, TextThatIsTooLongIsRefusedAsByLibc) {
  Workspace workspace;
  workspace.write("a.c",
                  "#include <string.h>\nstatic char name[8];\n"
                  "int main(int count, char** words) {\n"
                  "  for (int i = 1; i < count; ++i) strcat(name, words[i]);\n  return name[0] != 'a';\n}\n");
  ASSERT_STATUS(workspace.symbiosis("cc -O2 -D_FORTIFY_SOURCE=2 a.c -o app"), 0);
  EXPECT_STATUS(workspace.run("./app abc defg"), 0);
  const CommandResult refused = workspace.run("./app abc defgh");
  EXPECT_EQ(refused.status, 134);
  EXPECT_NE(refused.output.find("buffer overflow detected"), std::string::npos) << refused.output;
}

TEST(CompilerTest, CcacheInFrontKeepsWhatIsNeeded) {
  Workspace workspace;
  writeSources(workspace);
  const std::string cc = fmt::format("CCACHE_DIR=$PWD/cache ccache '{}-cc'", SYMBIOSIS_BINARY);
  ASSERT_STATUS(workspace.run(fmt::format("{0} -g -O1 -c a.c -o a.o && {0} -g -O1 -c h.c -o h.o", cc)), 0);
  ASSERT_STATUS(workspace.run(fmt::format("rm *.o && {0} -g -O1 -c a.c -o a.o && {0} -g -O1 -c h.c -o h.o", cc)),
                0);
  const CommandResult stats = workspace.run("CCACHE_DIR=$PWD/cache ccache --print-stats");
  EXPECT_NE(stats.output.find("direct_cache_hit\t2"), std::string::npos) << stats.output;
  const CommandResult linked = workspace.run(fmt::format("{} -g a.o h.o -o app -pthread", cc));
  EXPECT_STATUS(linked, 0);
  EXPECT_EQ(linked.output, "");
  expectRecordable(workspace);
}

TEST(CompilerTest, CMakeBuildsWithTheToolchainFile) {
  Workspace workspace;
  writeSources(workspace);
  workspace.write("CMakeLists.txt",
                  "cmake_minimum_required(VERSION 3.20)\nproject(x C CXX)\n"
                  "include(CheckCSourceCompiles)\n"
                  "check_c_source_compiles(\"int main(void) { return 0; }\" PLAIN)\n"
                  "check_c_source_compiles(\"int main(void) { return nothing(); }\" WRONG)\n"
                  "if(NOT PLAIN OR WRONG)\n  message(FATAL_ERROR \"try-compile\")\nendif()\n"
                  "add_library(h STATIC h.c)\nadd_executable(app a.c)\n"
                  "target_link_libraries(app h)\n"
                  "set_target_properties(app PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR})\n");
  const std::string toolchain =
      (std::filesystem::path(SYMBIOSIS_BINARY).parent_path().parent_path() / "share/symbiosis/toolchain.cmake")
          .string();
  const CommandResult built = workspace.run(fmt::format(
      "cmake -S . -B out -DCMAKE_TOOLCHAIN_FILE='{}' -DCMAKE_BUILD_TYPE=Debug && cmake --build out", toolchain));
  ASSERT_STATUS(built, 0);
  expectRecordable(workspace);
}

} // namespace
