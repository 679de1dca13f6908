#pragma once
// Requests to cancel threads (trace/format.h, kCancellations), as the events of all threads come by.
#include "symexec/thread_events.h"
#include "trace/recording.h"
#include <algorithm>
#include <map>

namespace symbiosis {

class Cancellations {
public:
  static bool isRequest(const RawEvent& event) { return event.address & format::kCancellations; }

  // Returns what the request is called.
  std::string note(const RawEvent& event, const Recording& recording) {
    if (event.kind == EventKind::semPost) isTaken_.try_emplace(event.address, false);
    if (event.kind == EventKind::semWait) isTaken_[event.address] = true;
    for (const ThreadLog& log : recording.threads)
      if (format::cancellationOf(log.serial) == event.address) return "cancellation of thread " + log.id;
    return "cancellation of a thread";
  }

  // Not taken: it came too late, or the thread gave up in a call that has no event. Then the trace does not tell
  // what the request has to do with what the thread did.
  bool allTaken() const {
    return std::all_of(isTaken_.begin(), isTaken_.end(), [](const auto& request) { return request.second; });
  }

private:
  std::map<uint64_t, bool> isTaken_; // by object
};

} // namespace symbiosis
