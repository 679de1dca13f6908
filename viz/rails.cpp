#include "viz/rails.h"
#include "viz/text.h"
#include <algorithm>

namespace symbiosis {

static constexpr size_t kMostRails = 4; // further arrows are only listed

Rails::Rails(const std::vector<Arrow>& arrows, const std::vector<size_t>& lineOf, size_t lines)
    : cells_(lines), ends_(lines, U' ') {
  std::vector<size_t> busyUntil; // by rail: first line that is free again
  struct Placed {
    const Arrow* arrow;
    size_t from, to, rail;
  };
  std::vector<Placed> placed;
  for (const Arrow& arrow : arrows)
    placed.push_back(
        {&arrow, arrow.fromRow ? lineOf[*arrow.fromRow] : 0, arrow.toRow ? lineOf[*arrow.toRow] : lines - 1, 0});
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.from < b.from; });
  for (Placed& p : placed) {
    auto free = std::find_if(busyUntil.begin(), busyUntil.end(), [&](size_t line) { return line <= p.from; });
    p.rail = size_t(free - busyUntil.begin());
    if (free == busyUntil.end()) busyUntil.push_back(0);
    busyUntil[p.rail] = p.to + 1;
  }
  rails_ = std::min(busyUntil.size(), kMostRails);
  for (auto& line : cells_) line.resize(rails_);
  for (const Placed& p : placed)
    if (p.rail < rails_) draw(*p.arrow, p.rail, p.from, p.to);
}

void Rails::draw(const Arrow& arrow, size_t rail, size_t from, size_t to) {
  const bool heavy = arrow.kind == ArrowKind::dataflow;
  auto touch = [&](size_t line, size_t r) -> Cell& {
    cells_[line][r].heavy |= heavy;
    return cells_[line][r];
  };
  for (size_t line = from; line <= to; ++line) {
    if (line > from || !arrow.fromRow) touch(line, rail).up = true;
    if (line < to || !arrow.toRow) touch(line, rail).down = true;
  }
  auto reachOut = [&](size_t line) {
    for (size_t r = 0; r < rail; ++r) touch(line, r).left = touch(line, r).right = true;
    touch(line, rail).left = true;
  };
  if (arrow.fromRow) {
    reachOut(from);
    if (ends_[from] == U' ') ends_[from] = heavy ? U'━' : U'─';
  }
  if (arrow.toRow) {
    reachOut(to);
    ends_[to] = heavy ? U'◀' : ends_[to] == U'◀' ? U'◀' : U'◁';
  }
}

std::string Rails::margin(size_t line) const {
  static constexpr char32_t kLight[] = U" ?││?╯╮┤?╰╭├─┴┬┼";
  static constexpr char32_t kHeavy[] = U" ?┃┃?┛┓┫?┗┏┣━┻┳╋";
  std::u32string text(1, ends_[line]);
  for (const Cell& c : cells_[line]) {
    // Bits: left 4, right 8, up 1, down 2.
    const unsigned bits = c.up * 1u + c.down * 2u + c.left * 4u + c.right * 8u;
    char32_t sign = (c.heavy ? kHeavy : kLight)[bits];
    if (bits == 1 || bits == 2) sign = c.heavy ? U'┃' : U'│';
    if (bits == 4 || bits == 8) sign = c.heavy ? U'━' : U'─';
    text += sign;
  }
  return toUtf8(text);
}

} // namespace symbiosis
