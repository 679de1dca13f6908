#pragma once
// A command of the user's that says whether a run has passed: what the run printed is its standard input, how it
// ended stands in SYMBIOSIS_ENDING ("exited with status 0", as in reports) and, of one that exited, the status in
// SYMBIOSIS_STATUS. It exits with 0 if the run passed, with 1 if it failed as it should, with anything else up to
// 125 if it cannot say.
#include "search/delta_debugging.h"
#include "trace/recording.h"

namespace symbiosis {

// Error: the command cannot be run, crashed or took too long.
Result<TestOutcome> askOracle(const std::string& command, const Ending& ending, const std::string& output);

} // namespace symbiosis
