#pragma once
// Functions of libc that read a text and make something of it that is no text. The pass makes such a call a read
// of the text (profiler/pass/text_looks.h), and the walk fixes what was read where the result is used.
#include <optional>
#include <string_view>

namespace symbiosis {

// Of longer texts the rest is not looked at, nor what lies in another page than the first byte: a number that is
// read from a mapped file need not end with a zero.
inline constexpr unsigned kMostTextRead = 64;

// The number of the argument that is the text.
inline std::optional<unsigned> textReadBy(std::string_view name) {
  constexpr std::string_view first[] = {"atoi",
                                        "atol",
                                        "atoll",
                                        "atof",
                                        "strtol",
                                        "strtoll",
                                        "strtoul",
                                        "strtoull",
                                        "strtod",
                                        "strtof",
                                        "strtold",
                                        "strtoimax",
                                        "strtoumax",
                                        "sscanf",
                                        "__isoc99_sscanf",
                                        "__isoc23_strtol",
                                        "__isoc23_strtoll",
                                        "__isoc23_strtoul",
                                        "strspn",
                                        "strcspn",
                                        "strstr",
                                        "__isoc23_strtoull",
                                        "strrchr",
                                        "strpbrk",
                                        "puts",
                                        "fputs"};
  for (std::string_view known : first)
    if (name == known) return 0;
  return std::nullopt;
}

} // namespace symbiosis
