// Compiling and linking as planned. A link goes in steps: sources are compiled first; then the program is linked
// as without us, from the machine code that the objects have, into a file that nobody sees. That takes a moment
// and finds what is undefined; only then comes the link that optimises the whole program and makes all of its
// bodies, which may take minutes.
#include "profiler/driver/compiler_driver.h"
#include "profiler/driver/link_check.h"
#include "profiler/driver/response_files.h"
#include "profiler/pass/pass_options.h"
#include "support/files.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// `silence`: where its output and messages go; empty: to ours.
Result<int> spawn(const fs::path& compiler, const Words& arguments, const std::string& silence = {}) {
  std::vector<char*> argv;
  std::string name = compiler.string();
  argv.push_back(name.data());
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return internalError(fmt::format("cannot start the compiler: {}", std::strerror(errno)));
  if (child == 0) {
    if (!silence.empty()) {
      const int file = ::open(silence.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
    }
    ::execve(argv[0], argv.data(), environ);
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Options that speak of files beside the output, or of sources by their place on the line: such a line is left
// whole.
bool isBoundToTheLine(const std::string& argument) {
  return (argument.starts_with("-M") && argument != "-MP") || argument == "-x" ||
         argument.starts_with("-save-temps") || argument == "-###" || argument == "-gsplit-dwarf" ||
         argument.starts_with("-ftime-trace");
}

bool isOfLinks(const CompilerCall& call, const std::string& argument) {
  return argument.starts_with("-o") || argument.starts_with("-Wl,") || contains(call.sources, argument) ||
         contains(call.objects, argument);
}

// `plainly`: as a compiler would without us.
Words argumentsOfSource(const CompilerCall& call, bool plainly) {
  const Words& all = plainly ? call.plainArguments : call.arguments;
  Words arguments;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == "-o" || all[i] == "-Xlinker")
      ++i;
    else if (!isOfLinks(call, all[i]))
      arguments.push_back(all[i]);
  }
  if (plainly) arguments.push_back("-Qunused-arguments");
  return arguments;
}

// Puts objects in the place of sources; those that are excluded are compiled as without us.
Result<int> compileSources(const Toolchain& toolchain, CompilerCall& call, const fs::path& directory) {
  const bool staysWhole = std::any_of(call.plainArguments.begin(), call.plainArguments.end(), isBoundToTheLine);
  const Words sources = staysWhole ? call.excludedSources : call.sources;
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string object = (directory / fmt::format("{}.o", i)).string();
    Words arguments = argumentsOfSource(call, contains(call.excludedSources, sources[i]));
    arguments.insert(arguments.end(), {"-c", sources[i], "-o", object});
    Result<int> status = spawn(toolchain.compiler, arguments);
    if (!status || *status != 0) return status;
    std::replace(call.arguments.begin(), call.arguments.end(), sources[i], object);
    std::replace(call.plainArguments.begin(), call.plainArguments.end(), sources[i], object);
  }
  return 0;
}

bool asksTheLinkerToTalk(const std::string& argument) {
  return argument == "-v" || argument == "-###" || argument == "-Wl,-t" || argument == "-Wl,--trace" ||
         argument == "-Wl,-M" || argument == "-Wl,--print-map" || argument == "-Wl,--verbose";
}

// The status of a link that fails because something is undefined, which it has said; 0: go on.
Result<int> lookForUndefined(const Toolchain& toolchain, const CompilerCall& call, const fs::path& directory) {
  const Words& plain = call.plainArguments;
  // What still is to be compiled would be compiled twice, and from standard input cannot be.
  const bool hasSources = std::any_of(plain.begin(), plain.end(), [&](const std::string& argument) {
    return argument == "-" || contains(call.sources, argument);
  });
  if (hasSources || std::any_of(plain.begin(), plain.end(), asksTheLinkerToTalk)) return 0;
  Words arguments = plain;
  const std::string messages = (directory / "messages").string();
  arguments.insert(arguments.end(),
                   {"-fuse-ld=lld", "-pthread", "-Qunused-arguments", "-o", (directory / "plain").string()});
  Result<int> status = spawn(toolchain.compiler, arguments, messages);
  if (!status || *status == 0) return status;
  Result<std::string> said = readFile(messages);
  if (!said || said->find("undefined symbol") == std::string::npos)
    return 0; // the real one will say it, or go well
  fmt::print(stderr, "{}", *said);
  return status;
}

Result<int> link(const Toolchain& toolchain, CompilerCall& call) {
  Result<fs::path> directory = makeTemporaryDirectory(fs::temp_directory_path(), "symbiosis-cc-");
  if (!directory) return directory.error();
  Result<int> status = compileSources(toolchain, call, *directory);
  if (status && *status == 0) status = lookForUndefined(toolchain, call, *directory);
  // The pass runs inside the linker, which hands on no options of plugins.
  if (!call.own.exclusions.empty())
    ::setenv(kExcludeVariable, fmt::format("{}", fmt::join(call.own.exclusions, "\n")).c_str(), 1);
  if (status && *status == 0) status = spawn(toolchain.compiler, call.arguments);
  std::error_code ignored;
  fs::remove_all(*directory, ignored);
  if (!status || *status != 0) return status;
  Result<Words> without = inputsWithoutBitcode(call);
  if (!without) return without.error();
  if (!without->empty())
    fmt::print(stderr, "symbiosis cc: {}: not instrumented, so only seen from outside: {}\n", call.output,
               fmt::join(*without, ", "));
  return status;
}

} // namespace

Result<int> runCompiler(Language language, const Words& arguments) {
  Result<Toolchain> toolchain = findToolchain(language);
  if (!toolchain) return toolchain.error();
  Result<Words> expanded = expandResponseFiles(arguments);
  if (!expanded) return expanded.error();
  Result<CompilerCall> call = planCompilerCall(*toolchain, language, *expanded);
  if (!call) return call.error();
  if (call->own.help) fmt::print("{}", ownHelp(language == Language::c ? "cc" : "c++"));
  std::fflush(stdout);
  if (call->own.everyAccess) ::setenv(kEveryAccessVariable, "1", 1);
  return call->action == Action::link ? link(*toolchain, *call) : spawn(toolchain->compiler, call->arguments);
}

} // namespace symbiosis
