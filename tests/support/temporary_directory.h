#pragma once
// A fresh directory that disappears with its owner.
#include "support/files.h"
#include <filesystem>

namespace symbiosis::testing {

class TemporaryDirectory {
public:
  TemporaryDirectory()
      : path_(*makeTemporaryDirectory(std::filesystem::temp_directory_path(), "symbiosis-test-")) {}
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace symbiosis::testing
