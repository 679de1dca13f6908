#include "dsp/lost_updates.h"
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

size_t LostUpdates::in(const EventOrder& order) const {
  if (updates_.empty()) return 0;
  const std::vector<uint32_t> position = positionsOf(trace_, order);
  return size_t(std::count_if(updates_.begin(), updates_.end(), [&](const Update& update) {
    return std::any_of(writes_[update.cell].begin(), writes_[update.cell].end(), [&](EventRef other) {
      return trace_.threadOf(other) != trace_.threadOf(update.write) && position[update.read] < position[other] &&
             position[other] < position[update.write];
    });
  }));
}

} // namespace symbiosis
