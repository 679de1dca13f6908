#pragma once
// What memory held that the program did not write before it was shared: a value that somebody saw in it. Nobody
// knows exactly when reads without sync operations around them took place, so a value that no thread writes there
// comes before one that may have been written; among equals, the one that was seen first.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace symbiosis {

class InitialGuesses {
public:
  void addCell() { cells_.emplace_back(); }
  void wasRead(uint32_t cell, uint64_t value, uint64_t notBefore) {
    std::vector<Seen>& seen = cells_[cell].seen;
    const auto known = std::find_if(seen.begin(), seen.end(), [&](const Seen& one) { return one.value == value; });
    if (known != seen.end())
      known->when = std::min(known->when, notBefore);
    else if (seen.size() < kMost)
      seen.push_back({value, notBefore});
  }
  void wasWritten(uint32_t cell, uint64_t value) {
    std::vector<uint64_t>& written = cells_[cell].written;
    if (written.size() < kMost && std::find(written.begin(), written.end(), value) == written.end())
      written.push_back(value);
  }
  uint64_t of(uint32_t cell) const {
    const Cell& all = cells_[cell];
    const Seen* best = nullptr;
    for (const Seen& one : all.seen)
      if (!best || isWritten(all, one) < isWritten(all, *best) ||
          (isWritten(all, one) == isWritten(all, *best) && one.when < best->when))
        best = &one;
    return best ? best->value : 0;
  }

private:
  static constexpr size_t kMost = 16; // of each; a cell that has so many values has them from writes
  struct Seen {
    uint64_t value, when;
  };
  struct Cell {
    std::vector<Seen> seen;
    std::vector<uint64_t> written;
  };
  static bool isWritten(const Cell& cell, const Seen& one) {
    return std::find(cell.written.begin(), cell.written.end(), one.value) != cell.written.end();
  }
  std::vector<Cell> cells_;
};

} // namespace symbiosis
