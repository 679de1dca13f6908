#include "viz/palette.h"
#include <fmt/format.h>

namespace symbiosis::palette {

std::string darkRules() {
  std::string rules;
  auto add = [&](const Token& token) {
    rules += fmt::format("[fill=\"{0}\"]{{fill:{1}}}[stroke=\"{0}\"]{{stroke:{1}}}", token.light, token.dark);
  };
  for (const Token& token : {kPage, kPanel, kLane, kCard, kChip, kHairline, kInk, kMuted, kOrder, kGhost, kFail,
                             kFailTint, kPass, kPassTint})
    add(token);
  for (const ThreadColours& thread : kThreads) add(thread.stripe), add(thread.tint);
  return rules;
}

} // namespace symbiosis::palette
