#include "search/path_limits.h"
#include "constraints/must_order.h"
#include "constraints/sync_structure.h"
#include "search/lifetimes.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

class PathLimits {
public:
  explicit PathLimits(const ExploredPath& path)
      : path_(path), trace_(path.run.trace), order_(trace_, analyseSync(trace_).must) {}

  std::vector<std::string> find() {
    for (const std::string& name : trace_.unmodelled)
      limits_.push_back(fmt::format("{} may have written memory that threads share", name));
    if (path_.run.recording.forked > 0) limits_.push_back("the program makes child processes");
    if (std::any_of(trace_.symbols.begin(), trace_.symbols.end(),
                    [](const SymbolInfo& symbol) { return symbol.event == kNoEvent && !symbol.observed; }))
      limits_.push_back("there are values that nobody knows");
    lookAtKinds();
    lookAtSpins();
    lookAtThreads();
    lookAtHeap();
    return std::move(limits_);
  }

private:
  // Operations whose outcomes are not decisions yet.
  void lookAtKinds() {
    for (const Event& event : trace_.events) switch (event.kind) {
      case EventKind::onceBegin:
      case EventKind::onceEnd:
      case EventKind::oncePass:
        add("who runs an initialiser (once, or a static variable of a function)", event);
        break;
      case EventKind::futexWait:
      case EventKind::futexWoken:
      case EventKind::futexWake: add("waits in the kernel's terms (latch, future, atomic wait)", event); break;
      case EventKind::send: add("what is sent through a pipe or socket", event); break;
      default: break;
      }
    for (const TraceObject& object : trace_.objects)
      if (object.id.starts_with(kChannelId))
        return limits_.push_back("what is sent through a pipe or socket"), void();
    for (const ThreadLog& log : path_.run.recording.threads)
      for (const format::OpRecord& record : log.ops)
        if (EventKind(record.kind) == EventKind::input)
          return limits_.push_back("what clocks, random numbers or waits in the kernel's terms return"), void();
  }

  // Who goes round a loop that only looks waits for others, and may do so for ever; that is not asked about. A
  // round in which it waits at a condition variable is: there it is held up for all to see.
  void lookAtSpins() {
    for (const Condition& condition : trace_.conditions)
      if (condition.idles && !waitsBehind(condition.after))
        add("whether a loop that looks at a variable comes to an end", trace_.event(condition.after));
    for (const Event& event : trace_.events)
      if (event.idle && event.kind != EventKind::wake && event.outcome != 0 && hasOutcome(event))
        add("whether a loop that tries comes to an end", event);
  }
  bool waitsBehind(EventRef ref) const {
    const TraceThread& thread = trace_.threads[trace_.threadOf(ref)];
    while (++ref < thread.firstEvent + thread.eventCount)
      if (trace_.event(ref).kind == EventKind::waitBegin)
        return true;
      else if (trace_.event(ref).kind != EventKind::read || !trace_.event(ref).idle)
        return false;
    return false;
  }

  // The process may end at any moment of a thread that nobody waits for; what runs while it ends is not asked
  // about.
  void lookAtThreads() {
    const TraceThread& main = trace_.threads[0];
    if (main.eventCount == 0) return limits_.push_back("the main thread has no events"), void();
    const EventRef last = main.firstEvent + main.eventCount - 1;
    for (ThreadIndex thread = 1; thread < trace_.threads.size(); ++thread) {
      const TraceThread& other = trace_.threads[thread];
      if (other.eventCount == 0 || !order_.before(other.firstEvent + other.eventCount - 1, last))
        limits_.push_back(fmt::format("{} is not joined before the process ends", nameOf(thread)));
    }
  }

  void lookAtHeap() {
    if (path_.report.givenBack > 0) limits_.push_back("more blocks are freed than can be held back");
    const bool frees = std::any_of(trace_.objects.begin(), trace_.objects.end(),
                                   [](const TraceObject& object) { return object.endedBy != kNone; });
    if (frees && path_.report.holding != format::Holding::on)
      limits_.push_back("freed blocks are not held back, so that their use may go unnoticed");
    std::vector<uint32_t> unknown;
    possibleUsesAfterEnd(trace_, unknown); // the others are asked about
    for (uint32_t object : unknown)
      limits_.push_back(fmt::format("{} is freed in a library by {} while another thread may use it",
                                    trace_.objects[object].name.empty() ? trace_.objects[object].id
                                                                        : trace_.objects[object].name,
                                    nameOf(trace_.objects[object].endedBy)));
  }

  std::string nameOf(ThreadIndex thread) const { return trace_.threads[thread].displayName; }

  void add(const char* what, const Event& event) {
    std::string text = what;
    if (event.location != kNone) text += " at " + placeText(trace_, event.location);
    if (std::find(limits_.begin(), limits_.end(), text) == limits_.end()) limits_.push_back(std::move(text));
  }

  const ExploredPath& path_;
  const SymbolicTrace& trace_;
  const MustOrder order_;
  std::vector<std::string> limits_;
};

} // namespace

std::vector<std::string> limitsOfPath(const ExploredPath& path) { return PathLimits(path).find(); }

} // namespace symbiosis
