#pragma once
// `symbiosis cc` and `symbiosis c++`: clang with the flags that keep bitcode beside the machine code and run the
// pass when the program is linked. Everything else is the compiler's own business: arguments, output and status.
#include "profiler/driver/own_options.h"
#include "support/result.h"
#include <filesystem>
#include <string>
#include <vector>

namespace symbiosis {

enum class Language { c, cxx };

// Where the plugin and the runtime are: `../lib/symbiosis` or `../lib/<triple>/symbiosis` from the executable.
struct Toolchain {
  std::filesystem::path plugin;
  std::filesystem::path runtime;
  std::filesystem::path names;    // of libc that the runtime wraps, where the program does not define them itself
  std::filesystem::path library;  // what libstdc++ keeps in its shared library, instrumented
  std::filesystem::path compiler; // clang or clang++, version 19
};
Result<Toolchain> findToolchain(Language language);

enum class Action { compile, link, other }; // other: nothing that we change (-E, -S, --version, …)

struct CompilerCall {
  Action action = Action::other;
  std::vector<std::string> arguments;      // for the compiler, without its own name
  std::vector<std::string> plainArguments; // the same without anything of ours
  std::string output;                      // of a link; "a.out" by default
  std::vector<std::string> sources;
  std::vector<std::string> objects;                       // inputs of a link that are not source files
  std::vector<std::string> libraries, libraryDirectories; // -l and -L
  OwnOptions own;
  std::vector<std::string> excludedSources; // of a link; to be compiled apart, without bitcode
};

// Pure: what the user asked for, and what we ask the compiler for.
Result<CompilerCall> planCompilerCall(const Toolchain& toolchain, Language language,
                                      std::vector<std::string> arguments);

// Runs the compiler; returns its exit status.
Result<int> runCompiler(Language language, const std::vector<std::string>& arguments);

} // namespace symbiosis
