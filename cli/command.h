#pragma once
// The room `cli`: the command line, one <verb>_command.cpp each. It promises the verbs, options and exit codes of
// docs/architecture.md; everything else is asked of the other rooms.
#include "support/result.h"
#include "trace/format.h"
#include "trace/source_files.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace symbiosis {

// 0 done; 1 nothing found or not reproduced; 2 bad usage or input; 3 gave up or incomplete; 70 a bug of ours.
int exitCodeOf(ErrorKind kind);

// Each adds its verb to the command line; the verb's exit code goes to `exitCode` when it is chosen.
void addProfileCommand(CLI::App& app, int& exitCode);
void addDiagnoseCommand(CLI::App& app, int& exitCode);
void addDumpCommand(CLI::App& app, int& exitCode);
void addReplayCommand(CLI::App& app, int& exitCode);
void addSimplifyCommand(CLI::App& app, int& exitCode);
void addIsolateCommand(CLI::App& app, int& exitCode);
void addMergeCommand(CLI::App& app, int& exitCode);
void addBreakpointsCommand(CLI::App& app, int& exitCode);
void addPredictCommand(CLI::App& app, int& exitCode);
void addProveCommand(CLI::App& app, int& exitCode);
void addViewCommand(CLI::App& app, int& exitCode);

// Of `--record` and `--level`, whose values are checked before.
format::Level levelNamed(const std::string& name);
// Prints the error and returns its exit code.
int report(const Error& error);
// One line, if the recording has no source lines to cite.
void hintAtDebugInformation(const SourceFiles& sources);

} // namespace symbiosis
