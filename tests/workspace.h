#pragma once
// A directory of its own for a test that runs commands, and the commands' status and output.
#include "support/files.h"
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace symbiosis::testing {

struct CommandResult {
  int status = -1;
  std::string output; // standard output and error
};

class Workspace {
public:
  Workspace() : root_(*makeTemporaryDirectory(std::filesystem::temp_directory_path(), "symbiosis-test-")) {}
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(writeFileAtomically(root_ / name, text));
    return root_ / name;
  }
  std::string read(const std::string& name) const {
    Result<std::string> text = readFile(root_ / name);
    EXPECT_TRUE(text) << name;
    return text ? *text : std::string();
  }

  // Runs a shell command in the workspace, without standard input.
  CommandResult run(const std::string& command) const {
    CommandResult result;
    const std::string line = fmt::format("cd '{}' && ( {} ) 2>&1 < /dev/null", root_.string(), command);
    FILE* pipe = ::popen(line.c_str(), "r");
    if (!pipe) return result;
    std::array<char, 4096> buffer;
    while (size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
      result.output.append(buffer.data(), got);
    const int status = ::pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }
  // Runs `symbiosis ARGUMENTS`.
  CommandResult symbiosis(const std::string& arguments) const {
    return run(fmt::format("'{}' {}", SYMBIOSIS_BINARY, arguments));
  }

private:
  std::filesystem::path root_;
};

// Fails the test with the command's output if its status is not `status`.
#define EXPECT_STATUS(result, expected) EXPECT_EQ((result).status, expected) << (result).output
#define ASSERT_STATUS(result, expected) ASSERT_EQ((result).status, expected) << (result).output

} // namespace symbiosis::testing
