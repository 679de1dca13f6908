#include "viz/panel_geometry.h"
#include "dsp/wording.h"
#include "viz/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace {

constexpr double kNumberColumn = 27, kLaneGap = 14, kSlot = 8, kCardInset = 5, kRightEdge = 9;
constexpr double kKeyRow = 46, kContextRow = 28, kFoldRow = 24, kRegionHead = 13;
constexpr double kNarrowestLane = 92; // "↓ runs later" and "✓ PASSES" fit
constexpr double kVerdictWidth = 96, kChipHeight = 16;
constexpr double kDecisionRow = 110, kExitRoom = 20, kSideRoom = 30, kDecisionCard = 25, kDiamondAt = 78;
constexpr double kDiamondWidth = 126, kDiamondHeight = 46;
constexpr double kTitleLine = 20, kFoldLine = 17;
constexpr size_t kLongestCode = 36, kLongestName = 20, kLongestValue = 18;

double cardWidth(const Card& card) {
  double width = 0;
  for (size_t side : {kFailing, kAlternate}) {
    const CardText text = cardText(card, side);
    const std::string line = text.place.empty() ? text.code : text.place + " " + text.code;
    if (card.isKey) {
      const double words = textWidth(text.words, Font::sansBold, 10), lock = textWidth(text.lock, Font::sans, 8);
      width = std::max({width, textWidth(line, Font::mono, 10), words + lock + 14});
    } else {
      width = std::max(width, textWidth(line, Font::mono, 9) + 14 + textWidth(text.words, Font::sans, 9));
    }
  }
  return width * 1.02 + 24; // stripe, margins, and what a substitute font may need
}

double captionWidth(const PictureDecision& decision) {
  double width = textWidth(decision.caption(), Font::sansBold, 12);
  for (size_t side : {kFailing, kAlternate})
    width = std::max({width, textWidth(decision.seen[side], Font::sansBold, 9.5),
                      textWidth(decision.next[side], Font::sans, 9)});
  return width;
}

double chipWidth(const std::string& chip) { return textWidth(chip, Font::mono, 10) + 12; }

} // namespace

CardText cardText(const Card& card, size_t side) {
  CardText text;
  text.place = shortenMiddle(card.place, 18);
  if (card.isOther) text.place = shortenMiddle(card.who, 8) + (text.place.empty() ? "" : " " + text.place);
  text.code = shortenMiddle(card.code, kLongestCode);
  Card brief = card;
  brief.value[side] = shortenMiddle(card.value[side], card.hasWords ? kLongestCode : kLongestValue);
  text.words = card.isKey ? brief.words(side) : brief.shortWords(side);
  if (card.isAfterEnd && side == kFailing) text.words = "run had ended";
  if (card.kind == EventKind::failure) text.words = side == kFailing ? "check fails" : "check holds";
  if (card.isKey && !card.lock.empty()) text.lock = "[" + card.lock + "]";
  return text;
}

PanelGeometry::PanelGeometry(const Picture& picture) : picture_(picture) {
  makeRoutes();
  makeSlots();
  chooseCaptionLane();
  makeLanes();
  makeRows();
  placeVerdicts();
  placeCaption();
}

void PanelGeometry::makeRoutes() {
  const size_t lanes = picture_.lanes.size();
  for (size_t side : {kFailing, kAlternate})
    for (const Arrow& arrow : picture_.arrows[side]) {
      ArrowRoute route;
      const size_t a = picture_.cards[arrow.fromRow ? arrow.fromCard : arrow.toCard].lane;
      const size_t b = picture_.cards[arrow.toRow ? arrow.toCard : arrow.fromCard].lane;
      // Within one lane the arrow bends out on the side where there is another lane.
      const bool bendsRight = b + 1 < lanes || b == 0;
      route.entersRight = a == b ? bendsRight : a > b;
      route.leavesRight = a == b ? bendsRight : a < b;
      route.channel = route.entersRight ? b + 1 : b;
      route.chipToRight = a == b ? bendsRight : a < b;
      const std::string name = shortenMiddle(arrow.variable, kLongestName),
                        value = shortenMiddle(arrow.value, kLongestValue);
      if (arrow.kind == ArrowKind::dataflow)
        route.chip = !arrow.fromRow ? fmt::format("{} = {} (initial)", name, value)
                     : !arrow.toRow ? fmt::format("{} ends as {}", name, value)
                                    : fmt::format("{} = {}", name, value);
      hasInitial_ |= !arrow.fromRow;
      hasFinal_ |= !arrow.toRow;
      routes_[side].push_back(std::move(route));
    }
}

// Arrows in one channel that pass the same row get slots of their own.
void PanelGeometry::makeSlots() {
  channelWidth_.assign(picture_.lanes.size() + 1, kLaneGap);
  channelWidth_.front() = 0;
  bool isLastUsed = false;
  for (size_t side : {kFailing, kAlternate}) {
    std::vector<std::vector<size_t>> busyUntil(picture_.lanes.size() + 1); // by channel and slot: first free row
    std::vector<size_t> byStart(routes_[side].size());
    for (size_t i = 0; i < byStart.size(); ++i) byStart[i] = i;
    auto start = [&](size_t i) { return picture_.arrows[side][i].fromRow.value_or(0); };
    std::stable_sort(byStart.begin(), byStart.end(), [&](size_t a, size_t b) { return start(a) < start(b); });
    for (size_t i : byStart) {
      ArrowRoute& route = routes_[side][i];
      std::vector<size_t>& slots = busyUntil[route.channel];
      auto free = std::find_if(slots.begin(), slots.end(), [&](size_t row) { return row <= start(i); });
      route.slot = size_t(free - slots.begin());
      if (free == slots.end()) slots.push_back(0);
      slots[route.slot] = picture_.arrows[side][i].toRow.value_or(picture_.rows.size()) + 1;
      channelWidth_[route.channel] = std::max(channelWidth_[route.channel], kLaneGap + kSlot * double(route.slot));
      isLastUsed |= route.channel == picture_.lanes.size();
    }
  }
  if (!isLastUsed) channelWidth_.back() = 0;
}

// The lane over which the chip lies; lanes.size(): beside the last.
size_t PanelGeometry::chipLane(size_t side, size_t arrow) const {
  const ArrowRoute& route = routes_[side][arrow];
  return route.chipToRight ? route.channel : route.channel - 1;
}

void PanelGeometry::makeLanes() {
  const size_t lanes = picture_.lanes.size();
  laneWidth_.assign(lanes, kNarrowestLane);
  double beside = 0; // room to the right of the last lane
  for (size_t lane = 0; lane < lanes; ++lane)
    laneWidth_[lane] = std::max(laneWidth_[lane], textWidth(picture_.laneNames[lane], Font::sansBold, 10.5) + 16);
  for (const Card& card : picture_.cards)
    laneWidth_[card.lane] = std::max(laneWidth_[card.lane],
                                     cardWidth(card) + 2 * kCardInset + (isDeciding(card.lane) ? kSideRoom : 0));
  makeRoomForBlocks();
  if (picture_.decision) {
    double& room = captionLane_ ? laneWidth_[*captionLane_] : beside;
    room = std::max(room, captionWidth(*picture_.decision) + 8);
  }
  for (size_t side : {kFailing, kAlternate})
    for (size_t i = 0; i < routes_[side].size(); ++i) {
      if (routes_[side][i].chip.empty()) continue;
      const size_t lane = chipLane(side, i);
      double& room = lane < lanes ? laneWidth_[lane] : beside;
      room = std::max(room, chipWidth(routes_[side][i].chip) + 4);
    }
  if (lanes == 1) beside = std::max(beside, kVerdictWidth);
  for (const Row& row : picture_.rows)
    if (row.isFold())
      laneWidth_[0] = std::max(laneWidth_[0], textWidth("⋯ " + foldWords(row), Font::sans, 9) + 12);

  auto total = [&] {
    double sum = kNumberColumn + beside + kRightEdge;
    for (double width : laneWidth_) sum += width;
    for (double width : channelWidth_) sum += width;
    return sum;
  };
  // The title and the verdict in it need room too.
  for (size_t side : {kFailing, kAlternate}) {
    const double title = textWidth("✓  " + picture_.title(kAlternate), Font::sansBold, 12.5) +
                         textWidth(picture_.verdict[side], Font::sans, 10.5) + 44;
    const double missing = title - total();
    for (double& width : laneWidth_)
      if (missing > 0) width += missing / double(lanes);
  }
  double x = kNumberColumn;
  for (size_t lane = 0; lane < lanes; ++lane) {
    x += channelWidth_[lane];
    laneLeft_.push_back(x);
    x += laneWidth_[lane];
  }
  width_ = x + channelWidth_.back() + beside + kRightEdge;
}

void PanelGeometry::makeRows() {
  double y = bodyTop_ + (hasInitial_ ? 24 : 6);
  for (size_t i = 0; i < picture_.rows.size(); ++i) {
    const Row& row = picture_.rows[i];
    const auto& region = picture_.region;
    if (region && (region->firstRow[kFailing] == i || region->firstRow[kAlternate] == i)) y += kRegionHead;
    rowTop_.push_back(y);
    const bool isDecision = picture_.decision && picture_.decision->row == i;
    rowHeight_.push_back(isDecision                   ? kDecisionRow
                         : row.isTitle()              ? kTitleLine
                         : row.isLine()               ? kFoldLine
                         : row.isFold()               ? kFoldRow
                         : picture_.cardOf(row).isKey ? kKeyRow
                                                      : kContextRow);
    y += rowHeight_.back() + (isDecision ? kExitRoom : 0);
  }
  bodyHeight_ = y + (hasFinal_ ? 28 : 8) - bodyTop_;
}

// Whether arrows that leave the card of a row pass a lane, or have their chip there.
bool PanelGeometry::isPassed(size_t side, size_t row, size_t lane) const {
  const size_t own = picture_.cardOf(picture_.rows[row]).lane;
  for (size_t i = 0; i < routes_[side].size(); ++i) {
    const ArrowRoute& route = routes_[side][i];
    if (picture_.arrows[side][i].fromRow != row) continue;
    // From its own lane to the channel.
    const bool passes =
        route.leavesRight ? own < lane && lane < route.channel : route.channel <= lane && lane < own;
    if (passes || (!route.chip.empty() && chipLane(side, i) == lane)) return true;
  }
  return false;
}

// Any lane will do that the failing row's own arrows do not pass or label.
void PanelGeometry::placeVerdicts() {
  if (picture_.rows.empty()) return;
  const size_t lanes = picture_.lanes.size(), own = picture_.cardOf(picture_.rows[picture_.failureRow]).lane;
  for (size_t side : {kFailing, kAlternate}) {
    const Rect row = this->row(picture_.failureRow);
    verdict_[side] = {};
    if (lanes == 1) verdict_[side] = {width_ - kRightEdge - kVerdictWidth, row.y, kVerdictWidth, row.height};
    for (size_t lane = 0; lane < lanes; ++lane) {
      if (lane == own || isPassed(side, picture_.failureRow, lane) || verdict_[side].width > 0) continue;
      verdict_[side] = {laneLeft_[lane], row.y, laneWidth_[lane], row.height};
    }
  }
}

// In the lane nearest to the diamond that is free in both panels.
void PanelGeometry::chooseCaptionLane() {
  if (!picture_.decision) return;
  const size_t row = picture_.decision->row, own = picture_.cardOf(picture_.rows[row]).lane;
  for (size_t away = 1; away < picture_.lanes.size() && !captionLane_; ++away)
    for (size_t lane : {own - away, own + away})
      if (!captionLane_ && lane < picture_.lanes.size() && !isPassed(kFailing, row, lane) &&
          !isPassed(kAlternate, row, lane))
        captionLane_ = lane;
}
void PanelGeometry::placeCaption() {
  if (!picture_.decision) return;
  const Rect row = this->row(picture_.decision->row);
  const double width = captionWidth(*picture_.decision) + 8;
  caption_ = captionLane_ ? Rect{laneLeft_[*captionLane_], row.y, laneWidth_[*captionLane_], row.height}
                          : Rect{width_ - kRightEdge - width, row.y, width, row.height};
}

bool PanelGeometry::isDeciding(size_t lane) const {
  return picture_.decision && picture_.cardOf(picture_.rows[picture_.decision->row]).lane == lane;
}
double PanelGeometry::cardWidthIn(size_t lane) const {
  return laneWidth_[lane] - 2 * kCardInset - (isDeciding(lane) ? kSideRoom : 0);
}

// Its title, its lines, and what the other panel says instead.
void PanelGeometry::makeRoomForBlocks() {
  auto need = [&](size_t lane, double width) { laneWidth_[lane] += std::max(0.0, width - cardWidthIn(lane)); };
  for (const Block& block : picture_.blocks) {
    need(block.lane, textWidth(block.title(), Font::sansBold, 9) + 12);
    need(block.lane, textWidth(kAbsentWords, Font::sansBold, 9.5) + 12);
    need(block.lane, textWidth(block.absent(), Font::sans, 9) + 16);
  }
  for (const Row& row : picture_.rows)
    if (row.isLine()) need(picture_.blocks[*row.block].lane, textWidth(row.note, Font::sans, 9) + 16);
}

Rect PanelGeometry::block(const Block& block) const {
  const double top = rowTop_[block.firstRow] + 3, bottom = rowTop_[block.lastRow] + rowHeight_[block.lastRow] - 1;
  return {laneLeft_[block.lane] + kCardInset - 2, top, cardWidthIn(block.lane) + 4, bottom - top};
}

Rect PanelGeometry::diamond() const {
  const Rect card = this->card(picture_.decision->row);
  const double wish = textWidth(picture_.decision->condition, Font::mono, 10) / 0.6;
  const double width = std::min(std::max(kDiamondWidth, wish), card.width);
  return {card.centre().x - width / 2, rowTop_[picture_.decision->row] + kDiamondAt - kDiamondHeight / 2, width,
          kDiamondHeight};
}
double PanelGeometry::sideExitX() const {
  const size_t lane = picture_.cardOf(picture_.rows[picture_.decision->row]).lane;
  return laneLeft_[lane] + laneWidth_[lane] - 14;
}

Rect PanelGeometry::card(size_t row) const {
  const Card& card = picture_.cardOf(picture_.rows[row]);
  const double height = card.isKey ? 37 : 22;
  const bool isDecision = picture_.decision && picture_.decision->row == row;
  const double middle = rowTop_[row] + (isDecision ? kDecisionCard : rowHeight_[row] / 2);
  return {laneLeft_[card.lane] + kCardInset, middle - height / 2, cardWidthIn(card.lane), height};
}

Rect PanelGeometry::ghost(const Ghost& ghost) const {
  const double top = rowTop_[ghost.firstRow] + 5, bottom = rowTop_[ghost.lastRow] + rowHeight_[ghost.lastRow] - 5;
  return {laneLeft_[ghost.lane] + kCardInset, top, cardWidthIn(ghost.lane), bottom - top};
}

Rect PanelGeometry::region(const PictureRegion& region, size_t side) const {
  const double top = rowTop_[region.firstRow[side]] - 5;
  const double bottom = rowTop_[region.lastRow[side]] + rowHeight_[region.lastRow[side]] - 0.5;
  return {laneLeft_[region.lane] - 1, top, laneWidth_[region.lane] + 2, bottom - top};
}

double PanelGeometry::channelX(const ArrowRoute& route) const {
  const double left = route.channel == laneLeft_.size() ? laneLeft_.back() + laneWidth_.back()
                                                        : laneLeft_[route.channel] - channelWidth_[route.channel];
  return left + kLaneGap / 2 + kSlot * double(route.slot);
}

Rect PanelGeometry::chip(const Picture& picture, size_t side, size_t i) const {
  const Arrow& arrow = picture.arrows[side][i];
  const ArrowRoute& route = routes_[side][i];
  const double width = chipWidth(route.chip), x = channelX(route);
  const double y = !arrow.fromRow ? initialY() : !arrow.toRow ? finalY() : card(*arrow.fromRow).centre().y;
  const double left = route.chipToRight ? x - 5 : x + 5 - width;
  return {std::clamp(left, 2.0, std::max(2.0, width_ - width - 2)), y - kChipHeight / 2, width, kChipHeight};
}

// Dataflows use the middle of a card's side, and their chips lie there; order-only arrows enter above, leave
// below.
static double aside(const Arrow& arrow, const Rect& card) {
  return arrow.kind == ArrowKind::order ? card.height * 0.3 : 0;
}

std::vector<Point> PanelGeometry::path(const Picture& picture, size_t side, size_t i) const {
  const Arrow& arrow = picture.arrows[side][i];
  const ArrowRoute& route = routes_[side][i];
  const double x = channelX(route);
  std::vector<Point> points;
  if (arrow.fromRow) {
    const Rect from = card(*arrow.fromRow);
    const double y = from.centre().y + aside(arrow, from);
    points.push_back({route.leavesRight ? from.right() : from.x, y});
    points.push_back({x, y});
  } else {
    points.push_back({x, initialY()});
  }
  if (arrow.toRow) {
    const Rect to = card(*arrow.toRow);
    const double y = to.centre().y - aside(arrow, to);
    points.push_back({x, y});
    points.push_back({route.entersRight ? to.right() : to.x, y});
  } else {
    points.push_back({x, finalY() - kChipHeight / 2});
  }
  return points;
}

} // namespace symbiosis
