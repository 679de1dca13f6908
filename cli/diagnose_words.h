#pragma once
// What `symbiosis diagnose` says: how far it is, and what it has found.
#include "cli/progress.h"
#include "dsp/diagnose.h"

namespace symbiosis {

class DiagnoseWords : public Observer {
public:
  explicit DiagnoseWords(std::string program) : program_(std::move(program)) {}

  void begins(Stage stage) override;
  void goesOnFromSaved() override;
  void willRun(Stage stage, size_t schedules, size_t runs) override;
  void looksAgain(const std::string& why, size_t runs) override;
  void runs(Stage stage, size_t run, size_t of) override;

private:
  std::string program_;
  Progress progress_;
};

// `directory`: the recording as the user named it; empty: the latest.
void printSummary(const DiagnosedRun& run, const Recording& recording, const std::string& directory);

} // namespace symbiosis
