#pragma once
// What `symbiosis isolate` says.
#include "search/isolate.h"
#include "trace/schedule.h"

namespace symbiosis {

// One of the two runs as it is kept.
struct KeptRun {
  const SymbolicTrace* trace = nullptr; // null: none could be made
  const EventOrder* order = nullptr;
  size_t replays = 0, asExpected = 0;
  std::string schedule; // the file
};

void printIsolated(const Isolated& result, const KeptRun& failing, const KeptRun& passing,
                   const std::string& report, const std::string& directory);

} // namespace symbiosis
