#include "dsp/joined_runs.h"
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace symbiosis {
namespace {

constexpr size_t kFailing = 0, kAlternate = 1;
constexpr size_t kMostToMatch = 4'000'000; // pairs compared behind a parting; beyond that nothing is matched

// What an event is called in both runs.
struct Place {
  EventKind kind = EventKind::read;
  SourceLocation at;
  std::vector<SourceLocation> stack;
  std::string object;
  bool operator==(const Place&) const = default;
};

class Joiner {
public:
  Joiner(const SymbolicTrace& failing, const SymbolicTrace& alternate) : from_{&failing, &alternate} {}

  JoinedRuns join() {
    SymbolicTrace& out = result_.trace;
    const SymbolicTrace& failing = *from_[kFailing];
    out.exprs = failing.exprs;
    out.objects = failing.objects;
    out.cells = failing.cells;
    out.symbols = failing.symbols;
    out.locations = failing.locations;
    out.threads = failing.threads;
    out.unmodelled = failing.unmodelled;
    out.weaklyOrdered = failing.weaklyOrdered;
    for (size_t side : {kFailing, kAlternate}) result_.joined[side].assign(from_[side]->events.size(), kNoEvent);
    mapObjects();
    mapCells();
    mapThreads();
    for (ThreadIndex thread = 0; thread < out.threads.size(); ++thread) joinThread(thread);
    finish();
    return std::move(result_);
  }

private:
  // --- what events refer to ---

  void mapObjects() {
    std::map<std::string, uint32_t> known;
    for (uint32_t i = 0; i < result_.trace.objects.size(); ++i) known[result_.trace.objects[i].id] = i;
    for (const TraceObject& object : from_[kAlternate]->objects) {
      const auto [at, isNew] = known.emplace(object.id, uint32_t(result_.trace.objects.size()));
      if (isNew) result_.trace.objects.push_back(object);
      object_.push_back(at->second);
    }
  }
  void mapCells() {
    auto keyOf = [](const Cell& cell) { return std::tuple(cell.object, cell.offset, cell.size); };
    std::map<std::tuple<uint32_t, uint64_t, uint8_t>, uint32_t> known;
    for (uint32_t i = 0; i < result_.trace.cells.size(); ++i) {
      known[keyOf(result_.trace.cells[i])] = i;
      result_.joinedCell[kFailing].push_back(i);
    }
    for (Cell cell : from_[kAlternate]->cells) {
      cell.object = object_[cell.object];
      cell.initial = result_.trace.exprs.constant(0, cell.size * 8u);
      const auto [at, isNew] = known.emplace(keyOf(cell), uint32_t(result_.trace.cells.size()));
      if (isNew) result_.trace.cells.push_back(cell);
      result_.joinedCell[kAlternate].push_back(at->second);
    }
  }
  void mapThreads() {
    std::map<std::string, ThreadIndex> known;
    for (ThreadIndex i = 0; i < result_.trace.threads.size(); ++i) known[result_.trace.threads[i].id] = i;
    const std::vector<TraceThread>& others = from_[kAlternate]->threads;
    thread_[kFailing].resize(result_.trace.threads.size());
    for (ThreadIndex i = 0; i < thread_[kFailing].size(); ++i) thread_[kFailing][i] = i;
    for (const TraceThread& thread : others) {
      const auto [at, isNew] = known.emplace(thread.id, ThreadIndex(result_.trace.threads.size()));
      if (isNew) result_.trace.threads.push_back(thread);
      // A thread that had hardly begun is called by what it does in the other run.
      std::string& name = result_.trace.threads[at->second].startFunction;
      if (name.starts_with("std::")) name = thread.startFunction;
      thread_[kAlternate].push_back(at->second);
    }
  }
  uint32_t mapLocation(uint32_t location) {
    if (location == kNone) return kNone;
    if (locations_.empty())
      for (uint32_t i = 0; i < result_.trace.locations.size(); ++i)
        locations_.emplace(keyOf(result_.trace.locations[i]), i);
    const SourceLocation& at = from_[kAlternate]->locations[location];
    const auto [known, isNew] = locations_.emplace(keyOf(at), uint32_t(result_.trace.locations.size()));
    if (isNew) result_.trace.locations.push_back(at);
    return known->second;
  }
  using LocationKey = std::tuple<std::string, uint32_t, uint32_t, std::string>;
  static LocationKey keyOf(const SourceLocation& at) { return {at.file, at.line, at.column, at.function}; }

  // --- events ---

  std::vector<EventRef> eventsOf(size_t side, ThreadIndex joined) const {
    std::vector<EventRef> events;
    for (ThreadIndex own = 0; own < thread_[side].size(); ++own)
      if (thread_[side][own] == joined) {
        const TraceThread& thread = from_[side]->threads[own];
        for (uint32_t i = 0; i < thread.eventCount; ++i) events.push_back(thread.firstEvent + i);
      }
    return events;
  }

  Place placeOf(size_t side, EventRef ref) const {
    const SymbolicTrace& trace = *from_[side];
    const Event& event = trace.event(ref);
    Place place;
    place.kind = event.kind;
    if (event.kind == EventKind::exit) return place; // a thread ends once, wherever
    if (event.location != kNone) place.at = trace.locations[event.location];
    for (uint32_t call : event.stack)
      place.stack.push_back(call == kNone ? SourceLocation{} : trace.locations[call]);
    if (event.object != kNone) place.object = trace.objects[event.object].id;
    return place;
  }
  std::vector<Place> placesOf(size_t side, const std::vector<EventRef>& events) const {
    std::vector<Place> places;
    for (EventRef ref : events) places.push_back(placeOf(side, ref));
    return places;
  }

  void joinThread(ThreadIndex thread) {
    const std::vector<EventRef> a = eventsOf(kFailing, thread), b = eventsOf(kAlternate, thread);
    const std::vector<Place> x = placesOf(kFailing, a), y = placesOf(kAlternate, b);
    size_t i = 0, k = 0;
    while (const auto meeting = nextMeeting(a, b, x, y, i, k)) {
      while (i < meeting->first || k < meeting->second)
        if (k == meeting->second || (i < meeting->first && indexOf(kFailing, a[i]) < indexOf(kAlternate, b[k])))
          add(a[i++], kNoEvent, true);
        else
          add(kNoEvent, b[k++], true);
      add(a[i++], b[k++]);
    }
    for (const auto& [m, n] : matches(a, b, x, y, i, k)) {
      while (i < m) add(a[i++], kNoEvent);
      while (k < n) add(kNoEvent, b[k++]);
      add(a[i++], b[k++]);
    }
    while (i < a.size()) add(a[i++], kNoEvent);
    while (k < b.size()) add(kNoEvent, b[k++]);
  }
  // Up to the parting the same point has the same number. What only one run shares with others, only one has an
  // event for: the next event of both, if there are only such accesses before it.
  std::optional<std::pair<size_t, size_t>>
  nextMeeting(const std::vector<EventRef>& a, const std::vector<EventRef>& b, const std::vector<Place>& x,
              const std::vector<Place>& y, size_t i, size_t k) const {
    while (i < a.size() && k < b.size()) {
      const uint64_t m = indexOf(kFailing, a[i]), n = indexOf(kAlternate, b[k]);
      if (m == n && x[i] == y[k] && isReal(kFailing, a[i])) return std::pair(i, k);
      if (m == n || !isAccess(m < n ? x[i].kind : y[k].kind)) return std::nullopt;
      ++(m < n ? i : k);
    }
    return std::nullopt;
  }
  uint64_t indexOf(size_t side, EventRef ref) const { return from_[side]->event(ref).id.index; }
  // Was done, and not only announced or made up.
  bool isReal(size_t side, EventRef ref) const {
    const Event& event = from_[side]->event(ref);
    return !event.pending && !event.synthetic && event.kind != EventKind::failure;
  }

  // Where one run waits for ever the other may go on: the same event.
  bool isReached(size_t side, EventRef ref) const { return isReal(side, ref) || from_[side]->event(ref).pending; }

  // The longest common part behind the parting, as pairs of positions.
  std::vector<std::pair<size_t, size_t>> matches(const std::vector<EventRef>& a, const std::vector<EventRef>& b,
                                                 const std::vector<Place>& x, const std::vector<Place>& y,
                                                 size_t fromA, size_t fromB) const {
    const size_t n = a.size() - fromA, m = b.size() - fromB;
    if (n * m > kMostToMatch) return {};
    std::vector<std::vector<uint32_t>> longest(n + 1, std::vector<uint32_t>(m + 1, 0));
    auto fits = [&](size_t i, size_t k) {
      return isReached(kFailing, a[fromA + i]) && isReal(kAlternate, b[fromB + k]) && x[fromA + i] == y[fromB + k];
    };
    for (size_t i = n; i-- > 0;)
      for (size_t k = m; k-- > 0;)
        longest[i][k] = fits(i, k) ? longest[i + 1][k + 1] + 1 : std::max(longest[i + 1][k], longest[i][k + 1]);
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0, k = 0; i < n && k < m;)
      if (fits(i, k))
        pairs.emplace_back(fromA + i++, fromB + k++);
      else if (longest[i + 1][k] >= longest[i][k + 1])
        ++i;
      else
        ++k;
    return pairs;
  }

  void add(EventRef failing, EventRef alternate, bool isUnseen = false) {
    const EventRef ref = EventRef(result_.trace.events.size());
    result_.own[kFailing].push_back(failing);
    result_.own[kAlternate].push_back(alternate);
    result_.isUnseen.push_back(isUnseen);
    if (failing != kNoEvent) result_.joined[kFailing][failing] = ref;
    if (alternate != kNoEvent) result_.joined[kAlternate][alternate] = ref;
    result_.trace.events.push_back(failing != kNoEvent ? fromFailing(failing) : fromAlternate(alternate));
  }
  Event fromFailing(EventRef ref) {
    Event event = from_[kFailing]->event(ref);
    copyParts(kFailing, ref, event);
    return event;
  }
  Event fromAlternate(EventRef ref) {
    Event event = from_[kAlternate]->event(ref);
    event.id.thread = thread_[kAlternate][event.id.thread];
    if (event.object != kNone) event.object = object_[event.object];
    if (event.mutex != kNone) event.mutex = object_[event.mutex];
    if (event.peer != kNone) event.peer = thread_[kAlternate][event.peer];
    event.location = mapLocation(event.location);
    for (uint32_t& call : event.stack) call = mapLocation(call);
    copyParts(kAlternate, ref, event);
    return event;
  }
  void copyParts(size_t side, EventRef ref, Event& event) {
    event.firstPart = uint32_t(result_.trace.parts.size());
    for (Part part : from_[side]->partsOf(ref)) {
      part.cell = result_.joinedCell[side][part.cell];
      if (side == kAlternate) part.symbol = kNone, part.written = part.guard = kNoExpr;
      result_.trace.parts.push_back(part);
    }
  }

  void finish() {
    SymbolicTrace& out = result_.trace;
    out.failure = from_[kFailing]->failure;
    if (out.failure.event != kNoEvent) out.failure.event = result_.joined[kFailing][out.failure.event];
    for (SymbolInfo& symbol : out.symbols)
      if (symbol.event != kNoEvent) symbol.event = result_.joined[kFailing][symbol.event];
    finishThreads(out);
  }

  const SymbolicTrace* from_[2];
  std::vector<uint32_t> object_;       // of the alternate, in the joined trace
  std::vector<ThreadIndex> thread_[2]; // by thread of the run: in the joined trace
  std::map<LocationKey, uint32_t> locations_;
  JoinedRuns result_;
};

} // namespace

EventOrder JoinedRuns::join(size_t side, const EventOrder& order) const {
  EventOrder result;
  for (EventRef ref : order) result.push_back(joined[side][ref]);
  return result;
}

JoinedRuns joinRuns(const SymbolicTrace& failing, const SymbolicTrace& alternate) {
  return Joiner(failing, alternate).join();
}

} // namespace symbiosis
