#pragma once
// Where everything of the picture stands: rows, lanes, and the channels between lanes in which arrows run
// down. Both panels have the same geometry; the alternate's is shifted to the right.
//
// An arrow leaves its card sideways, along its own row, turns into the channel beside the lane it points at,
// and enters there. A panel has one event per row and none in a channel, so that no arrow crosses another
// event's card.
#include "viz/drawing.h"
#include "viz/picture.h"
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

struct ArrowRoute {
  size_t channel = 0; // left of this lane; lanes.size(): right of the last
  size_t slot = 0;
  bool leavesRight = true, entersRight = false; // the sides of the two cards
  std::string chip;                             // empty: none
  bool chipToRight = true;                      // of the channel
};

// The card of an event, as it will be drawn: long text is shortened in the middle.
struct CardText {
  std::string place, code, words, lock; // words: "reads 0", or "R 0" in a context row
};
CardText cardText(const Card& card, size_t side);

// What a panel says of events that its run does not have.
inline constexpr std::string_view kAbsentWords = "does not happen here";

class PanelGeometry {
public:
  explicit PanelGeometry(const Picture& picture);

  double width() const { return width_; }
  double height() const { return bodyTop_ + bodyHeight_; }
  double gutter() const { return picture_.decision ? 110 : 102; }

  // All relative to the panel's top left corner.
  Rect title() const { return {0, 0, width_, 28}; }
  Rect lane(size_t lane) const { return {laneLeft_[lane], 32, laneWidth_[lane], height() - 36}; }
  Rect laneHeader(size_t lane) const { return {laneLeft_[lane], 32, laneWidth_[lane], 22}; }
  Rect row(size_t row) const { return {1, rowTop_[row], width_ - 2, rowHeight(row)}; }
  Rect card(size_t row) const;
  Rect ghost(const Ghost& ghost) const;
  // What only one run does, in both panels.
  Rect block(const Block& block) const;
  // The decision: its diamond, the words beside it, and where the exit at its side goes down.
  Rect diamond() const;
  Rect caption() const { return caption_; }
  double sideExitX() const;
  Rect region(const PictureRegion& region, size_t side) const;
  double channelX(const ArrowRoute& route) const;
  double initialY() const { return bodyTop_ + 10; }             // of the chips of initial values
  double finalY() const { return bodyTop_ + bodyHeight_ - 14; } // of the chips of final values

  const ArrowRoute& route(size_t side, size_t arrow) const { return routes_[side][arrow]; }
  Rect chip(const Picture& picture, size_t side, size_t arrow) const;
  std::vector<Point> path(const Picture& picture, size_t side, size_t arrow) const;
  // Where "FAILS" finds room in the failing row.
  Rect verdict(size_t side) const { return verdict_[side]; }

private:
  double rowHeight(size_t row) const { return rowHeight_[row]; }
  void makeRoutes();
  void makeSlots();
  void makeLanes();
  void makeRows();
  void placeVerdicts();
  void chooseCaptionLane();
  void placeCaption();
  void makeRoomForBlocks();
  bool isDeciding(size_t lane) const;
  double cardWidthIn(size_t lane) const; // of every card of the lane
  bool isPassed(size_t side, size_t row, size_t lane) const;
  size_t chipLane(size_t side, size_t arrow) const;

  const Picture& picture_;
  std::array<std::vector<ArrowRoute>, 2> routes_;
  std::vector<double> laneLeft_, laneWidth_, channelWidth_;
  std::vector<double> rowTop_, rowHeight_;
  std::array<Rect, 2> verdict_;
  Rect caption_;
  std::optional<size_t> captionLane_; // nothing: beside the last
  bool hasInitial_ = false, hasFinal_ = false;
  double width_ = 0, bodyTop_ = 58, bodyHeight_ = 0;
};

} // namespace symbiosis
