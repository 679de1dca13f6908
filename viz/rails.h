#pragma once
// Arrows in the margin of a text panel: each runs down a rail of its own from the line it leaves to the line
// it points at.
#include "viz/picture.h"
#include <string>
#include <vector>

namespace symbiosis {

class Rails {
public:
  // lineOf[row]: the line that shows the row; `lines`: how many there are.
  Rails(const std::vector<Arrow>& arrows, const std::vector<size_t>& lineOf, size_t lines);

  size_t width() const { return rails_ + 1; }
  // What stands in the margin of a line, width() columns.
  std::string margin(size_t line) const;

private:
  struct Cell {
    bool up = false, down = false, left = false, right = false, heavy = false;
  };
  void draw(const Arrow& arrow, size_t rail, size_t from, size_t to);

  size_t rails_ = 0;
  std::vector<std::vector<Cell>> cells_; // by line, then rail
  std::vector<char32_t> ends_;           // by line: what stands beside the event
};

} // namespace symbiosis
