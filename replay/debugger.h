#pragma once
// A controlled run inside gdb. The program is the same, and so are its schedule and its addresses; gdb stops it
// where it fails, and `run` or `start` begin the same run again.
#include "replay/launch.h"

namespace symbiosis {

struct Debugger {
  std::filesystem::path commands; // gdb does these after it has stopped, and leaves; empty: it asks the user
  bool stopsAtExit = false;       // the failure is an exit status, so the end of the process is where it shows
};

// What to launch in the place of `program`, with files of its own in the directory `session`. There is neither a
// time-out nor a watcher: a program that stands still is being looked at.
Result<LaunchOptions> underDebugger(const LaunchOptions& program, const Debugger& debugger,
                                    const std::filesystem::path& session);

} // namespace symbiosis
