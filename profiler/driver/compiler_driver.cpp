// The flags and why (FINDINGS A): objects are "fat" (machine code and bitcode), so that plain `ar`, `nm` and
// libraries keep working; the link uses the bitcode, in one module, and loads the pass into lld. -fpass-plugin on
// an LTO link line silently does nothing, and without -ffat-lto-objects on the link line fat objects are taken for
// native ones, so both are checked by looking for the snapshot after the link.
#include "profiler/driver/compiler_driver.h"
#include "support/files.h"
#include "trace/format.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace symbiosis {

namespace fs = std::filesystem;

static constexpr std::string_view kPluginName = "symbiosis_pass.so";
static constexpr std::string_view kRuntimeName = "libsymbiosis_runtime.a";
static constexpr std::string_view kLibraryName = "libsymbiosis_library.a";

static Result<fs::path> findCompiler(Language language) {
  const char* names[2] = {language == Language::c ? "clang-19" : "clang++-19",
                          language == Language::c ? "/usr/lib/llvm-19/bin/clang" : "/usr/lib/llvm-19/bin/clang++"};
  std::string_view path = std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin";
  while (!path.empty()) {
    const size_t end = path.find(':');
    fs::path candidate = fs::path(path.substr(0, end)) / names[0];
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
  }
  if (::access(names[1], X_OK) == 0) return fs::path(names[1]);
  return badInput(fmt::format("{} not found; install the Debian packages clang-19 and lld-19", names[0]));
}

Result<Toolchain> findToolchain(Language language) {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return internalError("cannot find the symbiosis executable through /proc/self/exe");
  Toolchain toolchain;
  for (const char* folder : {"../lib/symbiosis", "../lib/x86_64-linux-gnu/symbiosis", "../lib64/symbiosis"}) {
    fs::path candidate = (self.parent_path() / folder).lexically_normal();
    if (!fs::exists(candidate / kPluginName) || !fs::exists(candidate / kRuntimeName)) continue;
    toolchain.plugin = candidate / kPluginName;
    toolchain.runtime = candidate / kRuntimeName;
    toolchain.library = candidate / kLibraryName;
    Result<fs::path> compiler = findCompiler(language);
    if (!compiler) return compiler.error();
    toolchain.compiler = *compiler;
    return toolchain;
  }
  return badInput(fmt::format("{} and {} not found beside {}; install symbiosis with 'cmake --install'",
                              kPluginName, kRuntimeName, self.string()));
}

namespace {

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return text.starts_with(p); });
}

// Options whose argument is the next word; it must not be taken for an input.
bool takesArgument(std::string_view option) {
  static constexpr std::array<std::string_view, 22> known = {
      "-o",  "-I",       "-L",       "-D",      "-U",         "-x",         "-MF",     "-MT",
      "-MQ", "-include", "-isystem", "-iquote", "-idirafter", "-Xlinker",   "-Xclang", "-T",
      "-u",  "-z",       "-l",       "-target", "-arch",      "-Xassembler"};
  return std::find(known.begin(), known.end(), option) != known.end();
}

// We choose these ourselves; the user's choice would undo the recording.
bool isFiltered(std::string_view option) {
  return startsWithAny(
      option, {"-flto", "-fno-lto", "-ffat-lto-objects", "-fno-fat-lto-objects", "-fuse-ld=", "-fpass-plugin="});
}

bool isObject(std::string_view file) {
  return file.ends_with(".o") || file.ends_with(".a") || file.ends_with(".so") || file.ends_with(".lo") ||
         file.find(".so.") != std::string_view::npos;
}

} // namespace

Result<CompilerCall> planCompilerCall(const Toolchain& toolchain, Language language,
                                      const std::vector<std::string>& arguments) {
  CompilerCall call;
  call.output = "a.out";
  bool hasInput = false, stopsEarly = false, compilesOnly = false, bare = false;
  std::vector<std::string> kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.starts_with("-fsanitize=") && argument.find("thread") != std::string::npos)
      return badInput(
          "-fsanitize=thread cannot be combined with symbiosis cc (both wrap the threads library); build "
          "without it to record, and with plain clang to run ThreadSanitizer");
    if (argument == "-r")
      return badInput("symbiosis cc: -r (partial linking) would lose the bitcode; link the objects in one step");
    if (argument == "-static")
      return badInput("symbiosis cc: -static is not supported yet (the runtime wraps libc's functions); link "
                      "dynamically");
    if (isFiltered(argument)) continue;
    if (argument == "-E" || argument == "-S" || argument == "-M" || argument == "-MM" ||
        argument == "-fsyntax-only")
      stopsEarly = true;
    if (argument == "-c") compilesOnly = true;
    if (argument == "-nostdlib" || argument == "-ffreestanding") bare = true;
    kept.push_back(argument);
    if (takesArgument(argument) && i + 1 < arguments.size()) {
      kept.push_back(arguments[++i]);
      if (argument == "-o") call.output = arguments[i];
      continue;
    }
    if (argument.starts_with("-o") && argument.size() > 2) call.output = argument.substr(2);
    if (!argument.starts_with("-") || argument == "-") {
      hasInput = true;
      if (isObject(argument)) call.objects.push_back(argument);
    }
  }
  call.arguments = std::move(kept);
  if (!hasInput || stopsEarly || bare) return call;
  auto add = [&](std::initializer_list<std::string> more) { call.arguments.insert(call.arguments.end(), more); };
  // -fno-strict-return: at -O0 clang++ otherwise traps at the end of a thread function without `return`.
  add({"-flto=full", "-ffat-lto-objects", "-Qunused-arguments"});
  if (language == Language::cxx) add({"-fno-strict-return"});
  if (compilesOnly) {
    call.action = Action::compile;
    return call;
  }
  call.action = Action::link;
  add({"-fuse-ld=lld", "-Wl,--load-pass-plugin=" + toolchain.plugin.string(), "-x", "none", "-Wl,--whole-archive",
       toolchain.runtime.string(), "-Wl,--no-whole-archive", toolchain.library.string(), "-pthread"});
  return call;
}

static Result<int> spawn(const fs::path& compiler, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  std::string name = compiler.string();
  argv.push_back(name.data());
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return internalError(fmt::format("cannot start the compiler: {}", std::strerror(errno)));
  if (child == 0) {
    ::execve(argv[0], argv.data(), environ);
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The name of each section, without a library: enough of ELF to know that the pass has run.
static bool hasSection(std::string_view elf, std::string_view wanted) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return false;
  std::memcpy(&header, elf.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shoff == 0) return false;
  auto section = [&](unsigned index, Elf64_Shdr& out) {
    const uint64_t at = header.e_shoff + uint64_t(index) * sizeof out;
    if (at + sizeof out > elf.size()) return false;
    std::memcpy(&out, elf.data() + at, sizeof out);
    return true;
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, names)) return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s;
    if (!section(i, s)) return false;
    const uint64_t at = names.sh_offset + s.sh_name;
    if (at < elf.size() && elf.substr(at).starts_with(wanted) && elf.size() > at + wanted.size() &&
        elf[at + wanted.size()] == 0)
      return true;
  }
  return false;
}

static Result<void> checkSnapshot(const CompilerCall& call) {
  Result<std::string> bytes = readFile(call.output);
  if (!bytes) return {}; // -o /dev/null and the like: nothing to look at
  if (bytes->substr(0, 4) != ELFMAG || hasSection(*bytes, format::kSnapshotSection)) return {};
  std::string suspects;
  for (const std::string& object : call.objects)
    if (Result<std::string> content = readFile(object);
        content && content->substr(0, 4) == ELFMAG && !hasSection(*content, ".llvm.lto"))
      suspects += "\n  " + object;
  return badInput(
      fmt::format("{}: linked, but without anything to record; compile the sources with 'symbiosis cc' too{}{}",
                  call.output, suspects.empty() ? "" : ". Inputs without bitcode:", suspects));
}

Result<int> runCompiler(Language language, const std::vector<std::string>& arguments) {
  Result<Toolchain> toolchain = findToolchain(language);
  if (!toolchain) return toolchain.error();
  Result<CompilerCall> call = planCompilerCall(*toolchain, language, arguments);
  if (!call) return call.error();
  Result<int> status = spawn(toolchain->compiler, call->arguments);
  if (!status || *status != 0 || call->action != Action::link) return status;
  if (Result<void> checked = checkSnapshot(*call); !checked) return checked.error();
  return status;
}

} // namespace symbiosis
