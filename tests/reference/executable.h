#pragma once
// A tiny program, run by the executable `tiny_runner` under control.
#include "replay/explore.h"
#include "replay/guest_strategies.h"
#include "tests/reference/interpreter.h"
#include "tests/support/temporary_directory.h"

namespace symbiosis::reference {

class TinyExecutable {
public:
  explicit TinyExecutable(const std::string& text); // of a program without errors

  // What to launch: `tiny_runner` with the program in a file that lives as long as this.
  LaunchOptions launchOptions() const;
  // … with runs that decide which final state they have come to.
  LaunchOptions decidingStates() const;

  struct Run {
    Outcome outcome;
    ControlReport report;
  };
  // Run `number`, from 1, of an exploration with this seed. Error: it could not be run, or came to no end of its
  // own.
  Result<Run> explore(uint64_t number, uint64_t seed, const Strategies& strategies = blindStrategies()) const;
  // Along the interpreter's steps. Error: the same, or the executable does something else on the way.
  Result<Run> follow(const Steps& steps);

private:
  Result<Run> run(const ControlledRun& how) const;
  // What main does until it has created all threads.
  Result<std::vector<format::ControlEntry>> findBeginning() const;

  TinyProgram program_;
  std::vector<format::ControlEntry> beginning_; // empty: not known yet
  testing::TemporaryDirectory directory_;
};

// In the interpreter's words; `output`: what the run printed.
Outcome outcomeOf(const ControlReport& report, const std::string& output);

} // namespace symbiosis::reference
