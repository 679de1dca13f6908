#include "symexec/written_values.h"
#include <algorithm>

namespace symbiosis {

void WrittenValues::note(uint32_t thread, uint64_t address, uint8_t size, uint64_t value, bool known) {
  std::vector<Write>& writes = words_[address / 8];
  const Write write{thread, address, size, known, known ? value : 0};
  if (writes.size() > kMost || std::find(writes.begin(), writes.end(), write) != writes.end()) return;
  writes.push_back(write);
  grown_ = true;
}

WrittenValues::Candidates WrittenValues::ofOthers(uint32_t thread, uint64_t address, uint8_t size) const {
  Candidates candidates;
  auto at = words_.find(address / 8);
  if (at == words_.end()) return candidates;
  candidates.unclear = at->second.size() > kMost;
  for (const Write& write : at->second) {
    if (write.thread == thread || write.address + write.size <= address || address + size <= write.address)
      continue;
    if (!write.known || write.address != address || write.size != size)
      candidates.unclear = true;
    else if (std::find(candidates.values.begin(), candidates.values.end(), write.value) == candidates.values.end())
      candidates.values.push_back(write.value);
  }
  return candidates;
}

} // namespace symbiosis
