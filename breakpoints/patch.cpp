#include "breakpoints/patch.h"
#include "support/files.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// Where the file is now: as it is named, from here or from where the recorded program ran.
std::optional<fs::path> findSource(const Recording& recording, const std::string& name) {
  for (const fs::path& base : {fs::path(), fs::path(recording.info.workingDirectory)}) {
    std::error_code ignored;
    if (fs::exists(base / name, ignored)) return base / name;
  }
  return std::nullopt;
}

std::string recordedText(const Recording& recording, const std::string& name) {
  std::string text;
  for (const std::string& line : recording.sources.files().at(name)) (text += line) += '\n';
  return text;
}

Result<PatchedFile> openSource(const Recording& recording, const std::string& name) {
  const std::optional<fs::path> path = findSource(recording, name);
  if (!path)
    return badInput(fmt::format("{}: the source is not there any more; go to the directory in which it was "
                                "compiled, or record again",
                                name));
  Result<std::string> now = readFile(*path);
  if (!now) return now.error();
  std::string text = std::move(*now);
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (text != recordedText(recording, name))
    return badInput(fmt::format("{}: has changed since the program was recorded, so that a patch would not apply; "
                                "build it, record it and diagnose it again",
                                path->string()));
  return PatchedFile{name, *path, text, text};
}

std::string trigger(const char* what, const std::string& name, size_t number, size_t all,
                    const std::string& thread, uint32_t nth) {
  return fmt::format("{}(\"{}\", {}, {}, \"{}\", {})", what, name, number, all, thread, nth);
}

// The first directive that includes something has ours before it; behind macros that choose what headers declare.
std::string withHeader(const std::string& text) {
  const std::string header = "#define SYMBIOSIS_NAME_THREADS\n#include <symbiosis/breakpoints.h>\n";
  size_t at = 0;
  for (size_t line = 0; line < text.size(); line = text.find('\n', line) + 1) {
    if (text.compare(line, 8, "#include") == 0) {
      at = line;
      break;
    }
    if (text.find('\n', line) == std::string::npos) break;
  }
  return text.substr(0, at) + header + text.substr(at);
}

} // namespace

Result<Patch> patchOf(const Recording& recording, const SymbolicTrace& trace, const Visits& visits,
                      const Orderings& orderings, const std::string& name) {
  std::map<std::string, std::vector<SourceText::Insertion>> insertions;
  // Who has come so far says so before it waits for anything itself.
  std::map<std::string, std::vector<SourceText::Insertion>> waits;
  const size_t all =
      size_t(std::count_if(orderings.begin(), orderings.end(), [](const Ordering& each) { return !each.isHold; }));
  size_t number = 0;
  for (const Ordering& ordering : orderings) {
    Result<PlacedOrdering> at = placed(trace, visits, ordering);
    if (!at) return at.error();
    const Coming& awaits = at->awaits;
    if (ordering.isHold) {
      waits[awaits.at.file].push_back({awaits.at.place, fmt::format("SYMBIOSIS_HOLD(\"{}\", \"{}\", {})", name,
                                                                    at->awaitsThread, awaits.nth)});
      continue;
    }
    ++number;
    const char* reached = at->isAtEnd ? "SYMBIOSIS_REACHED_AT_END" : "SYMBIOSIS_REACHED";
    insertions[at->reached->at.file].push_back(
        {at->reached->at.place, trigger(reached, name, number, all, at->reachedThread, at->reached->nth)});
    waits[awaits.at.file].push_back(
        {awaits.at.place, trigger("SYMBIOSIS_AWAIT", name, number, all, at->awaitsThread, awaits.nth)});
  }
  for (auto& [file, of] : waits)
    for (SourceText::Insertion& each : of) insertions[file].push_back(std::move(each));
  Patch patch;
  patch.orderings = orderings.size();
  for (auto& [file, of] : insertions) {
    Result<PatchedFile> source = openSource(recording, file);
    if (!source) return source.error();
    Result<std::string> changed = visits.textOf(file)->with(std::move(of));
    if (!changed) return Error{changed.error().kind, fmt::format("{}: {}", file, changed.error().message)};
    source->after = withHeader(*changed);
    patch.files.push_back(std::move(*source));
  }
  return patch;
}

fs::path rootOf(const Patch& patch) {
  fs::path root = fs::current_path();
  auto isInside = [&](const PatchedFile& file) {
    return !fs::absolute(file.path).lexically_normal().lexically_relative(root).generic_string().starts_with("..");
  };
  while (root.has_relative_path() && !std::all_of(patch.files.begin(), patch.files.end(), isInside))
    root = root.parent_path();
  return root;
}

std::string toText(const Patch& patch, const std::string& title, const fs::path& root) {
  std::string text = title;
  for (const PatchedFile& file : patch.files) {
    const std::string name = fs::absolute(file.path).lexically_normal().lexically_relative(root).generic_string();
    text += unifiedDiff(file.before, file.after, "a/" + name, "b/" + name);
  }
  return text;
}

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

std::string identifier(const std::string& name) {
  std::string result = name;
  for (char& c : result)
    if (!std::isalnum(uint8_t(c))) c = '_';
  return result;
}

constexpr const char* kTest =
    R"(// Runs the program, built from the patched sources, and fails if it does: before the fix, not after it.
//   c++ THIS_FILE -o test -lgtest -lgtest_main -pthread && PROGRAM=./{program} ./test
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {{

const int kTimes = {times};
const unsigned kSeconds = 60; // that a run may take; one that takes longer waits for ever
const int kExpectedStatus = {status};
const std::string kInput = {input};

// The descriptor of a file with what the program reads.
int inputFile() {{
  std::FILE* file = std::tmpfile();
  std::fwrite(kInput.data(), 1, kInput.size(), file);
  std::rewind(file);
  return fileno(file);
}}

// How the program ended: its exit status, or 128 and the signal.
int runOnce(const char* program) {{
  std::vector<std::string> words = {{program{arguments}}};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(&word[0]);
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {{
    dup2(inputFile(), 0);
    alarm(kSeconds);
    execv(program, argv.data());
    _exit(127);
  }}
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}}

TEST(Breakpoint, {name}) {{
  const char* program = std::getenv("PROGRAM");
  if (!program) program = {path};
  ASSERT_EQ(access(program, X_OK), 0) << program << ": no program; set PROGRAM to the one that is to be tested";
  for (int i = 0; i < kTimes; ++i)
    ASSERT_EQ(runOnce(program), kExpectedStatus) << "run " << i + 1 << ": " << {failure};
}}

}} // namespace
)";

} // namespace

std::string testOf(const Recording& recording, const std::string& name, size_t times) {
  std::string arguments;
  for (const std::string& argument : recording.info.arguments) arguments += ", " + quoted(argument);
  const std::string failure =
      recording.failure ? toText(*recording.failure) : toText(recording.info.ending) + " was recorded";
  return fmt::format(fmt::runtime(kTest),
                     fmt::arg("program", fs::path(recording.info.program).filename().string()),
                     fmt::arg("times", times), fmt::arg("status", recording.info.expectedExit),
                     fmt::arg("input", "std::string(" + quoted(recording.info.standardInput.value_or("")) + ")"),
                     fmt::arg("arguments", arguments), fmt::arg("name", identifier(name)),
                     fmt::arg("path", quoted(recording.info.program)), fmt::arg("failure", quoted(failure)));
}

} // namespace symbiosis
