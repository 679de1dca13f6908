#pragma once
// What a diagnosis has found so far, kept beside the recording: one that was interrupted, or is asked for again,
// goes on behind the last finished stage. Only answers are kept; a stage that gave up is tried again, and so are
// those that rest on it.
#include "dsp/explain.h"
#include "dsp/failing_schedule.h"
#include <filesystem>
#include <optional>

namespace symbiosis {

struct SavedPhases {
  std::optional<FailingSchedule> failing; // without its statistics
  std::optional<Explanation> explanation;
  std::optional<Certificate> certificate; // complete
};

// What `file` holds, as far as it belongs to `key` (the trace and the options) and its schedules still do what
// they are said to; otherwise nothing.
SavedPhases loadPhases(const std::filesystem::path& file, const std::string& key, const SymbolicTrace& trace);
Result<void> savePhases(const std::filesystem::path& file, const std::string& key, const SavedPhases& phases);

inline bool isAnswer(const FailingSchedule&) { return true; }
inline bool isAnswer(const Explanation& explanation) { return explanation.isAnswered(); }
inline bool isAnswer(const Certificate& certificate) { return certificate.complete(); }

class StageCache {
public:
  // `reads`: whether what the file holds is used at all.
  StageCache(std::filesystem::path file, std::string key, const SymbolicTrace& trace, bool reads)
      : file_(std::move(file)), key_(std::move(key)),
        found_(reads ? loadPhases(file_, key_, trace) : SavedPhases{}) {}

  bool hasFound() const { return found_.failing.has_value(); }

  // The stage's answer: the one that was found before or what `compute` returns, which is then kept. An error is
  // that of `compute`, or says that the answer cannot be written.
  template <typename Answer, typename Compute>
  Result<Answer> cached(std::optional<Answer> SavedPhases::* stage, Compute compute) {
    if (found_.*stage) return *(found_.*stage);
    Result<Answer> answer = compute();
    if (!answer) return answer;
    keeps_ = keeps_ && isAnswer(*answer);
    if (!keeps_) return answer;
    found_.*stage = *answer;
    if (Result<void> saved = save(); !saved) return saved.error();
    return answer;
  }

private:
  Result<void> save() const;

  std::filesystem::path file_;
  std::string key_;
  SavedPhases found_;
  bool keeps_ = true; // every stage so far has an answer
};

} // namespace symbiosis
