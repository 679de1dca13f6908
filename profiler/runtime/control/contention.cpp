// Which points of the program can matter to other threads, learned while it runs. Most points of a long run lie in
// memory that one thread has to itself, or that was handed over in good order; a switch of threads there changes
// nothing that anybody could see, so strategies need not be asked (ControlConfig::noticing).
//
// A point is *noticed* from the moment at which it takes part in a race of this run: two threads access a word,
// one of them writes, and no synchronisation between them orders the two (happens-before by vector clocks; of each
// word the last write and the last read are kept, as epochs: Flanagan, Freund: "FastTrack", PLDI 2009). Atomic
// updates are noticed at once where two threads make them. Operations that are no points, and the ends of blocks,
// are always noticed. A lock may have ordered in this run what another run leaves open: the launcher joins what
// several runs have shown, and in each of them locks are noticed anyway.
//
// Where we depart from the paper: the table of words is lossy (a word that comes takes the place of the one that
// was there), the read epoch is that of the last reader alone, and threads behind the first kMostClocks are
// noticed wherever they are. Each costs precision, not soundness: what is not noticed is only not switched at.
#include "profiler/runtime/control/control.h"
#include "trace/sync_model.h"
#include <sys/mman.h>

extern "C" {
__attribute__((visibility("hidden"))) uint8_t* __symbiosis_noticed = nullptr; // null: every point is noticed
}

namespace symbiosis::runtime::control {
namespace {

constexpr uintptr_t kNoticedAddress = 0x100040000000;
constexpr uintptr_t kWordsAddress = 0x100050000000;
constexpr uintptr_t kClocksAddress = 0x100060000000;
constexpr uintptr_t kPlacesAddress = 0x100070000000;
constexpr uint32_t kMostPoints = 1u << 28; // numbers of the snapshot; a bit each
constexpr uint32_t kMostClocks = 64;       // threads
constexpr uint32_t kWords = 1u << 20, kObjects = 1u << 12;
constexpr uint64_t kLongest = 1u << 16; // bytes of a range or block that are looked at

struct Epoch {
  uint32_t clock; // of its thread; 0: nobody yet
  uint32_t thread;
  uint32_t site;
};

struct Word {
  uint64_t address;
  Epoch write, read;
};

struct Clocks {
  uint32_t of[kMostClocks];
};

struct Object {
  const void* address;
  Clocks released;
};

struct Tables {
  Clocks threads[kMostClocks];
  Object objects[kObjects];
};

uint8_t* noticed = nullptr; // one bit for each point
Word* words = nullptr;      // null: nothing is learned
Tables* tables = nullptr;
format::NoticedPlaces* places = nullptr;

template <typename T> T* mapAt(uintptr_t address, size_t size) {
  void* memory = mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, size, MADV_DONTDUMP);
  return static_cast<T*>(memory);
}

bool isMarked(uint32_t site) { return noticed[site / 8] >> (site % 8) & 1; }
void mark(uint32_t site) { noticed[site / 8] = uint8_t(noticed[site / 8] | 1u << (site % 8)); }

void notice(uint32_t site) {
  if (!site || site >= kMostPoints || isMarked(site)) return;
  mark(site);
  if (places->count < format::kMostNoticedPlaces) places->places[places->count++] = site;
}

void join(Clocks& to, const Clocks& from) {
  for (uint32_t i = 0; i < kMostClocks; ++i)
    if (to.of[i] < from.of[i]) to.of[i] = from.of[i];
}

// Null: there are too many, and no order is known between those who use it.
Clocks* clocksOf(const void* object) {
  constexpr uint32_t kTries = 8;
  const uint64_t hash = reinterpret_cast<uint64_t>(object) * 0x9E3779B97F4A7C15ull >> 40;
  for (uint32_t i = 0; i < kTries; ++i) {
    Object& found = tables->objects[(hash + i) % kObjects];
    if (!found.address) found.address = object;
    if (found.address == object) return &found.released;
  }
  return nullptr;
}

void acquire(const void* object) {
  if (const Clocks* clocks = clocksOf(object)) join(tables->threads[self->serial], *clocks);
}

void release(const void* object) {
  Clocks& own = tables->threads[self->serial];
  if (Clocks* clocks = clocksOf(object)) join(*clocks, own);
  ++own.of[self->serial];
}

bool isBefore(const Epoch& epoch, const Clocks& clocks) {
  return epoch.clock <= clocks.of[epoch.thread] || epoch.thread == self->serial;
}

// Two accesses of which nothing says who comes first.
void meet(const Epoch& earlier, uint32_t site) {
  if (isBefore(earlier, tables->threads[self->serial])) return;
  notice(earlier.site);
  notice(site);
}

Word& wordAt(uint64_t address) {
  Word& word = words[(address * 0x9E3779B97F4A7C15ull >> 40) % kWords];
  if (word.address != address) word = {address, {}, {}};
  return word;
}

void learnWord(uint64_t address, bool reads, bool writes, uint32_t site) {
  Word& word = wordAt(address);
  const Epoch now = {tables->threads[self->serial].of[self->serial], self->serial, site};
  meet(word.write, site);
  if (writes) meet(word.read, site);
  if (writes) word.write = now;
  if (reads) word.read = now;
}

bool known() { return words && self->serial < kMostClocks; }

void startClock(const ThreadState& thread) {
  uint32_t& own = tables->threads[thread.serial].of[thread.serial];
  if (!own) own = 1;
}

} // namespace

bool startNoticing(const uint64_t* contended, uint32_t count) {
  if (config.noticing == format::Noticing::everything || config.entries) return true;
  noticed = mapAt<uint8_t>(kNoticedAddress, kMostPoints / 8);
  if (!noticed) return false;
  for (uint32_t i = 0; i < count; ++i)
    if (contended[i] < kMostPoints) mark(uint32_t(contended[i]));
  if (config.noticing == format::Noticing::told) {
    __symbiosis_noticed = noticed;
    return true;
  }
  words = mapAt<Word>(kWordsAddress, kWords * sizeof(Word));
  tables = mapAt<Tables>(kClocksAddress, sizeof(Tables));
  char name[4200];
  size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, "/places");
  places = static_cast<format::NoticedPlaces*>(
      mapFile(name, 0, sizeof *places, reinterpret_cast<void*>(kPlacesAddress)));
  return words && tables && places;
}

bool isLearning() { return words; }

bool passesUnnoticed() {
  if (!noticed) return false;
  return config.noticing == format::Noticing::told || status->points >= format::kAllNoticed;
}

bool isNoticed(uint32_t site) { return !site || site >= kMostPoints || isMarked(site); }

void learnAccess(const void* address, uint32_t kind, uint32_t site) {
  if (!known()) return notice(site);
  if (!address || kind & format::kRangeAccess) return;
  const EventKind what = EventKind(kind & 0xFF);
  const uint64_t word = reinterpret_cast<uint64_t>(address) & ~uint64_t{7};
  const bool isOrdered = what == EventKind::rmw || kind & format::kOrderedAccess;
  learnWord(word, what != EventKind::write, what != EventKind::read, site);
  if (isOrdered && what != EventKind::write) acquire(address);
  if (isOrdered && what != EventKind::read) release(address);
}

void learnRange(const void* address, uint64_t size, uint32_t site) {
  if (!known()) return;
  const uint64_t begin = reinterpret_cast<uint64_t>(address) & ~uint64_t{7};
  const uint64_t end = reinterpret_cast<uint64_t>(address) + (size < kLongest ? size : kLongest);
  for (uint64_t word = begin; word < end; word += 8) learnWord(word, false, true, site);
}

void forgetRange(const void* address, uint64_t size) {
  if (!words) return;
  const uint64_t begin = reinterpret_cast<uint64_t>(address) & ~uint64_t{7};
  const uint64_t end = reinterpret_cast<uint64_t>(address) + (size < kLongest ? size : kLongest);
  for (uint64_t word = begin; word < end; word += 8) wordAt(word) = {};
}

void learnOrder(const Operation& operation) {
  if (!known()) return;
  const EventKind kind = kindOf(operation);
  if (kind == EventKind::start) return startClock(*self);
  if (kind == EventKind::join && operation.peer && operation.peer->serial < kMostClocks)
    return join(tables->threads[self->serial], tables->threads[operation.peer->serial]);
  if (!operation.object || !isSync(kind)) return;
  const bool onlyGives = kind == EventKind::signal || kind == EventKind::broadcast || kind == EventKind::semPost ||
                         kind == EventKind::futexWake;
  const bool onlyTakes = kind == EventKind::wake || kind == EventKind::semWait || kind == EventKind::futexWoken;
  if (!onlyGives) acquire(operation.object);
  if (!onlyTakes) release(operation.object);
}

void learnRelease(const void* object) {
  if (known()) release(object);
}

void learnFork(const ThreadState& child) {
  if (!known() || child.serial >= kMostClocks) return;
  Clocks& own = tables->threads[self->serial];
  join(tables->threads[child.serial], own);
  startClock(child);
  ++own.of[self->serial];
}

void stopLearning() {
  if (!words) return;
  munmap(words, kWords * sizeof(Word));
  words = nullptr;
  __symbiosis_noticed = noticed;
}

} // namespace symbiosis::runtime::control
