// The flags and why (FINDINGS A): objects are "fat" (machine code and bitcode), so that plain `ar`, `nm` and
// libraries keep working; the link uses the bitcode, in one module, and loads the pass into lld. -fpass-plugin on
// an LTO link line silently does nothing, and without -ffat-lto-objects on the link line fat objects are taken for
// native ones, so both are checked by looking for the snapshot after the link.
#include "profiler/driver/compiler_driver.h"
#include "profiler/driver/link_line.h"
#include "profiler/driver/response_files.h"
#include <algorithm>
#include <fmt/format.h>
#include <fnmatch.h>
#include <string_view>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

static constexpr std::string_view kPluginName = "symbiosis_pass.so";
static constexpr std::string_view kRuntimeName = "libsymbiosis_runtime.a";
static constexpr std::string_view kNamesName = "libsymbiosis_names.a";
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
    toolchain.names = candidate / kNamesName;
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
  static constexpr std::string_view known[] = {
      "-o",         "-I",        "-L",       "-D",       "-U",       "-x",          "-MF",
      "-MT",        "-MQ",       "-MJ",      "-include", "-imacros", "-isystem",    "-iquote",
      "-idirafter", "-isysroot", "-iprefix", "-Xlinker", "-Xclang",  "-Xassembler", "-Xpreprocessor",
      "-T",         "-u",        "-z",       "-l",       "-e",       "-B",          "-target",
      "-arch",      "--param",   "-mllvm",   "--sysroot"};
  return std::find(std::begin(known), std::end(known), option) != std::end(known);
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

// Why the argument cannot be followed, and what to do; empty: it can.
std::string refusal(std::string_view argument) {
  if (argument.starts_with("-fsanitize=") && argument.find("thread") != std::string_view::npos)
    return "-fsanitize=thread cannot be combined with symbiosis cc (both wrap the threads library); build without "
           "it "
           "to record, and with plain clang to run ThreadSanitizer";
  if (argument.starts_with("-fsanitize=") &&
      (argument.find("address") != std::string_view::npos || argument.find("memory") != std::string_view::npos))
    return fmt::format(
        "symbiosis cc: {} has an allocator and checks of its own, and what they find would be explained "
        "wrongly; build without it to record: under control symbiosis notices uses of freed memory, "
        "double and invalid frees itself. Other sanitizers (undefined) are fine",
        argument);
  if (argument == "-r" || argument == "-Wl,-r" || argument == "-Wl,--relocatable")
    return "symbiosis cc: -r (partial linking) would lose the bitcode; link the objects in one step, or put them "
           "in an "
           "archive with ar";
  if (argument == "-static" || argument == "-static-pie")
    return fmt::format(
        "symbiosis cc: {} is not supported (the runtime wraps libc's functions, which must be found when "
        "the program starts); link dynamically; -static-libgcc and -static-libstdc++ are fine",
        argument);
  if (argument == "-m32" || argument == "-mx32")
    return fmt::format("symbiosis cc: {} is not supported; only 64-bit x86 programs can be recorded", argument);
  return {};
}

bool isSource(std::string_view file) {
  const size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return false;
  static constexpr std::string_view known[] = {"c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "i", "ii"};
  return std::find(std::begin(known), std::end(known), file.substr(dot + 1)) != std::end(known);
}

bool matchesAny(const std::vector<std::string>& patterns, const std::string& file) {
  const std::string name = fs::path(file).filename().string();
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), file.c_str(), 0) == 0 || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

// What the words of the user mean.
struct Wishes {
  bool hasInput = false, stopsEarly = false, compilesOnly = false, bare = false, makesLibrary = false;
};

void understand(const std::vector<std::string>& arguments, CompilerCall& call, Wishes& wishes) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (isFiltered(argument)) continue;
    call.arguments.push_back(argument);
    if (argument == "-E" || argument == "-S" || argument == "-M" || argument == "-MM" ||
        argument == "-fsyntax-only")
      wishes.stopsEarly = true;
    wishes.compilesOnly |= argument == "-c";
    wishes.bare |= argument == "-nostdlib" || argument == "-ffreestanding";
    wishes.makesLibrary |= argument == "-shared" || argument == "--shared";
    if (takesArgument(argument) && i + 1 < arguments.size()) {
      const std::string& value = arguments[++i];
      call.arguments.push_back(value);
      if (argument == "-o") call.output = value;
      if (argument == "-L") call.libraryDirectories.push_back(value);
      if (argument == "-l") call.libraries.push_back(value);
      continue;
    }
    if (argument.starts_with("-o") && argument.size() > 2) call.output = argument.substr(2);
    if (argument.starts_with("-L")) call.libraryDirectories.push_back(argument.substr(2));
    if (argument.starts_with("-l")) call.libraries.push_back(argument.substr(2));
    if (argument.starts_with("-") && argument != "-") continue;
    wishes.hasInput = true;
    if (isObject(argument)) call.objects.push_back(argument);
    if (isSource(argument)) call.sources.push_back(argument);
  }
}

} // namespace

Result<CompilerCall> planCompilerCall(const Toolchain& toolchain, Language language,
                                      std::vector<std::string> arguments) {
  CompilerCall call;
  call.output = "a.out";
  Result<OwnOptions> own = takeOwnOptions(arguments);
  if (!own) return own.error();
  call.own = *own;
  for (const std::string& argument : arguments)
    if (std::string why = refusal(argument); !why.empty()) return badInput(why);
  Wishes wishes;
  understand(arguments, call, wishes);
  // A shared library is made as without us: the runtime is in the program, and there is one.
  if (!wishes.hasInput || wishes.stopsEarly || wishes.bare || wishes.makesLibrary) return call;
  for (const std::string& source : call.sources)
    if (matchesAny(call.own.exclusions, source)) call.excludedSources.push_back(source);
  if (wishes.compilesOnly && !call.excludedSources.empty()) {
    if (call.excludedSources.size() == call.sources.size()) return call; // nothing of ours in it
    return badInput("symbiosis cc: --exclude matches some of the sources of one -c; compile them one by one");
  }
  call.plainArguments = call.arguments;
  auto add = [&](std::initializer_list<std::string> more) { call.arguments.insert(call.arguments.end(), more); };
  // -fno-strict-return: at -O0 clang++ otherwise traps at the end of a thread function without `return`.
  add({"-flto=full", "-ffat-lto-objects", "-Qunused-arguments"});
  if (language == Language::cxx) add({"-fno-strict-return"});
  // Stores of different variables stay apart: `if (c) a = 1; else b = 1;` is no store to one of the two.
  add({"-fpass-plugin=" + toolchain.plugin.string(), "-mllvm", "-sink-common-insts=false"});
  if (wishes.compilesOnly) {
    call.action = Action::compile;
    return call;
  }
  call.action = Action::link;
  addRuntime(toolchain, call.arguments);
  return call;
}

} // namespace symbiosis
