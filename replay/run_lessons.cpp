#include "replay/run_lessons.h"
#include <algorithm>
#include <unordered_map>

namespace symbiosis {
namespace {

using format::ControlEntry;

EventKind kindOf(const ControlEntry& entry) { return EventKind(entry.kind & ~format::kSilentBit); }

// Not so what names a thread, and what only one has.
bool sharesItsObject(EventKind kind) {
  switch (kind) {
  case EventKind::start:
  case EventKind::exit:
  case EventKind::fork:
  case EventKind::join:
  case EventKind::input:
  case EventKind::alloc:
  case EventKind::free: // see lives
  case EventKind::destroy:
  case EventKind::failure: return false;
  default: return true;
  }
}

bool isShared(const ControlEntry& entry) { return entry.object && sharesItsObject(kindOf(entry)); }

// Accesses of one word may overlap.
uint64_t wordOf(const ControlEntry& entry) { return entry.object & ~uint64_t{7}; }

PlaceUse useOf(const ControlEntry& entry) {
  const EventKind kind = kindOf(entry);
  return {kind != EventKind::write, kind != EventKind::read};
}

// What is at one word, as far as the run has come.
struct Word {
  uint32_t firstThread = 0;
  bool isMet = false, isChanged = false; // by two threads; by anybody
  uint64_t firstPlace = 0;
  uint64_t writer = 0; // the place that wrote last; 0: nobody
  uint32_t writingThread = 0;
};

class Observer {
public:
  explicit Observer(const ControlReport& report) : report_(report) {
    lessons_.threads = report.threads;
    lessons_.visits.resize(report.threads.size());
    lessons_.operations.resize(report.threads.size());
    last_.resize(report.threads.size());
    lastSite_.resize(report.threads.size());
  }

  RunLessons observe() {
    for (const ControlEntry& entry : report_.log) forWordsOf(entry, [&](auto... what) { meet(entry, what...); });
    blocks_.clear();
    for (const ControlEntry& entry : report_.log) {
      if (entry.thread >= lessons_.threads.size()) continue;
      ++lessons_.operations[entry.thread];
      forWordsOf(entry, [&](auto... what) { learnFrom(entry, what...); });
      if (entry.site) lastSite_[entry.thread] = entry.site;
    }
    return std::move(lessons_);
  }

private:
  // What the operation accesses: its word and, of a heap block, its life, which a free ends and all else reads.
  // How large a block is nobody knows: it ends where the next one begins, or is not that large.
  template <typename Visit> void forWordsOf(const ControlEntry& entry, Visit visit) {
    constexpr uint64_t kLife = uint64_t{1} << 62; // no word
    constexpr uint64_t kLargest = 1 << 20;
    if (kindOf(entry) == EventKind::alloc) blocks_.insert(entry.object);
    if (kindOf(entry) == EventKind::free) visit(kLife + entry.object, PlaceUse{true, true});
    if (!isShared(entry)) return;
    visit(wordOf(entry), useOf(entry));
    const auto behind = blocks_.upper_bound(entry.object);
    const uint64_t block = behind == blocks_.begin() ? 0 : *std::prev(behind);
    if (block && entry.object - block < kLargest) visit(kLife + block, PlaceUse{true, false});
  }

  void meet(const ControlEntry& entry, uint64_t at, PlaceUse use) {
    const auto [found, isNew] = words_.try_emplace(at);
    Word& word = found->second;
    if (isNew) word.firstThread = entry.thread;
    word.isMet |= word.firstThread != entry.thread;
    word.isChanged |= use.writes;
  }

  void learnFrom(const ControlEntry& entry, uint64_t at, PlaceUse use) {
    Word& word = words_.find(at)->second;
    if (!word.isMet || !word.isChanged) return;
    const uint64_t place = format::placeOf(entry.kind, entry.object, entry.site, lastSite_[entry.thread]);
    PlaceUse& known = lessons_.contended[place];
    known.reads |= use.reads;
    known.writes |= use.writes;
    if (!word.firstPlace) word.firstPlace = place;
    if (word.firstPlace != place) lessons_.together.insert({word.firstPlace, place});
    if (use.reads) lessons_.flows.insert({word.writer, place, word.writer && word.writingThread != entry.thread});
    if (use.writes) {
      word.writer = place;
      word.writingThread = entry.thread;
    }
    visit(entry, place);
  }

  // Once for each operation, however many words it accesses.
  void visit(const ControlEntry& entry, uint64_t place) {
    LastVisit& last = last_[entry.thread];
    if (last.entry == &entry) return;
    ++lessons_.visits[entry.thread][place];
    if (last.entry) lessons_.neighbours.insert({last.place, place});
    last = {&entry, place};
  }

  struct LastVisit {
    const ControlEntry* entry = nullptr;
    uint64_t place = 0;
  };

  const ControlReport& report_;
  std::unordered_map<uint64_t, Word> words_;
  std::set<uint64_t> blocks_;      // of the heap, where they begin
  std::vector<LastVisit> last_;    // by thread: the contended place that it passed last, …
  std::vector<uint32_t> lastSite_; // … and the point
  RunLessons lessons_;
};

} // namespace

std::optional<RunLessons> lessonsOf(const ControlReport& report) {
  if (report.log.empty() || report.log.size() >= format::kMostLoggedPoints) return std::nullopt;
  return Observer(report).observe();
}

bool threadsMet(const ControlReport& report) {
  std::unordered_map<uint64_t, uint32_t> firstThread; // that touched an object
  return std::any_of(report.log.begin(), report.log.end(), [&](const ControlEntry& entry) {
    return isShared(entry) && firstThread.try_emplace(entry.object, entry.thread).first->second != entry.thread;
  });
}

} // namespace symbiosis
