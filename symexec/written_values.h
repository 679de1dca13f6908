#pragma once
// Which values each thread writes where, as far as they are known. At level `path` an address that is read from
// shared memory is one of those that somebody writes there; the threads are walked until nothing new is learned.
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace symbiosis {

class WrittenValues {
public:
  // `size` is 1..8, inside one aligned word of 8 bytes.
  void note(uint32_t thread, uint64_t address, uint8_t size, uint64_t value, bool known);

  struct Candidates {
    std::vector<uint64_t> values; // without repetition
    bool unclear = false;         // somebody wrote something unknown there, or only a part of it
  };
  // What the other threads write there.
  Candidates ofOthers(uint32_t thread, uint64_t address, uint8_t size) const;
  // Something was noted that had not been noted before this was last called.
  bool hasGrown() { return std::exchange(grown_, false); }

private:
  struct Write {
    uint32_t thread = 0;
    uint64_t address = 0;
    uint8_t size = 0;
    bool known = true;
    uint64_t value = 0;
    bool operator==(const Write&) const = default;
  };
  static constexpr size_t kMost = 32;                      // per word; with more it is unclear anyway
  std::unordered_map<uint64_t, std::vector<Write>> words_; // by address / 8
  bool grown_ = false;
};

} // namespace symbiosis
