#include "cli/command.h"
#include "cli/program_command.h"
#include "profiler/profiler.h"
#include <algorithm>
#include <fmt/format.h>

using namespace symbiosis;

int symbiosis::exitCodeOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::nothingFound: return 1;
  case ErrorKind::badInput: return 2;
  case ErrorKind::gaveUp: return 3;
  case ErrorKind::internal: return 70;
  }
  return 70;
}

symbiosis::format::Level symbiosis::levelNamed(const std::string& name) {
  return name == "path"        ? format::Level::path
         : name == "addresses" ? format::Level::addresses
                               : format::Level::full;
}

int symbiosis::report(const Error& error) {
  fmt::print(stderr, "symbiosis: {}\n", error.message);
  if (error.kind == ErrorKind::internal)
    fmt::print(stderr, "symbiosis: this is a bug in symbiosis; please keep the recording and report it\n");
  return exitCodeOf(error.kind);
}

void symbiosis::hintAtDebugInformation(const SourceFiles& sources) {
  if (sources.files().empty())
    fmt::print(
        "symbiosis: hint: the program was built without -g, so variables and lines have no names; build it with "
        "-g\n");
}

// The compiler's arguments are the compiler's: nothing here looks at them.
static int compile(Language language, std::vector<std::string> arguments) {
  Result<int> status = runCompiler(language, arguments);
  return status ? *status : report(status.error());
}

static int interpret(int argc, char** argv) {
  CLI::App app{
      "Why a multithreaded C or C++ program sometimes fails: record a failing run, get the cause, a schedule "
      "that passes, and the difference as a picture.",
      "symbiosis"};
  app.set_version_flag("--version", std::string("symbiosis ") + SYMBIOSIS_VERSION);
  app.require_subcommand(1);
  app.footer("Compile with `symbiosis cc` or `symbiosis c++` first; they take the compiler's own arguments:\n"
             "  symbiosis cc -g -O1 app.c -o app -pthread\n"
             "  symbiosis profile ./app\n"
             "  symbiosis diagnose");
  int exitCode = 0;
  addProfileCommand(app, exitCode);
  addDiagnoseCommand(app, exitCode);
  addDumpCommand(app, exitCode);
  addReplayCommand(app, exitCode);
  addSimplifyCommand(app, exitCode);
  addIsolateCommand(app, exitCode);
  addMergeCommand(app, exitCode);
  addBreakpointsCommand(app, exitCode);
  addPredictCommand(app, exitCode);
  addProveCommand(app, exitCode);
  addViewCommand(app, exitCode);
  const std::vector<CLI::App*> verbs = app.get_subcommands([](CLI::App*) { return true; });
  auto isAsked = [&](const CLI::App* verb) { return verb->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(verbs.begin(), verbs.end(), isAsked))
    return report(badInput(fmt::format("unknown verb '{}'; symbiosis --help lists them", argv[1])));
  std::vector<std::string> words = protectProgramCommand(app, {argv + 1, argv + argc});
  std::reverse(words.begin(), words.end()); // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : exitCodeOf(ErrorKind::badInput);
  }
  return exitCode;
}

// `symbiosis-cc` and `symbiosis-c++` are the same program by names that build systems take for a compiler.
static const char* verbOf(std::string_view name) {
  if (name.ends_with("symbiosis-cc")) return "cc";
  if (name.ends_with("symbiosis-c++")) return "c++";
  return nullptr;
}

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const char* verb = verbOf(argv[0])) arguments.insert(arguments.begin(), verb);
  if (!arguments.empty() && (arguments[0] == "cc" || arguments[0] == "c++")) {
    const Language language = arguments[0] == "cc" ? Language::c : Language::cxx;
    return compile(language, {arguments.begin() + 1, arguments.end()});
  }
  try {
    return interpret(argc, argv);
  } catch (const std::exception& problem) {
    return report(internalError(problem.what()));
  }
}
