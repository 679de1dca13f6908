#include "search/lost_updates.h"
#include <algorithm>

namespace symbiosis {

LostUpdates::LostUpdates(const SymbolicTrace& trace) : trace_(trace), writes_(trace.cells.size()) {
  constexpr size_t kMost = 200'000;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    for (const Part& part : trace.partsOf(ref)) {
      if (part.written == kNoExpr) continue;
      writes_[part.cell].push_back(ref);
      if (trace.event(ref).kind != EventKind::write) continue;
      for (uint32_t symbol : trace.exprs.symbolsIn(part.written)) {
        const EventRef read = trace.symbols[symbol].event;
        if (read == kNoEvent || read >= ref || trace.threadOf(read) != trace.threadOf(ref)) continue;
        const auto parts = trace.partsOf(read);
        if (std::any_of(parts.begin(), parts.end(), [&](const Part& p) { return p.cell == part.cell; }))
          updates_.push_back({read, ref, part.cell});
      }
    }
  isComplete_ = updates_.size() <= kMost;
  if (!isComplete_) updates_.clear();
  std::vector<bool> isUpdated(trace.cells.size());
  for (const Update& update : updates_) isUpdated[update.cell] = true;
  for (uint32_t cell = 0; cell < writes_.size(); ++cell)
    if (!isUpdated[cell]) writes_[cell] = {};
}

std::vector<LostUpdate> LostUpdates::in(const EventOrder& order) const {
  std::vector<LostUpdate> result;
  if (updates_.empty()) return result;
  const std::vector<uint32_t> position = positionsOf(trace_, order);
  auto isEarlier = [&](EventRef a, EventRef b) { return position[a] < position[b]; };
  std::vector<std::vector<EventRef>> writes = writes_; // as they are in the order
  for (std::vector<EventRef>& ofCell : writes) std::sort(ofCell.begin(), ofCell.end(), isEarlier);
  for (const Update& update : updates_) {
    const std::vector<EventRef>& ofCell = writes[update.cell];
    auto other = std::lower_bound(ofCell.begin(), ofCell.end(), update.write, isEarlier);
    while (other != ofCell.begin() && isEarlier(update.read, *(other - 1))) {
      --other;
      if (trace_.threadOf(*other) == trace_.threadOf(update.write)) continue;
      result.push_back({update.read, update.write, *other, update.cell});
      break;
    }
  }
  std::sort(result.begin(), result.end(),
            [&](const LostUpdate& a, const LostUpdate& b) { return position[a.lost] < position[b.lost]; });
  return result;
}

} // namespace symbiosis
