#pragma once
// What a diagnosis has left beside its recording, as far as breakpoints are made of it.
#include "trace/recording.h"
#include "trace/schedule.h"
#include "trace/symbolic_trace.h"

namespace symbiosis {

struct DiagnosedRecording {
  Recording recording; // the recorded run or, where the diagnosis had to leave its path, the one that it explains
  SymbolicTrace trace;
  EventOrder failing;
  std::string name;     // "queue-1"
  std::string headline; // what the diagnosis says; may be empty
};

// Error badInput: the recording has not been diagnosed, or what is there does not belong to it.
Result<DiagnosedRecording> openDiagnosed(const std::filesystem::path& directory);

// A recorded run and an order of its events: as it was granted, or as its time stamps suggest.
struct RecordedTrace {
  SymbolicTrace trace;
  EventOrder order;
};
Result<RecordedTrace> traceOf(const Recording& recording);

} // namespace symbiosis
