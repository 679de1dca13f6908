#pragma once
// The colours of the picture. Each token has a hex value of its own in the light theme, because the dark
// theme is made by selecting on that value in the finished SVG. Contrast is at least 4.5 in both.
#include <array>
#include <cstddef>
#include <string>

namespace symbiosis::palette {

struct Token {
  const char* light;
  const char* dark;
};

inline constexpr Token kPage{"#ffffff", "#121518"}; // also the text on a panel's title
inline constexpr Token kPanel{"#f6f7f9", "#1a1e23"};
inline constexpr Token kLane{"#ebeef2", "#22272d"};
inline constexpr Token kCard{"#fffffe", "#0f1215"};
inline constexpr Token kChip{"#fffffd", "#101316"};
inline constexpr Token kHairline{"#c4cbd4", "#3b434d"};
inline constexpr Token kInk{"#15181c", "#e9ecf0"};
inline constexpr Token kMuted{"#596270", "#a2acb8"};
inline constexpr Token kOrder{"#3a3f46", "#d4d9df"}; // atomic region and order-only arrows
inline constexpr Token kGhost{"#8a929d", "#78828e"};
inline constexpr Token kFail{"#b8330f", "#ff8a66"};
inline constexpr Token kFailTint{"#fde9e1", "#3a1c13"};
inline constexpr Token kPass{"#006e5a", "#4fd1ae"};
inline constexpr Token kPassTint{"#dff3ec", "#0f332a"};

struct ThreadColours {
  Token stripe, tint;
};
// A thread is known by its column and name first; the colours repeat after the eighth.
inline constexpr std::array<ThreadColours, 8> kThreads{{
    {{"#59636f", "#a9b4c0"}, {"#e4e7eb", "#2a3036"}},
    {{"#0067a8", "#6cb8f0"}, {"#dcebf7", "#16303f"}},
    {{"#8a5a00", "#e3ac4a"}, {"#f7ebd3", "#3a2d12"}},
    {{"#8818d8", "#c08cf5"}, {"#f1e6fb", "#231433"}},
    {{"#b0145f", "#f58ab8"}, {"#fbe4ee", "#3a1226"}},
    {{"#3a41b5", "#9aa2ff"}, {"#e6e8fa", "#1b1e45"}},
    {{"#5c6600", "#b9c75a"}, {"#eff2d6", "#2a2e10"}},
    {{"#6d4534", "#d0a690"}, {"#f3e8e2", "#33211a"}},
}};
inline constexpr ThreadColours kOthers{kMuted, kLane};
inline const ThreadColours& ofThread(size_t thread) { return kThreads[thread % kThreads.size()]; }

// CSS that turns the light theme into the dark one.
std::string darkRules();
// CSS that names every colour, light and dark: --ink, --fail, --thread0, --tint0 …
std::string variableRules();

} // namespace symbiosis::palette
