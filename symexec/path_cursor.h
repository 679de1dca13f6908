#pragma once
// Reads one thread's path log from its beginning: branch bits, and markers between them (trace/format.h).
#include "trace/recording.h"
#include <optional>

namespace symbiosis {

class PathCursor {
public:
  explicit PathCursor(const std::vector<uint64_t>& words) : words_(words) {
    if (!words_.empty()) open();
    normalise();
  }

  // The next branch bit; nothing if the log ends here or has a marker next.
  std::optional<bool> bit() {
    if (left_ == 0) return std::nullopt;
    const bool value = (words_[at_] >> --left_) & 1;
    normalise();
    note(value);
    return value;
  }
  // `count` bits, oldest highest.
  std::optional<uint32_t> bits(unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
      std::optional<bool> next = bit();
      if (!next) return std::nullopt;
      value = value << 1 | uint32_t(*next);
    }
    return value;
  }

  // The marker that stands here, if one does.
  std::optional<uint64_t> marker() const {
    if (left_ == 0 && at_ + 1 < words_.size() && (words_[at_ + 1] & format::kMarkerBit)) return words_[at_ + 1];
    return std::nullopt;
  }
  void skipMarker() {
    if (const std::optional<uint64_t> here = marker()) note(*here);
    at_ += 2;
    if (at_ < words_.size()) open();
    normalise();
  }

  // As it is written in op records.
  uint64_t wordOffset() const { return at_ * 8; }
  uint64_t word() const { return at_ < words_.size() ? words_[at_] >> left_ : 0; }

  // Index of the word, and in the lowest 6 bits how many of its bits have been read.
  uint64_t position() const {
    const uint64_t has = at_ < words_.size() && words_[at_] ? 63 - uint64_t(__builtin_clzll(words_[at_])) : 0;
    return at_ << 6 | (has - left_);
  }

  bool atEnd() const { return left_ == 0 && at_ + 1 >= words_.size(); }

  // From now on what is read, and what else is noted as a part of the path, goes there (TraceThread::marks).
  void keepMarks(std::vector<uint64_t>& marks) { marks_ = &marks; }
  void note(uint64_t what) {
    if (!marks_) return;
    const uint64_t before = marks_->empty() ? 0 : marks_->back();
    uint64_t mixed = (before ^ what) + 0x9E3779B97F4A7C15ull + (before << 6) + (before >> 2);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
    marks_->push_back(mixed ^ (mixed >> 31));
  }
  uint32_t lastMark() const { return marks_ && !marks_->empty() ? uint32_t(marks_->size() - 1) : 0; }

private:
  void open() {
    left_ =
        (words_[at_] & format::kMarkerBit) || words_[at_] == 0 ? 0 : 63 - unsigned(__builtin_clzll(words_[at_]));
  }
  // The writer moves on as soon as a word is full.
  void normalise() {
    if (left_ == 0 && at_ + 1 < words_.size() && words_[at_] >= format::kFullWord &&
        !(words_[at_] & format::kMarkerBit)) {
      ++at_;
      open();
    }
  }

  const std::vector<uint64_t>& words_;
  size_t at_ = 0;
  unsigned left_ = 0; // bits of words_[at_] not yet read
  std::vector<uint64_t>* marks_ = nullptr;
};

} // namespace symbiosis
