#pragma once
// What a diagnosis has found so far, kept beside the recording: one that was interrupted, or is asked for again,
// goes on behind the last finished phase. Only answers are kept; a phase that gave up is tried again.
#include "dsp/diagnosis.h"
#include <filesystem>
#include <optional>

namespace symbiosis {

struct SavedPhases {
  std::optional<EventOrder> failing; // after context-switch reduction
  size_t originalSwitches = 0, originalPreemptions = 0;
  std::optional<std::vector<RootCause>> causes;
  std::optional<std::vector<Alternate>> alternates;
  std::optional<Certificate> certificate; // complete
};

// What `file` holds, as far as it belongs to `key` (the trace and the options) and its schedules still do what
// they are said to; otherwise nothing.
SavedPhases loadPhases(const std::filesystem::path& file, const std::string& key, const SymbolicTrace& trace);
Result<void> savePhases(const std::filesystem::path& file, const std::string& key, const SavedPhases& phases);

} // namespace symbiosis
