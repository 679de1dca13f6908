#include "profiler/driver/link_line.h"
#include <algorithm>
#include <string_view>

namespace symbiosis {
namespace {

// Libraries that define what the runtime wraps. Who names one of them means what the compiler would add at the end
// of the line anyway.
bool isWrappedLibrary(std::string_view name) {
  return name == "c" || name == "pthread" || name == "stdc++" || name == "supc++";
}

bool choosesKindOfLibrary(std::string_view argument) {
  return argument.starts_with("-Wl,-Bstatic") || argument.starts_with("-Wl,-Bdynamic") ||
         argument.starts_with("-Wl,-dn") || argument.starts_with("-Wl,-dy");
}

// Takes them out; returns them, as they were written.
std::vector<std::string> takeWrappedLibraries(std::vector<std::string>& arguments) {
  std::vector<std::string> taken, rest;
  if (std::any_of(arguments.begin(), arguments.end(), choosesKindOfLibrary)) return taken; // their places matter
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool isPair = argument == "-l" && i + 1 < arguments.size() && isWrappedLibrary(arguments[i + 1]);
    if (isPair)
      taken.push_back("-l" + arguments[++i]);
    else if (argument.starts_with("-l") && isWrappedLibrary(argument.substr(2)))
      taken.push_back(arguments[i]);
    else
      rest.push_back(arguments[i]);
  }
  arguments = std::move(rest);
  return taken;
}

constexpr const char* kHeapNames = "libsymbiosis_heap_names.a"; // beside the other names

// The leak sanitizer wraps functions of libc, too, and is linked before everything else: we do not give way to it.
bool wrapsLibc(std::string_view argument) {
  if (!argument.starts_with("-fsanitize=")) return false;
  return argument.find("leak") != std::string_view::npos;
}

} // namespace

void addRuntime(const Toolchain& toolchain, std::vector<std::string>& arguments) {
  const std::vector<std::string> wrapped = takeWrappedLibraries(arguments);
  const bool insists = std::any_of(arguments.begin(), arguments.end(), wrapsLibc);
  auto add = [&](std::initializer_list<std::string> more) { arguments.insert(arguments.end(), more); };
  add({"-Wl,-mllvm,-sink-common-insts=false"}); // as in the compiler
  add({"-fuse-ld=lld", "-Wl,--load-pass-plugin=" + toolchain.plugin.string(), "-x", "none", "-Wl,--whole-archive",
       toolchain.runtime.string()});
  if (insists) add({toolchain.names.string()});
  add({"-Wl,--no-whole-archive"});
  // Beside a sanitizer blocks are the sanitizer's: nothing is held back, and what libraries allocate is not seen.
  if (!insists) add({toolchain.names.string(), (toolchain.names.parent_path() / kHeapNames).string()});
  add({toolchain.library.string(), "-pthread"});
  arguments.insert(arguments.end(), wrapped.begin(), wrapped.end());
  // So that libraries that the program loads itself find them here, too.
  for (const char* name : {"pthread_*", "sem_*", "mtx_*", "cnd_*", "thrd_*", "call_once", "__cxa_guard_*",
                           "sched_yield", "usleep", "nanosleep"})
    add({std::string("-Wl,--export-dynamic-symbol=") + name});
}

} // namespace symbiosis
