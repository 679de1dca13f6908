#pragma once
// A fresh directory that goes, with all that is in it, when its owner goes.
#include "support/files.h"
#include <utility>

namespace symbiosis {

class OwnedDirectory {
public:
  // In `base`: `prefix` and six more characters.
  static Result<OwnedDirectory> make(const std::filesystem::path& base, std::string_view prefix) {
    Result<std::filesystem::path> made = makeTemporaryDirectory(base, prefix);
    if (!made) return made.error();
    return OwnedDirectory(std::move(*made));
  }
  OwnedDirectory(OwnedDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  OwnedDirectory(const OwnedDirectory&) = delete;
  ~OwnedDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

private:
  explicit OwnedDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

} // namespace symbiosis
