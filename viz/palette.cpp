#include "viz/palette.h"
#include <fmt/format.h>

namespace symbiosis::palette {

template <typename Visit> static void forEachToken(Visit visit) {
  visit("page", kPage), visit("panel", kPanel), visit("lane", kLane), visit("card", kCard), visit("chip", kChip);
  visit("hairline", kHairline), visit("ink", kInk), visit("muted", kMuted), visit("order", kOrder);
  visit("ghost", kGhost), visit("fail", kFail), visit("fail-tint", kFailTint), visit("pass", kPass);
  visit("pass-tint", kPassTint);
  for (size_t i = 0; i < kThreads.size(); ++i)
    visit(fmt::format("thread{}", i), kThreads[i].stripe), visit(fmt::format("tint{}", i), kThreads[i].tint);
}

std::string darkRules() {
  std::string rules;
  forEachToken([&](const std::string&, const Token& token) {
    rules += fmt::format("[fill=\"{0}\"]{{fill:{1}}}[stroke=\"{0}\"]{{stroke:{1}}}", token.light, token.dark);
  });
  return rules;
}

std::string variableRules() {
  std::string light, dark;
  forEachToken([&](const std::string& name, const Token& token) {
    light += fmt::format("--{}:{};", name, token.light);
    dark += fmt::format("--{}:{};", name, token.dark);
  });
  return fmt::format(":root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n", light, dark);
}

} // namespace symbiosis::palette
