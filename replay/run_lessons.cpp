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
  case EventKind::free:
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
  }

  RunLessons observe() {
    for (const ControlEntry& entry : report_.log) meet(entry);
    for (const ControlEntry& entry : report_.log)
      if (entry.thread < lessons_.threads.size()) learnFrom(entry);
    return std::move(lessons_);
  }

private:
  void meet(const ControlEntry& entry) {
    if (!isShared(entry)) return;
    const auto [at, isNew] = words_.try_emplace(wordOf(entry));
    Word& word = at->second;
    if (isNew) word.firstThread = entry.thread;
    word.isMet |= word.firstThread != entry.thread;
    word.isChanged |= useOf(entry).writes;
  }

  void learnFrom(const ControlEntry& entry) {
    ++lessons_.operations[entry.thread];
    if (!isShared(entry)) return;
    Word& word = words_.find(wordOf(entry))->second;
    if (!word.isMet || !word.isChanged) return;
    const uint64_t place = format::placeOf(entry.kind, entry.object, entry.site);
    const PlaceUse use = useOf(entry);
    PlaceUse& known = lessons_.contended[place];
    known.reads |= use.reads;
    known.writes |= use.writes;
    ++lessons_.visits[entry.thread][place];
    if (!word.firstPlace) word.firstPlace = place;
    if (word.firstPlace != place) lessons_.together.insert({word.firstPlace, place});
    if (use.reads)
      lessons_.flows.insert({word.writer, place, word.writer && word.writingThread != entry.thread});
    if (use.writes) {
      word.writer = place;
      word.writingThread = entry.thread;
    }
    if (last_[entry.thread]) lessons_.neighbours.insert({last_[entry.thread], place});
    last_[entry.thread] = place;
  }

  const ControlReport& report_;
  std::unordered_map<uint64_t, Word> words_;
  std::vector<uint64_t> last_; // by thread: the contended place that it passed last
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
