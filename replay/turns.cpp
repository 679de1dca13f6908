#include "replay/turns.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace symbiosis {
namespace {

// Where its thread stood behind the entry.
void advance(ThreadTurn& turn, const format::ControlEntry& entry) {
  turn.end = format::pointsAfter(entry);
  turn.silent =
      entry.silent + (entry.type == format::EntryType::event && (entry.kind & format::kSilentBit) ? 1 : 0);
  const bool isPosition = entry.type == format::EntryType::position;
  turn.mustWait = isPosition ? entry.choice != 0 : entry.kind == uint8_t(EventKind::exit);
}

// The log says where threads stood when others went on; behind the last turn nobody did.
void completeLast(ThreadTurn& turn, const ControlReport& report, const std::vector<std::string>& ids) {
  auto isOfThread = [&](uint32_t serial) { return serial < ids.size() && ids[serial] == turn.thread; };
  const format::ControlEntry& last = report.log.back();
  if (last.type == format::EntryType::event && last.kind == uint8_t(EventKind::exit)) return;
  turn.end = kToItsEnd;
  turn.silent = 0;
  const auto& failure = report.failure;
  if (failure && failure->index != format::kNoIndex && isOfThread(failure->serial))
    turn.end = failure->index + 1; // with the failing operation itself
  for (const format::ControlEntry& waiting : report.waiting)
    if (isOfThread(waiting.thread)) turn.end = waiting.index;
}

// Threads that wait for others than one that is to end, with the kind of what they wait for.
std::set<std::pair<std::string, uint8_t>> waitsOf(const ControlReport& report) {
  const std::vector<std::string> ids = threadIds(report.threads);
  std::set<std::pair<std::string, uint8_t>> waits;
  for (const format::ControlEntry& entry : report.waiting)
    if (entry.thread < ids.size() && entry.kind != uint8_t(EventKind::join))
      waits.emplace(ids[entry.thread], entry.kind);
  return waits;
}

} // namespace

Turns turnsOf(const ControlReport& report) {
  const std::vector<std::string> ids = threadIds(report.threads);
  Turns turns;
  for (const format::ControlEntry& entry : report.log) {
    if (entry.thread >= ids.size()) continue;
    if (turns.empty() || turns.back().thread != ids[entry.thread]) turns.push_back({.thread = ids[entry.thread]});
    advance(turns.back(), entry);
  }
  if (!turns.empty()) completeLast(turns.back(), report, ids);
  return turns;
}

Turns tidied(const Turns& turns) {
  Turns result;
  std::map<std::string, ThreadTurn> reached;
  for (const ThreadTurn& turn : turns) {
    const auto [before, isFirst] = reached.try_emplace(turn.thread, turn);
    if (!isFirst && !before->second.isBefore(turn)) continue;
    before->second = turn;
    if (!result.empty() && result.back().thread == turn.thread)
      result.back() = turn;
    else
      result.push_back(turn);
  }
  return result;
}

size_t preemptionsOf(const Turns& turns) {
  return size_t(std::count_if(turns.begin(), turns.end() - (turns.empty() ? 0 : 1),
                              [](const ThreadTurn& turn) { return !turn.mustWait; }));
}

Result<Plan> planOf(const Turns& turns) {
  ThreadTable table;
  std::vector<format::ControlEntry> entries;
  for (const ThreadTurn& turn : turns) {
    Result<uint32_t> thread = table.numberOf(turn.thread);
    if (!thread) return thread.error();
    format::ControlEntry entry{};
    entry.thread = *thread;
    entry.type = format::EntryType::turn;
    entry.index = turn.end;
    entry.silent = turn.silent;
    entries.push_back(entry);
  }
  return Plan{table.threads(), std::move(entries)};
}

bool failAlike(const ControlReport& a, const ControlReport& b) {
  if (a.failure.has_value() != b.failure.has_value()) return false;
  if (!a.failure && a.outcome == format::ControlOutcome::deadlock)
    return b.outcome == a.outcome && waitsOf(a) == waitsOf(b);
  if (!a.failure) return a.outcome == b.outcome && a.ending == b.ending && !a.stuck && !b.stuck;
  const format::FailureRecord &x = *a.failure, &y = *b.failure;
  if (x.cause != y.cause || threadIds(a.threads)[x.serial] != threadIds(b.threads)[y.serial]) return false;
  if (x.cause == format::FailureCause::signal)
    return x.signal == y.signal && x.code == y.code && x.inBody == y.inBody &&
           std::strcmp(x.exceptionType, y.exceptionType) == 0;
  return x.line == y.line && std::strcmp(x.file, y.file) == 0;
}

} // namespace symbiosis
