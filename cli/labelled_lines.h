#pragma once
// A label, and text in lines that fit behind it: the form of every summary.
#include <cstddef>
#include <string>

namespace symbiosis {

inline constexpr size_t kLabelColumns = 13;

void say(const char* label, const std::string& text);

// "1 run", "2 runs".
std::string countedWords(size_t count, const char* one, const char* many);

} // namespace symbiosis
