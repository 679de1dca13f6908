// An event stands in each order at most once, so that a common subsequence of the two is an increasing subsequence
// of the positions that the failing order's events have in the alternate. The heaviest one comes out of a Fenwick
// tree of prefix maxima in O(n log n): a hundred thousand events are no more trouble than ten.
#include "viz/alignment.h"
#include <algorithm>
#include <span>

namespace symbiosis {

namespace {

constexpr uint32_t kNowhere = kNone;

// For each position the heaviest chain that ends at or before it.
class HeaviestChains {
public:
  struct Chain {
    uint64_t weight = 0;
    uint32_t last = kNowhere; // index of its last event
  };

  explicit HeaviestChains(size_t positions) : tree_(positions + 1) {}

  Chain before(uint32_t position) const {
    Chain best;
    for (uint32_t i = position; i > 0; i &= i - 1)
      if (tree_[i].weight > best.weight) best = tree_[i];
    return best;
  }
  void add(uint32_t position, const Chain& chain) {
    for (uint32_t i = position + 1; i < tree_.size(); i += i & (~i + 1))
      if (chain.weight > tree_[i].weight) tree_[i] = chain;
  }

private:
  std::vector<Chain> tree_;
};

class Aligner {
public:
  Aligner(const SymbolicTrace& trace, const EventOrder& alternate, EventRef anchor)
      : trace_(trace), position_(trace.events.size(), kNowhere), stays_(trace.events.size()),
        anchorThread_(anchor == kNoEvent ? kNone : trace.threadOf(anchor)) {
    for (uint32_t i = 0; i < alternate.size(); ++i) position_[alternate[i]] = i;
  }

  // Of the alternate, the part that begins at `firstPosition`.
  void alignPart(std::span<const EventRef> failing, std::span<const EventRef> alternate, uint32_t firstPosition) {
    chooseThoseThatStay(failing, firstPosition, uint32_t(alternate.size()));
    size_t f = 0, a = 0;
    auto takeMoved = [&] {
      while (f < failing.size() && !stays_[failing[f]]) rows.push_back({failing[f++], true, false});
      while (a < alternate.size() && !stays_[alternate[a]]) rows.push_back({alternate[a++], false, true});
    };
    for (takeMoved(); f < failing.size(); takeMoved()) rows.push_back({failing[f], true, true}), ++f, ++a;
  }

  std::vector<AlignedRow> rows;

private:
  void chooseThoseThatStay(std::span<const EventRef> failing, uint32_t first, uint32_t count) {
    HeaviestChains chains(count);
    std::vector<uint32_t> previous(failing.size(), kNowhere);
    for (uint32_t i = 0; i < failing.size(); ++i) {
      const uint32_t at = position_[failing[i]];
      if (at < first || at >= first + count) continue; // on the other side of the anchor
      HeaviestChains::Chain chain = chains.before(at - first);
      previous[i] = chain.last;
      chains.add(at - first, {chain.weight + (trace_.threadOf(failing[i]) == anchorThread_ ? 1001 : 1000), i});
    }
    for (uint32_t i = chains.before(count).last; i != kNowhere; i = previous[i]) stays_[failing[i]] = true;
  }

  const SymbolicTrace& trace_;
  std::vector<uint32_t> position_; // in the alternate
  std::vector<bool> stays_;
  ThreadIndex anchorThread_;
};

} // namespace

std::vector<AlignedRow> align(const SymbolicTrace& trace, const EventOrder& failing, const EventOrder& alternate,
                              const std::vector<EventRef>& anchors) {
  const std::span<const EventRef> failingEvents(failing), alternateEvents(alternate);
  Aligner aligner(trace, alternate, anchors.back());
  size_t f = 0, a = 0; // the part before them is done
  for (EventRef anchor : anchors) {
    const auto inFailing = std::find(failing.begin() + ptrdiff_t(f), failing.end(), anchor),
               inAlternate = std::find(alternate.begin() + ptrdiff_t(a), alternate.end(), anchor);
    if (inFailing == failing.end() || inAlternate == alternate.end()) continue;
    const size_t nextF = size_t(inFailing - failing.begin()), nextA = size_t(inAlternate - alternate.begin());
    aligner.alignPart(failingEvents.subspan(f, nextF - f), alternateEvents.subspan(a, nextA - a), uint32_t(a));
    aligner.rows.push_back({anchor, true, true});
    f = nextF + 1, a = nextA + 1;
  }
  aligner.alignPart(failingEvents.subspan(f), alternateEvents.subspan(a), uint32_t(a));
  return std::move(aligner.rows);
}

} // namespace symbiosis
