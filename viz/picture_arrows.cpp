// The arrows of the picture, and the region that must be atomic. Dataflows are those that one run alone has; an
// order-only arrow joins a pair that changed places and conflicts, unless what is drawn already implies it.
// Nothing but data leaves what only one run does, and no order leads into it.
#include "dsp/wording.h"
#include "viz/picture_parts.h"
#include "viz/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {

namespace {

constexpr size_t kMostForOrders =
    120; // events among which order-only arrows are looked for; more are folded anyway
constexpr size_t kManyOrders = 16, kFewOrders = 4; // order-only arrows of a panel

class ArrowMaker {
public:
  explicit ArrowMaker(PictureParts& parts)
      : parts_(parts), d_(parts.diagnosis), trace_(parts.trace), runs_(parts.runs), cardOf_(parts.cardOf),
        picture_(parts.picture) {}

  void make() {
    addArrows();
    addRegion();
  }

private:
  // --- arrows ---

  void addArrows() {
    for (size_t side : {kFailing, kAlternate}) {
      std::set<std::pair<EventRef, EventRef>> drawn;
      for (const Dataflow& flow : side == kFailing ? d_.dsp.failingDataflows : d_.dsp.alternateDataflows)
        if (drawn.insert({flow.from, flow.to}).second) addArrow(side, flow);
      if (picture_.hasAlternate || (picture_.isWaiting && side == kFailing)) addOrderArrows(side);
    }
  }
  void addArrow(size_t side, const Dataflow& flow) {
    Arrow arrow;
    if (flow.from != kNoEvent)
      arrow.fromRow = parts_.rowOf(flow.from, side), arrow.fromCard = cardOf_.at(flow.from);
    if (flow.to != kNoEvent) arrow.toRow = parts_.rowOf(flow.to, side), arrow.toCard = cardOf_.at(flow.to);
    const EventRef named = flow.to != kNoEvent ? flow.to : flow.from;
    if (named == kNoEvent) return; // the initial value is the final one: nothing to point at
    arrow.variable = picture_.cards[cardOf_.at(named)].variable;
    arrow.value = picture_.cards[cardOf_.at(named)].value[side];
    const bool isLife = trace_.cells[flow.cell].isLife;
    if (trace_.event(named).kind == EventKind::rmw || isLife) arrow.value = formatValue(valueOf(trace_, flow));
    picture_.arrows[side].push_back(std::move(arrow));
  }

  // Pairs that changed places and conflict, nearest first, unless what is drawn already implies them.
  void addOrderArrows(size_t side) {
    const EventOrder order = parts_.shownIn(side);
    if (order.size() > kMostForOrders) return;
    std::vector<std::pair<size_t, size_t>> pairs; // positions in `order`
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t k = i + 1; k < order.size(); ++k)
        if (changedPlaces(order[i], order[k], side)) pairs.push_back({i, k});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](auto x, auto y) { return x.second - x.first < y.second - y.first; });
    const auto first = ptrdiff_t(picture_.arrows[side].size());
    for (auto [i, k] : pairs) {
      if (isImplied(order, side, i, k)) continue;
      Arrow arrow;
      arrow.kind = ArrowKind::order;
      arrow.fromRow = parts_.rowOf(order[i], side), arrow.toRow = parts_.rowOf(order[k], side);
      arrow.fromCard = cardOf_.at(order[i]), arrow.toCard = cardOf_.at(order[k]);
      picture_.arrows[side].push_back(std::move(arrow));
    }
    keepTelling(picture_.arrows[side], first);
  }
  // Where everything changed places, only the arrows that tell most are drawn: those of the solver's pairs, then
  // those at the failing check and the atomic region, then the nearest.
  void keepTelling(std::vector<Arrow>& arrows, ptrdiff_t first) const {
    if (arrows.size() - size_t(first) <= kManyOrders) return;
    auto rank = [&](const Arrow& arrow) {
      const auto pair = std::minmax(picture_.cards[arrow.fromCard].event, picture_.cards[arrow.toCard].event);
      auto isPair = [&](const OrderEdge& edge) { return pair == std::minmax(edge.before, edge.after); };
      auto touches = [&](EventRef event) { return pair.first == event || pair.second == event; };
      if (d_.alternate.inverted && isPair(*d_.alternate.inverted)) return 0;
      if (std::any_of(d_.rootCause.orders.begin(), d_.rootCause.orders.end(), isPair)) return 0;
      const auto& region = d_.classification.region;
      return touches(parts_.anchor) || (region && (touches(region->first) || touches(region->last))) ? 1 : 2;
    };
    std::stable_sort(arrows.begin() + first, arrows.end(),
                     [&](const Arrow& a, const Arrow& b) { return rank(a) < rank(b); });
    arrows.resize(size_t(first) + kFewOrders);
  }
  bool isCause(const OrderEdge& edge) const {
    return picture_.isWaiting &&
           std::find(d_.rootCause.orders.begin(), d_.rootCause.orders.end(), edge) != d_.rootCause.orders.end();
  }
  bool changedPlaces(EventRef a, EventRef b, size_t side) const {
    if (parts_.isOneSided(a) || parts_.isOneSided(b)) return false;
    // What those who wait found taken, though they may not have changed places.
    if (side == kFailing && isCause({a, b})) return true;
    if (trace_.threadOf(a) == trace_.threadOf(b) || runs_[1 - side].isBefore(a, b)) return false;
    const auto& pair = d_.alternate.inverted;
    if (pair && std::minmax(a, b) == std::minmax(pair->before, pair->after)) return true;
    if (picture_.isWaiting && trace_.event(a).object != kNone && trace_.event(a).object == trace_.event(b).object)
      return true;
    for (const Part& x : trace_.partsOf(a))
      for (const Part& y : trace_.partsOf(b))
        if (x.cell == y.cell && (x.written != kNoExpr || y.written != kNoExpr)) return true;
    return false;
  }
  // Whether program order and the arrows drawn lead from one event to the other.
  bool isImplied(const EventOrder& order, size_t side, size_t from, size_t to) const {
    std::vector<bool> reached(order.size());
    reached[from] = true;
    for (size_t i = from + 1; i <= to; ++i)
      for (size_t j = from; j < i && !reached[i]; ++j)
        reached[i] = reached[j] && (trace_.threadOf(order[j]) == trace_.threadOf(order[i]) ||
                                    hasArrow(side, cardOf_.at(order[j]), cardOf_.at(order[i])));
    return reached[to];
  }
  bool hasArrow(size_t side, size_t fromCard, size_t toCard) const {
    return std::any_of(picture_.arrows[side].begin(), picture_.arrows[side].end(), [&](const Arrow& arrow) {
      return arrow.fromRow && arrow.toRow && arrow.fromCard == fromCard && arrow.toCard == toCard;
    });
  }

  // --- the atomic region ---

  void addRegion() {
    const auto& region = d_.classification.region;
    if (!region) return;
    PictureRegion result;
    result.lane = picture_.cards[cardOf_.at(region->first)].lane;
    std::vector<std::string> names;
    for (EventRef intruder : region->intruders) {
      const std::string name = printable(trace_.threads[trace_.threadOf(intruder)].displayName);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    result.by =
        names.size() <= 2 ? fmt::format("{}", fmt::join(names, " and ")) : fmt::format("{} threads", names.size());
    for (size_t side : {kFailing, kAlternate}) {
      const auto first = parts_.rowOf(region->first, side), last = parts_.rowOf(region->last, side);
      if (!first || !last || *first > *last) return;
      result.firstRow[side] = *first, result.lastRow[side] = *last;
      const std::vector<uint32_t>& at = runs_[side].positions();
      result.isSplit[side] =
          std::any_of(region->intruders.begin(), region->intruders.end(), [&](EventRef intruder) {
            return at[region->first] < at[intruder] && at[intruder] < at[region->last];
          });
    }
    picture_.region = result;
  }

  PictureParts& parts_;
  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  const std::array<ShownRun, 2>& runs_;
  const std::map<EventRef, size_t>& cardOf_;
  Picture& picture_;
};

} // namespace

void addArrows(PictureParts& parts) { ArrowMaker(parts).make(); }

} // namespace symbiosis
