#include "cli/waiting_words.h"
#include "symexec/symexec.h"
#include "trace/waits.h"
#include <fmt/format.h>

namespace symbiosis {

WaitingWords waitingWords(const Recording& recording) {
  const EndingKind ending = recording.info.ending.kind;
  if (recording.failure || (ending != EndingKind::timedOut && ending != EndingKind::deadlocked)) return {};
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  if (!trace) // what the runtime said has to do
    return {recording.info.problem.empty() ? toText(recording.info.ending) : recording.info.problem, {}};
  WaitingWords words;
  words.failure = fmt::format("{}: {}", toText(trace->failure.kind), trace->failure.message);
  for (const Wait& wait : findWaits(*trace)) words.waits.push_back(toText(*trace, wait));
  return words;
}

} // namespace symbiosis
