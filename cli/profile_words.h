#pragma once
// What `symbiosis profile` says: while it runs the program, and of what it has recorded.
#include "cli/progress.h"
#include "replay/record.h"

namespace symbiosis {

class ProfileWords : public RecordObserver {
public:
  explicit ProfileWords(uint64_t seed) : seed_(seed) {}

  void beginsNativeRun(uint64_t run, uint64_t of) override;
  void beginsRunOfDescendants(uint64_t run, uint64_t of) override;
  void descendantFailed(const RecordedProcess& process) override;
  void descendantsPassed(const std::set<std::string>& commands) override;
  void explores(const ExploreCounts& counts) override;
  void explored(const ExploreResult& result) override;
  void threadsNeverMeet() override;
  void looksForMisuse(uint64_t run, const format::FailureRecord& failure) override;
  void lookedForMisuse(bool found, const ExploreResult& result) override;
  void keepsElsewhere(const Error& why) override;

private:
  uint64_t seed_; // of the exploration
  Progress progress_;
};

// `valueLimit`: megabytes.
void printRecorded(const RecordedRun& run, const Recording& recording, uint64_t valueLimit);

} // namespace symbiosis
