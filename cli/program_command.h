#pragma once
// A program and its arguments on our own command line: from its name on everything is the program's, byte for
// byte. CLI11 would take `[a,b]` for a list and a second `--` for its own.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace symbiosis {

// The verb takes a command, behind its own options.
void addProgramCommand(CLI::App& verb, std::vector<std::string>& command);

// Our arguments (without our own name) in a form that CLI11 hands on unchanged; for every verb that takes a
// command.
std::vector<std::string> protectProgramCommand(const CLI::App& app, std::vector<std::string> words);

} // namespace symbiosis
