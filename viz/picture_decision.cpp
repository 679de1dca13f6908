// The decision as the picture shows it: what was asked, what each run saw, and where it went on.
#include "dsp/wording.h"
#include "viz/picture_parts.h"
#include "viz/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace {

constexpr size_t kLongestName = 24, kLongestWay = 16, kLongestThread = 12;

// "1 -> yes" with the arrow of the picture.
std::string withArrow(const std::string& outcome) {
  const size_t at = outcome.find(" -> ");
  if (at == std::string::npos) return shortenMiddle(outcome, kLongestWay);
  return fmt::format("{} → {}", shortenMiddle(outcome.substr(0, at), 10),
                     shortenMiddle(outcome.substr(at + 4), kLongestWay));
}

// Where the thread goes on behind the event; empty: it does not, or nobody knows.
std::string nextPlace(const PictureParts& parts, size_t side, EventRef decision, uint32_t location) {
  const SymbolicTrace& trace = parts.trace;
  auto lineAt = [&](uint32_t at) { return at == kNone ? 0 : trace.locations[at].line; };
  const EventOrder& order = parts.runs[side].order();
  for (size_t i = parts.runs[side].position(decision) + 1; i < order.size(); ++i) {
    const Event& event = trace.event(order[i]);
    if (event.id.thread != trace.threadOf(decision) || event.synthetic || event.kind == EventKind::exit ||
        lineAt(event.location) == 0)
      continue;
    const uint32_t line = lineAt(event.location);
    if (line == lineAt(trace.event(decision).location) || line == lineAt(location)) continue;
    return printable(placeOf(trace, event.location, parts.file));
  }
  return "";
}

// Whether no other block of its lane stands between the row and it.
bool isFirstBehind(const Picture& picture, const Block& block, size_t row) {
  return std::none_of(picture.blocks.begin(), picture.blocks.end(), [&](const Block& other) {
    return other.lane == block.lane && row < other.firstRow && other.firstRow < block.firstRow;
  });
}

} // namespace

void addDecision(PictureParts& parts) {
  const EventRef event = parts.decision();
  if (parts.diagnosis.otherPath && parts.diagnosis.otherPath->contrast.turnedRuns > 0)
    parts.picture.contrast = parts.diagnosis.otherPath->contrast;
  const auto row = event == kNoEvent ? std::nullopt : parts.rowOf(event, kFailing);
  if (!row || row != parts.rowOf(event, kAlternate)) return;
  const OtherPath& path = *parts.diagnosis.otherPath;
  const Card& card = parts.picture.cards[parts.cardOf.at(event)];
  const std::string who = shortenMiddle(card.who, kLongestThread);
  PictureDecision decision;
  decision.row = *row;
  decision.isDecisive = path.isDecisive;
  decision.condition = tidied(printable(path.decision.condition));
  for (size_t side : {kFailing, kAlternate}) {
    const std::string said = tidied(printable(side == kFailing ? path.decision.failing : path.decision.alternate));
    const size_t arrow = said.find(" -> ");
    decision.outcome[side] = withArrow(said);
    decision.way[side] =
        arrow == std::string::npos ? decision.outcome[side] : shortenMiddle(said.substr(arrow + 4), kLongestWay);
    decision.seen[side] = card.value[side].empty() || card.hasWords
                              ? fmt::format("{}: {}", who, decision.outcome[side])
                              : fmt::format("{} sees {} = {}", who, shortenMiddle(card.variable, kLongestName),
                                            shortenMiddle(card.value[side], kLongestName));
    const std::string next = nextPlace(parts, side, event, path.decision.location);
    decision.next[side] = next.empty() ? "" : "and goes on at " + shortenMiddle(next, kLongestName);
  }
  // Down to what only one of them does; else "yes" is the order of the source.
  decision.goesDown[kFailing] = decision.way[kFailing] != "no";
  for (const Block& block : parts.picture.blocks)
    if (block.lane == card.lane && block.firstRow > *row && isFirstBehind(parts.picture, block, *row))
      decision.goesDown[kFailing] = block.side == kFailing;
  decision.goesDown[kAlternate] = !decision.goesDown[kFailing];
  parts.picture.decision = decision;
}

} // namespace symbiosis
