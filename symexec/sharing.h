#pragma once
// Which memory is shared is never asked of the user: it is what two threads touched and at least one of them wrote
// (DESIGN §4). A first walk of all threads notes their accesses, a second one makes events of the shared ones.
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace symbiosis {

// Part of an access that lies in one cell.
struct Piece {
  uint64_t address = 0;
  uint8_t size = 0; // 1..8
  bool shared = false;
};

class Sharing {
public:
  explicit Sharing(bool everything = false) : everything_(everything) {}
  void note(uint32_t thread, uint64_t address, uint64_t size, bool writes);
  void forgetAll() { words_.clear(); }
  // The first walk is over: what it has noted decides. Until then nothing is shared.
  void settle() { isSettled_ = true; }
  // It is not known that the thread touches the range, but it might. True: something has become shared, or is cut
  // into other pieces.
  bool noteMaybe(uint32_t thread, uint64_t address, uint64_t size, bool writes);
  // An operation of synchronisation is about what lies here: its owner must be known, though nobody reads it.
  void noteSync(uint64_t address) { syncs_.insert(address); }
  bool holdsSync(uint64_t address, uint64_t size) const {
    const auto at = syncs_.lower_bound(address);
    return at != syncs_.end() && *at - address < size;
  }
  // Only if everything counts: not what code outside has changed without an event.
  bool takesEverything() const { return everything_; }
  void noteOutside(uint64_t address, uint64_t size);
  // Some thread surely touches a part of the range.
  bool isTouched(uint64_t address, uint64_t size) const;

  bool touchesShared(uint64_t address, uint64_t size) const;
  // The access cut where any access begins or ends, and at multiples of 8.
  std::vector<Piece> pieces(uint64_t address, uint64_t size) const;

private:
  struct Word {
    uint32_t thread = 0;
    bool several = false, written = false;
    bool surely = false;  // touched
    bool outside = false; // changed by code outside
    uint8_t borders = 0;  // bit i: some access begins or ends at byte i
  };
  Word& touch(uint64_t number, uint32_t thread, uint64_t address, uint64_t end, bool writes);
  bool isShared(const Word& word) const {
    return isSettled_ && ((everything_ && !word.outside) || (word.several && word.written));
  }
  bool isSettled_ = false;
  bool everything_;                          // whatever was noted counts as shared
  std::unordered_map<uint64_t, Word> words_; // by address / 8
  std::set<uint64_t> syncs_;
};

} // namespace symbiosis
