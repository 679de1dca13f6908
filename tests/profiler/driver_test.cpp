// What the compiler wrapper asks the compiler for, and what it refuses.
#include "profiler/driver/compiler_driver.h"
#include <gmock/gmock.h>

using namespace symbiosis;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

Result<CompilerCall> plan(const std::vector<std::string>& arguments, Language language = Language::c) {
  Toolchain toolchain{"/lib/plugin.so", "/lib/runtime.a", "/lib/names.a", "/lib/library.a", "/bin/clang"};
  return planCompilerCall(toolchain, language, arguments);
}

TEST(CompilerDriver, CompilingKeepsBitcodeBesideTheMachineCode) {
  Result<CompilerCall> call = plan({"-c", "a.c", "-o", "a.o"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->action, Action::compile);
  EXPECT_THAT(call->arguments, Contains("-ffat-lto-objects"));
  EXPECT_THAT(call->arguments, Not(Contains(HasSubstr("load-pass-plugin"))));
}

TEST(CompilerDriver, LinkingLoadsThePassAndTheRuntime) {
  Result<CompilerCall> call = plan({"a.o", "libb.a", "-o", "app", "-lm"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->action, Action::link);
  EXPECT_EQ(call->output, "app");
  EXPECT_THAT(call->objects, ElementsAre("a.o", "libb.a"));
  EXPECT_THAT(call->arguments, Contains("-fuse-ld=lld"));
  EXPECT_THAT(call->arguments, Contains("-Wl,--load-pass-plugin=/lib/plugin.so"));
  EXPECT_THAT(call->arguments, Contains("/lib/runtime.a"));
  EXPECT_THAT(call->arguments, Contains("/lib/library.a"));
}

size_t placeOf(const CompilerCall& call, const std::string& argument) {
  return size_t(std::find(call.arguments.begin(), call.arguments.end(), argument) - call.arguments.begin());
}

TEST(CompilerDriver, NamesOfLibcAreTakenFromTheUserThenFromUsThenFromLibraries) {
  Result<CompilerCall> call = plan({"-lc", "a.o", "-l", "stdc++", "libb.so", "-lown", "-o", "app"});
  ASSERT_TRUE(call);
  const size_t names = placeOf(*call, "/lib/names.a");
  EXPECT_LT(placeOf(*call, "-lown"), names);
  EXPECT_LT(placeOf(*call, "libb.so"), names);
  EXPECT_LT(placeOf(*call, "-Wl,--no-whole-archive"), names) << "only those that nobody has defined";
  EXPECT_GT(placeOf(*call, "-lc"), names);
  EXPECT_GT(placeOf(*call, "-lstdc++"), names);
  EXPECT_LT(placeOf(*call, "-lstdc++"), call->arguments.size());
}

TEST(CompilerDriver, SanitizersThatWrapLibcDoNotTakeItsNames) {
  Result<CompilerCall> call = plan({"-fsanitize=leak,undefined", "a.o"});
  ASSERT_TRUE(call);
  EXPECT_GT(placeOf(*call, "-Wl,--no-whole-archive"), placeOf(*call, "/lib/names.a"));
  EXPECT_EQ(placeOf(*call, "/lib/libsymbiosis_heap_names.a"), call->arguments.size())
      << "blocks are the sanitizer's";
}

TEST(CompilerDriver, QuestionsToTheCompilerPassThrough) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--version"}, {"-E", "a.c"}, {"-S", "a.c"}, {"-MM", "a.c"}, {"-v"}}) {
    Result<CompilerCall> call = plan(arguments);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->action, Action::other);
    EXPECT_EQ(call->arguments, arguments);
  }
}

TEST(CompilerDriver, OptionsThatWouldUndoTheRecordingAreLeftOut) {
  Result<CompilerCall> call = plan({"-flto=thin", "-fno-lto", "-fuse-ld=bfd", "-fno-fat-lto-objects", "a.c"});
  ASSERT_TRUE(call);
  EXPECT_THAT(call->arguments, Not(Contains("-flto=thin")));
  EXPECT_THAT(call->arguments, Not(Contains("-fno-lto")));
  EXPECT_THAT(call->arguments, Not(Contains("-fuse-ld=bfd")));
}

TEST(CompilerDriver, AnArgumentOfAnOptionIsNoInput) {
  Result<CompilerCall> call = plan({"-I", "include", "-D", "X=1", "--version"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->action, Action::other);
}

TEST(CompilerDriver, WhatCannotWorkIsRefusedWithAReason) {
  for (const char* option :
       {"-fsanitize=thread", "-fsanitize=address,undefined", "-fsanitize=memory", "-r", "-static"}) {
    Result<CompilerCall> call = plan({option, "a.c"});
    ASSERT_FALSE(call) << option;
    EXPECT_EQ(call.error().kind, ErrorKind::badInput);
  }
}

TEST(CompilerDriver, CxxThreadFunctionsMayLackAReturn) {
  Result<CompilerCall> call = plan({"a.cpp"}, Language::cxx);
  ASSERT_TRUE(call);
  EXPECT_THAT(call->arguments, Contains("-fno-strict-return"));
}

} // namespace
