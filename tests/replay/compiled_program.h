#pragma once
// Builds programs of tests/programs with the `symbiosis` of this build, once per test process.
#include "replay/launch.h"
#include "support/files.h"
#include "tests/support/program_text.h"
#include "tests/support/temporary_directory.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace symbiosis::testing {

inline std::filesystem::path compiledProgram(const std::string& source) {
  static const TemporaryDirectory directory;
  static std::map<std::string, std::filesystem::path> known;
  std::filesystem::path& program = known[source];
  if (!program.empty()) return program;
  const std::filesystem::path from = std::filesystem::path(SYMBIOSIS_SOURCE) / "tests/programs" / source;
  program = directory.path() / from.stem();
  LaunchOptions compiler;
  compiler.program = SYMBIOSIS_BINARY;
  compiler.arguments = {
      from.extension() == ".c" ? "cc" : "c++", "-g", "-O1", from.string(), "-o", program.string(), "-pthread"};
  if (Result<std::string> text = readFile(from))
    if (std::optional<std::string> flags = saidIn(*text, "flags")) compiler.arguments.push_back(*flags);
  compiler.timeoutSeconds = 120;
  Result<Ending> ending = launch(compiler);
  EXPECT_TRUE(ending && *ending == Ending{}) << "cannot compile " << from;
  return program;
}

} // namespace symbiosis::testing
