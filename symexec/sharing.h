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

//
// Of a *long* run whose every load was logged less counts as shared, because the order of some accesses is the
// same in every schedule. What the main thread does before another one begins (*early*) comes before all else:
// memory that is only read afterwards, or used by one thread, is that thread's own, and what was written there
// early is where it begins (WalkContext::early). Where only one thread writes afterwards, its own reads find what
// it wrote. And what nobody reads afterwards decides nothing, whoever writes it.
class Sharing {
public:
  static constexpr uint32_t kMain = 0;
  // Another thread begins, or the walk of all threads does.
  void threadBegins() { isEarly_ = false; }
  void walkBegins() { isEarly_ = true; }
  bool isEarly(uint32_t thread) const { return isEarly_ && thread == kMain; }
  explicit Sharing(bool everything = false) : everything_(everything) {}
  void note(uint32_t thread, uint64_t address, uint64_t size, bool writes);
  void forgetAll() { words_.clear(), walkBegins(); }
  // The first walk is over: what it has noted decides. Until then nothing is shared.
  void settle(bool isLong = false) { isSettled_ = true, isLong_ = isLong; }
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
  // What the thread reads there may be another one's.
  bool readsShared(uint32_t thread, uint64_t address, uint64_t size) const;
  // The access cut where any access begins or ends, and at multiples of 8.
  std::vector<Piece> pieces(uint64_t address, uint64_t size) const;

private:
  struct Word {
    uint32_t thread = 0;
    uint32_t lateThread = kNobody, lateWriter = kNobody; // since other threads began; kSeveral
    bool lateRead = false;
    bool several = false, written = false;
    bool surely = false;  // touched
    bool outside = false; // changed by code outside
    uint8_t borders = 0;  // bit i: some access begins or ends at byte i
  };
  Word& touch(uint64_t number, uint32_t thread, uint64_t address, uint64_t end, bool writes);
  bool isShared(const Word& word) const {
    if (!isSettled_) return false;
    if (everything_ && !word.outside) return true;
    if (isLong_) return word.lateThread == kSeveral && word.lateWriter != kNobody && word.lateRead;
    return word.several && word.written;
  }
  static constexpr uint32_t kNobody = ~0u, kSeveral = ~1u;
  static void add(uint32_t& threads, uint32_t thread) {
    if (threads != thread) threads = threads == kNobody ? thread : kSeveral;
  }
  bool isSettled_ = false, isLong_ = false, isEarly_ = true;
  bool everything_;                          // whatever was noted counts as shared
  std::unordered_map<uint64_t, Word> words_; // by address / 8
  std::set<uint64_t> syncs_;
};

} // namespace symbiosis
