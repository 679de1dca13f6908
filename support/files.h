#pragma once
// Whole files in and out, and the content hash by which programs are known.
#include "support/result.h"
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace symbiosis {

Result<std::string> readFile(const std::filesystem::path& path);

// Writes beside `path` and renames, so that a reader never sees half a file; an error leaves what was there.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// Content and permissions, written as writeFileAtomically does.
Result<void> copyFile(const std::filesystem::path& from, const std::filesystem::path& to);

// 32 hex digits (XXH3, 128 bits): tells contents apart, does not defend against an attacker.
std::string contentHash(std::string_view bytes);
Result<std::string> hashFile(const std::filesystem::path& path);

// A fresh directory in `base`: `prefix` and six more characters.
Result<std::filesystem::path> makeTemporaryDirectory(const std::filesystem::path& base, std::string_view prefix);

// Whether a file of that size could be written there now.
Result<void> checkRoom(const std::filesystem::path& directory, uint64_t bytes);

} // namespace symbiosis
