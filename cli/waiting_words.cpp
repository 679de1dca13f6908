#include "cli/waiting_words.h"
#include "symexec/symexec.h"
#include "trace/waits.h"
#include <fmt/format.h>

namespace symbiosis {

WaitingWords waitingWords(const Recording& recording) {
  const EndingKind ending = recording.info.ending.kind;
  if (recording.failure || (ending != EndingKind::timedOut && ending != EndingKind::deadlocked)) return {};
  WaitingWords words;
  words.failure = recording.info.problem.empty() ? toText(recording.info.ending) : recording.info.problem;
  for (const ThreadLog& thread : recording.threads)
    if (endsWaiting(thread))
      words.waits.push_back(
          fmt::format("thread {} waits ({})", thread.id, toText(EventKind(thread.ops.back().kind))));
  // Places and names need the whole path; that of a thread that ran until the time limit may be long.
  constexpr uint64_t kMostLogBytes = 4'000'000;
  if (words.waits.empty() || recording.info.logBytes > kMostLogBytes) return words;
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  if (!trace) return words;
  words.waits.clear();
  words.failure = fmt::format("{}: {}", toText(trace->failure.kind), trace->failure.message);
  for (const Wait& wait : findWaits(*trace)) words.waits.push_back(toText(*trace, wait));
  return words;
}

} // namespace symbiosis
