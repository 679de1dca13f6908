// What the world outside sees of a controlled process: a page that is always current, the log of what was granted,
// and why the process was ended. Written before the grant, so that a crash or a kill loses nothing.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/strategies/strategy.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace symbiosis::runtime::control {

format::ControlStatus* status = nullptr;
format::ControlConfig config = {};

namespace {

// Our mappings lie where the program's own never do, so that its addresses do not depend on what we map.
constexpr uintptr_t kStatusAddress = 0x100000000000;
constexpr uintptr_t kLogAddress = 0x100010000000;
constexpr uintptr_t kScheduleAddress = 0x100020000000;

WindowedLog grants = {};
uint8_t* nextGrant = nullptr;

bool openGrants(uint64_t fileOffset) {
  char name[4200];
  size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, "/schedule");
  const int saved = errno; // the program must not see that we were here
  const bool kept = openWindow(grants, name, fileOffset);
  errno = saved;
  return kept;
}

void append(const format::ControlEntry& entry) {
  if (nextGrant == grants.base + grants.window) {
    if (!openGrants(grants.fileOffset + grants.window)) {
      Text() << "the schedule cannot be logged any more after " << status->logged
             << " entries: " << processHeader->problem;
      endProcess(format::ControlOutcome::gaveUp);
    }
    nextGrant = grants.base;
  }
  memcpy(nextGrant, &entry, sizeof entry);
  nextGrant += sizeof entry;
  ++status->logged;
}

format::ControlEntry entryFor(const ThreadState& thread, format::EntryType type) {
  const Operation& pending = thread.control.pending;
  // Whether a call would have waited for the world outside is not the schedule's doing.
  const bool mustWait = type == format::EntryType::position && !pending.awaits && !isEnabled(thread);
  const uint16_t choice = mustWait ? 1 : pending.choice;
  const uint8_t kind = effectiveKind(thread);
  const bool isJoin = kind == uint8_t(EventKind::join) && pending.peer;
  const uint64_t object = isJoin ? pending.peer->serial : effectiveObject(thread);
  return {thread.serial, kind, type, choice, pending.index, object, pending.site, thread.control.silent};
}

} // namespace

bool openStatus() {
  char name[4200];
  size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, "/control");
  void* memory =
      mapFile(name, 0, (sizeof *status + 4095) & ~size_t{4095}, reinterpret_cast<void*>(kStatusAddress));
  if (!memory) return false;
  status = static_cast<format::ControlStatus*>(memory);
  status->version = format::kFormatVersion;
  memcpy(status->magic, format::kStatusMagic, sizeof status->magic);
  grants = {reinterpret_cast<uint8_t*>(kLogAddress), 0, format::kScheduleWindow, 0, "schedule"};
  if (config.log != format::ControlLog::nothing && !openGrants(0)) return false;
  nextGrant = grants.base;
  return true;
}

bool logsEverything() {
  return config.log == format::ControlLog::everything && status->logged < format::kMostLoggedPoints;
}

void logGrant(const ThreadState& thread, const ThreadState* previous) {
  const Operation& pending = thread.control.pending;
  const bool switched = previous != &thread;
  if (config.log == format::ControlLog::nothing) return;
  if (logsEverything()) return append(entryFor(thread, format::EntryType::event));
  if (switched && previous) append(entryFor(*previous, format::EntryType::position));
  if (switched || !isMinor(pending)) append(entryFor(thread, format::EntryType::event));
}

void reportWait(const ThreadState& thread) {
  if (status->waits < format::kMostReportedWaits)
    status->waiting[status->waits++] = entryFor(thread, format::EntryType::event);
}

void endProcess(format::ControlOutcome outcome) {
  if (outcome == format::ControlOutcome::gaveUp && self) {
    Text text = Text::more();
    text << " (thread ";
    text.thread(self->serial) << ")";
  }
  status->outcome = outcome;
  systemCall(SYS_exit_group, format::kControlExit);
  __builtin_unreachable();
}

Text::Text() { status->text[0] = 0; }

Text Text::more() { return Text(strlen(status->text)); }

Text& Text::operator<<(const char* text) {
  length_ += copyText(status->text + length_, sizeof status->text - length_, text);
  return *this;
}

Text& Text::operator<<(uint64_t number) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = 0;
  do digits[--at] = char('0' + number % 10);
  while (number /= 10);
  return *this << digits + at;
}

Text& Text::thread(uint32_t serial) {
  if (serial >= format::kMostControlledThreads) return *this << "?";
  const format::ControlThread& known = status->table[serial];
  if (known.parent == serial) return *this << "0";
  return thread(known.parent) << "." << uint64_t{known.ordinal};
}

// The generators that are begun with a seed (strategy.h, randomness.cpp) add a constant to it for each number that
// they draw: seeds that differ by that constant would give the same numbers, one later. What is begun with is
// therefore drawn itself.
static uint64_t independent(uint64_t seed) {
  strategies::Random random = {seed ^ 0x6A09E667F3BCC908ull};
  return random.next();
}

static uint64_t sizeOfLessons() {
  return config.expectations * sizeof(format::ThreadExpectation) +
         (uint64_t{config.contended} + config.selected) * sizeof(uint64_t) +
         config.steps * sizeof(format::SequenceStep);
}

// Behind the entries of the control file.
static void takeLessons(const uint8_t* at) {
  auto take = [&](auto*& to, uint32_t count) {
    to = count ? reinterpret_cast<decltype(to)>(at) : nullptr;
    at += count * sizeof *to;
  };
  strategies::Lessons& lessons = strategies::lessons;
  take(lessons.threads, config.expectations);
  take(lessons.contended, lessons.contendedCount = config.contended);
  take(lessons.selected, lessons.selectedCount = config.selected);
  take(lessons.steps, lessons.stepCount = config.steps);
}

// Maps the whole control file; it is read as the schedule is followed.
bool start(const char* session) {
  char name[4200];
  size_t at = copyText(name, sizeof name, session);
  copyText(name + at, sizeof name - at, "/control");
  const int fd = openFile(name, O_RDONLY);
  if (fd < 0) return false;
  struct stat file;
  void* memory = MAP_FAILED;
  if (fstat(fd, &file) == 0 && size_t(file.st_size) >= sizeof config)
    memory = mmap(reinterpret_cast<void*>(kScheduleAddress), size_t(file.st_size), PROT_READ,
                  MAP_PRIVATE | MAP_FIXED, fd, 0);
  closeFile(fd);
  if (memory == MAP_FAILED) return false;
  memcpy(&config, memory, sizeof config);
  config.seed = independent(config.seed);
  const uint64_t wanted = sizeof config + config.threads * sizeof(format::ControlThread) +
                          config.entries * sizeof(format::ControlEntry) + sizeOfLessons();
  if (memcmp(config.magic, format::kControlMagic, sizeof config.magic) != 0 ||
      config.version != format::kFormatVersion || config.threads > format::kMostControlledThreads ||
      (config.expectations && config.expectations != config.threads) || config.steps > format::kMostSteps ||
      uint64_t(file.st_size) != wanted || !openStatus())
    return false;
  takeLessons(static_cast<const uint8_t*>(memory) + wanted - sizeOfLessons());
  if (!startNoticing(strategies::lessons.contended, strategies::lessons.contendedCount)) return false;
  startFollowing(*static_cast<const format::ControlConfig*>(memory));
  openInputs(session);
  fixHeapKey();
  startHolding();
  return true;
}

} // namespace symbiosis::runtime::control
