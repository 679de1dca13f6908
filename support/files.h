#pragma once
// Whole files in and out, and the content hash by which programs are known.
#include "support/result.h"
#include <filesystem>
#include <string>
#include <string_view>

namespace symbiosis {

Result<std::string> readFile(const std::filesystem::path& path);

// Writes beside `path` and renames, so that a reader never sees half a file; an error leaves what was there.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// 32 hex digits (XXH3, 128 bits): tells contents apart, does not defend against an attacker.
std::string contentHash(std::string_view bytes);
Result<std::string> hashFile(const std::filesystem::path& path);

// A fresh directory in `base`: `prefix` and six more characters.
Result<std::filesystem::path> makeTemporaryDirectory(const std::filesystem::path& base, std::string_view prefix);

} // namespace symbiosis
