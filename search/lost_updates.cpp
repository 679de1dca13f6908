#include "search/lost_updates.h"
#include <algorithm>

namespace symbiosis {

LostUpdates::LostUpdates(const SymbolicTrace& trace) : trace_(trace), writes_(trace.cells.size()) {
  constexpr size_t kMost = 20'000;
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
  if (updates_.size() > kMost) updates_.clear();
}

std::vector<LostUpdate> LostUpdates::in(const EventOrder& order) const {
  std::vector<LostUpdate> result;
  if (updates_.empty()) return result;
  const std::vector<uint32_t> position = positionsOf(trace_, order);
  for (const Update& update : updates_) {
    LostUpdate found{update.read, update.write, kNoEvent, update.cell};
    for (EventRef other : writes_[update.cell])
      if (trace_.threadOf(other) != trace_.threadOf(update.write) && position[update.read] < position[other] &&
          position[other] < position[update.write] &&
          (found.lost == kNoEvent || position[found.lost] < position[other]))
        found.lost = other;
    if (found.lost != kNoEvent) result.push_back(found);
  }
  std::sort(result.begin(), result.end(),
            [&](const LostUpdate& a, const LostUpdate& b) { return position[a.lost] < position[b.lost]; });
  return result;
}

} // namespace symbiosis
