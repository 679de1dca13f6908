#include "replay/debugger.h"
#include "support/files.h"
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// For the shell through which gdb starts the program.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string startScript(const LaunchOptions& program, const Debugger& debugger, const std::string& input) {
  std::string script = "set confirm off\nset breakpoint pending on\n";
  // gdb adds these; they would move the program's stack.
  script += "unset environment LINES\nunset environment COLUMNS\n";
  script += "set args";
  for (const std::string& argument : program.arguments) script += " " + quoted(argument);
  script += fmt::format(" < {}\n", quoted(input));
  // A failed assertion, seen from the function that made it; then what only the runtime notices: a deadlock, a
  // divergence. Crashes and exceptions end in signals, at which gdb stops anyway.
  script += "break __symbiosis_failed\ncommands\nup 2\nend\n";
  script += "break symbiosis::runtime::control::endProcess\n";
  if (debugger.stopsAtExit) script += "break exit\nbreak _exit\n";
  return script + "run\n";
}

} // namespace

Result<LaunchOptions> underDebugger(const LaunchOptions& program, const Debugger& debugger,
                                    const fs::path& session) {
  // A line of the script cannot hold a line break.
  for (const std::string& argument : program.arguments)
    if (argument.find('\n') != std::string::npos)
      return badInput("an argument of the program contains a line break, which gdb cannot pass on");
  const fs::path script = session / "gdb", input = session / "input";
  Result<void> written = writeFileAtomically(input, program.standardInput.value_or(""));
  if (written) written = writeFileAtomically(script, startScript(program, debugger, input.string()));
  if (!written) return written.error();
  LaunchOptions options = program;
  options.program = "gdb";
  options.argumentZero.clear();
  options.arguments = {"-q", "-x", script.string()};
  if (!debugger.commands.empty())
    options.arguments.insert(options.arguments.end(), {"-batch", "-x", fs::absolute(debugger.commands).string()});
  options.arguments.push_back(program.program.string());
  options.sharesTerminal = true;
  options.timeoutSeconds = 0;
  options.isStuck = nullptr;
  return options;
}

} // namespace symbiosis
