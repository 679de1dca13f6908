#pragma once
// Runs one program to its end, or to a time-out; nothing of it is left behind.
#include "support/result.h"
#include "trace/recording.h"
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace symbiosis {

struct LaunchOptions {
  std::filesystem::path program;      // a name without a slash is looked up in PATH
  std::vector<std::string> arguments; // without the program itself
  // Added to the caller's environment, or put in the place of a variable of the same name.
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<std::string> standardInput; // its contents; nothing: /dev/null
  double timeoutSeconds = 0;                // 0: none
  bool quiet = false;                       // standard output and error go to /dev/null
  // Where they go instead, if not empty; an existing file is replaced.
  std::filesystem::path outputFile, errorFile;
  std::string argumentZero;               // empty: `program`
  std::filesystem::path workingDirectory; // empty: the caller's
  bool fixedAddresses = false;            // no address space randomisation, where that is permitted
  // The caller's standard input, and the keys that stop or end a program: for one that talks with the user.
  bool sharesTerminal = false;
  // Asked again and again while the program runs: true ends it, as a time-out does.
  std::function<bool(int processId)> isStuck;
};

// While one lives, the first SIGINT, SIGTERM or SIGHUP does not end us: it ends what we have started, and is
// remembered, so that what was found so far can be told. The second is as usual.
class InterruptWatch {
public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  ~InterruptWatch();
  // Since the first of those that live.
  static bool wasInterrupted();
};

// How it ended. On a time-out its whole process group is killed. An error says that it could not be started.
Result<Ending> launch(const LaunchOptions& options);

} // namespace symbiosis
