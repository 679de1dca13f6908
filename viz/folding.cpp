#include "viz/folding.h"
#include <algorithm>
#include <numeric>
#include <set>

namespace symbiosis {

namespace {

class Folder {
public:
  explicit Folder(const Picture& picture) : picture_(picture), isHidden_(picture.rows.size()) {}

  Picture fold(size_t mostRows) {
    for (size_t row : inOrderOfInterest()) {
      if (rowsNeeded() <= mostRows) break;
      isHidden_[row] = true;
    }
    showLonelyRows();
    Picture result = picture_;
    makeRows(result);
    result.failureRow = newRow_[picture_.failureRow];
    for (size_t side : {kFailing, kAlternate}) {
      moveArrows(result.arrows[side]);
      moveGhosts(result.ghosts[side]);
    }
    moveMoves(result.moves);
    moveBlocks(result);
    if (result.decision) result.decision->row = newRow_[result.decision->row];
    if (result.region)
      for (size_t side : {kFailing, kAlternate}) {
        result.region->firstRow[side] = newRow_[result.region->firstRow[side]];
        result.region->lastRow[side] = newRow_[result.region->lastRow[side]];
      }
    return result;
  }

private:
  // The least interesting row first; those that must stay are not among them.
  std::vector<size_t> inOrderOfInterest() const {
    std::vector<int> interest(picture_.rows.size());
    for (size_t i = 0; i < interest.size(); ++i) {
      const Row& row = picture_.rows[i];
      // A block without cards is its title and one line.
      const bool isBlock = row.isTitle() || (row.isLine() && picture_.blocks[*row.block].cards == 0);
      interest[i] = isBlock                        ? 4
                    : row.isFold() || row.isLine() ? 0
                    : picture_.cardOf(row).isKey   ? 3
                    : row.isShared()               ? 1
                                                   : 2;
    }
    for (const auto& arrows : picture_.arrows)
      for (const Arrow& arrow : arrows)
        for (const auto& row : {arrow.fromRow, arrow.toRow})
          if (row && arrow.kind == ArrowKind::dataflow)
            interest[*row] = std::max(interest[*row], arrow.toRow == picture_.failureRow ? 5 : 4);
    std::set<size_t> staying{picture_.failureRow};
    if (picture_.decision) staying.insert(picture_.decision->row);
    if (picture_.region)
      for (const auto& rows : {picture_.region->firstRow, picture_.region->lastRow})
        staying.insert(rows.begin(), rows.end());
    std::vector<size_t> order(picture_.rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::erase_if(order, [&](size_t row) { return staying.count(row) != 0; });
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return interest[a] != interest[b] ? interest[a] < interest[b] : distance(a) > distance(b);
    });
    return order;
  }
  size_t distance(size_t row) const {
    return row < picture_.failureRow ? picture_.failureRow - row : row - picture_.failureRow;
  }

  // A row alone takes no more room than a fold that says it is missing.
  void showLonelyRows() {
    for (size_t i = 0; i < isHidden_.size(); ++i) {
      const bool isAlone = (i == 0 || !isHidden_[i - 1]) && (i + 1 == isHidden_.size() || !isHidden_[i + 1]);
      if (isAlone) isHidden_[i] = false;
    }
    for (size_t i = 0; i < isHidden_.size(); ++i)
      if (const Row& row = picture_.rows[i]; row.isLine())
        isHidden_[i] = isHidden_[i] || isHidden_[picture_.blocks[*row.block].firstRow];
  }

  // Those that are shown, and one for each stretch that is not.
  size_t rowsNeeded() const {
    size_t rows = 0;
    for (size_t i = 0; i < isHidden_.size(); ++i) rows += !isHidden_[i] || i == 0 || !isHidden_[i - 1];
    return rows;
  }

  void makeRows(Picture& result) {
    result.rows.clear();
    std::set<size_t> cards; // of the stretch
    for (size_t i = 0; i < isHidden_.size(); ++i) {
      const Row& row = picture_.rows[i];
      if (!isHidden_[i]) {
        newRow_.push_back(result.rows.size());
        result.rows.push_back(row);
        continue;
      }
      const bool begins = i == 0 || !isHidden_[i - 1];
      if (begins) {
        cards.clear();
        result.rows.push_back({});
        result.rows.back().isIdentical = row.isFold();
      }
      newRow_.push_back(result.rows.size() - 1);
      Row& fold = result.rows.back();
      fold.isIdentical &= row.isFold();
      fold.folded += row.isFold() ? row.folded : row.isLine() ? row.events : size_t{cards.insert(row.card).second};
    }
  }

  bool isShown(const std::optional<size_t>& row) const { return !row || !isHidden_[*row]; }

  void moveArrows(std::vector<Arrow>& arrows) const {
    std::erase_if(arrows, [&](const Arrow& arrow) { return !isShown(arrow.fromRow) || !isShown(arrow.toRow); });
    for (Arrow& arrow : arrows)
      for (auto* row : {&arrow.fromRow, &arrow.toRow})
        if (*row) *row = newRow_[**row];
  }
  // Leaves of first..last what is shown; false: nothing.
  bool shrink(size_t& first, size_t& last) const {
    while (first <= last && isHidden_[first]) ++first;
    while (last > first && isHidden_[last]) --last;
    if (first > last) return false;
    first = newRow_[first], last = newRow_[last];
    return true;
  }
  void moveGhosts(std::vector<Ghost>& ghosts) const {
    std::erase_if(ghosts, [&](Ghost& ghost) { return !shrink(ghost.firstRow, ghost.lastRow); });
  }
  // A block ends where something of it is not shown; one without its title is none, and its cards stand alone.
  void moveBlocks(Picture& result) const {
    std::vector<size_t> newBlock(picture_.blocks.size());
    std::vector<Block> blocks;
    for (size_t i = 0; i < picture_.blocks.size(); ++i) {
      Block block = picture_.blocks[i];
      if (isHidden_[block.firstRow]) continue;
      const size_t end = block.lastRow;
      for (block.lastRow = block.firstRow; block.lastRow < end && !isHidden_[block.lastRow + 1];) ++block.lastRow;
      block.firstRow = newRow_[block.firstRow], block.lastRow = newRow_[block.lastRow];
      newBlock[i] = blocks.size();
      blocks.push_back(block);
    }
    result.blocks = std::move(blocks);
    for (Row& row : result.rows)
      if (row.isLine()) row.block = newBlock[*row.block];
  }
  void moveMoves(std::vector<Move>& moves) const {
    std::erase_if(moves, [&](Move& move) {
      return !shrink(move.firstRow[kFailing], move.lastRow[kFailing]) ||
             !shrink(move.firstRow[kAlternate], move.lastRow[kAlternate]);
    });
  }

  const Picture& picture_;
  std::vector<bool> isHidden_; // by row
  std::vector<size_t> newRow_; // by row
};

} // namespace

Picture folded(const Picture& picture, size_t mostRows) {
  if (picture.rows.size() <= mostRows) return picture;
  return Folder(picture).fold(mostRows);
}

} // namespace symbiosis
