#include "symexec/from_outside.h"
#include "llvm/ADT/STLExtras.h"

namespace symbiosis {

void FromOutside::add(Made made) {
  if (made.ranges.empty()) return fixSources(made);
  made_.push_back(std::move(made));
  constexpr size_t kMost = 256;
  if (made_.size() <= kMost) return;
  fixSources(made_.front());
  made_.erase(made_.begin());
}

void FromOutside::forget(Range range) {
  std::erase_if(made_, [&](const Made& made) {
    return llvm::all_of(made.ranges, [&](const Range& old) {
      return range.begin <= old.begin && old.begin + old.size <= range.begin + range.size;
    });
  });
}

void FromOutside::fixSources(const Made& made) {
  for (const Scalar& value : made.from) math_.concrete(value, 64);
  // It is known what came of them, but not how.
  if (math_.takeLost() || made.ofShared) events_.noteUnmodelled(made.by);
}

void FromOutside::fixWhatIsRead(uint64_t address, uint64_t size) {
  for (size_t i = 0; i < made_.size();) {
    const bool isRead = llvm::any_of(made_[i].ranges, [&](const Range& range) {
      return address < range.begin + range.size && range.begin < address + size;
    });
    if (!isRead) {
      ++i;
      continue;
    }
    const bool lost = math_.takeLost(); // of the instruction that reads
    fixSources(made_[i]);
    math_.setLost(lost);
    made_.erase(made_.begin() + ptrdiff_t(i));
  }
}

} // namespace symbiosis
