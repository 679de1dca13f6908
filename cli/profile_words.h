#pragma once
// What `symbiosis profile` says: while it runs the program, and of what it has recorded.
#include "cli/progress.h"
#include "replay/portfolio.h"
#include "replay/record.h"

namespace symbiosis {

class ProfileWords : public RecordObserver {
public:
  // `schedules`: of the exploration; null: there is none.
  ProfileWords(uint64_t seed, Portfolio* schedules) : seed_(seed), schedules_(schedules) {}
  const std::optional<ExploreResult>& result() const { return result_; } // of the exploration, if there was one
  const std::vector<RecordedRun>& kept() const { return kept_; }         // where it went on behind each

  void end() { progress_.clear(); } // what follows is on a line of its own

  void beginsNativeRun(uint64_t run, uint64_t of) override;
  void beginsRunOfDescendants(uint64_t run, uint64_t of) override;
  void descendantFailed(const RecordedProcess& process) override;
  void descendantsPassed(const std::set<std::string>& commands) override;
  void explores(const ExploreCounts& counts) override;
  void explored(const ExploreResult& result) override;
  void keeps(const RecordedRun& run) override;
  void threadsNeverMeet() override;
  void looksForMisuse(uint64_t run, const format::FailureRecord& failure) override;
  void lookedForMisuse(bool found, const ExploreResult& result) override;
  void keepsElsewhere(const Error& why) override;

private:
  uint64_t seed_; // of the exploration
  Portfolio* schedules_;
  std::optional<ExploreResult> result_;
  std::vector<RecordedRun> kept_;
  Progress progress_;
};

// `valueLimit`: megabytes.
void printRecorded(const RecordedRun& run, const Recording& recording, uint64_t valueLimit);

} // namespace symbiosis
