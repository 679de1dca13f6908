#include "profiler/driver/own_options.h"
#include <fmt/format.h>
#include <string_view>

namespace symbiosis {

Result<OwnOptions> takeOwnOptions(std::vector<std::string>& arguments) {
  constexpr std::string_view kExclude = "--exclude", kJoined = "--exclude=";
  OwnOptions options;
  std::vector<std::string> rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    options.help |= argument == "--help" || argument == "-help";
    if (argument == "--every-access")
      options.everyAccess = true;
    else if (argument.starts_with(kJoined))
      options.exclusions.push_back(argument.substr(kJoined.size()));
    else if (argument != kExclude)
      rest.push_back(argument);
    else if (++i < arguments.size())
      options.exclusions.push_back(arguments[i]);
    else
      return badInput("symbiosis cc: --exclude needs a pattern: --exclude 'third_party/*'");
  }
  arguments = std::move(rest);
  return options;
}

std::string ownHelp(const std::string& name) {
  return fmt::format(
      R"(usage: symbiosis {0} [options of symbiosis] [the compiler's own arguments]

clang 19 with what is needed to record the program that is linked; everything that clang takes is handed on.
  symbiosis {0} -g -O1 app.{1} -o app -pthread     or  CC="symbiosis cc" CXX="symbiosis c++" make

Options of symbiosis, for compiling and for linking:
  --exclude PATTERN  Leave sources whose path or name matches, and functions whose name does, as they are: they are
                     seen from outside only. As often as wanted; --exclude 'third_party/*'
  --every-access     Keep each load and store that the source has of memory which other threads may see, also where
                     the optimiser would leave it out or join it with others: finds what otherwise only -O0 shows.
                     The program is slower
  --help             This, then the compiler's options

Options of the compiler:
)",
      name, name == "cc" ? "c" : "cpp");
}

} // namespace symbiosis
