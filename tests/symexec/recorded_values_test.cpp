// The programs of the corpus, wrong and correct, and the examples, each recorded once under control with all
// values: in the order in which the run went, every read must yield what it was seen to yield, and the levels
// `path` and `addresses` must make the same events.
#include "symexec/symexec.h"
#include "tests/support/program_text.h"
#include "tests/workspace.h"
#include "trace/evaluator.h"
#include "trace/recorded_order.h"
#include <algorithm>

namespace symbiosis {
namespace {

namespace fs = std::filesystem;
const fs::path kSources = SYMBIOSIS_SOURCE_DIR;

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const char* directory : {"tests/programs/wrong", "tests/programs/correct", "examples"})
    for (const auto& entry : fs::directory_iterator(kSources / directory))
      if (!testing::saidIn(*readFile(entry.path()), "not walked"))
        names.push_back(fs::relative(entry.path(), kSources).string());
  std::sort(names.begin(), names.end());
  return names;
}

void expectSameEvents(const SymbolicTrace& a, const SymbolicTrace& b) {
  ASSERT_EQ(a.events.size(), b.events.size());
  for (EventRef ref = 0; ref < a.events.size(); ++ref) {
    ASSERT_EQ(a.event(ref).id, b.event(ref).id);
    ASSERT_EQ(a.describe(ref), b.describe(ref));
  }
}

void expectReadsAsSeen(const SymbolicTrace& trace, const EventOrder& order) {
  ASSERT_FALSE(order.empty());
  Evaluator evaluator(trace);
  const Evaluation evaluation = evaluator.explain(order);
  ASSERT_NE(evaluation.outcome, Outcome::infeasible) << evaluation.reason;
  for (const Part& part : trace.parts) {
    if (part.symbol == kNone) continue;
    const SymbolInfo& symbol = trace.symbols[part.symbol];
    if (!symbol.observed || !evaluator.happened(symbol.event)) continue;
    EXPECT_EQ(evaluator.symbolValue(part.symbol), *symbol.observed) << trace.describe(symbol.event);
  }
}

class RecordedProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedProgram, ReadsWhatWasRead) {
  testing::Workspace workspace;
  const std::string source = (kSources / GetParam()).string(), text = *readFile(source);
  ASSERT_STATUS(workspace.symbiosis(fmt::format("{} -w -g -O1 -pthread {} '{}' -o program",
                                                GetParam().ends_with(".cpp") ? "c++ -std=c++20" : "cc",
                                                testing::saidIn(text, "flags").value_or(""), source)),
                0);
  // A run of a correct program is kept as if it had failed, and then walked as what it is: a run that passes.
  const bool isCorrect = GetParam().find("correct/") != std::string::npos;
  ASSERT_STATUS(workspace.symbiosis(fmt::format("profile --schedule portfolio {} --timeout 20 -o kept ./program",
                                                isCorrect ? "--expect-exit 99" : "")),
                0);
  Result<Recording> recording = openRecording(workspace.root() / "kept");
  ASSERT_TRUE(recording) << recording.error().message;
  if (isCorrect) recording->info.expectedExit = 0;
  Result<SymbolicTrace> trace = executeSymbolically(*recording);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->failure.kind == FailureKind::none, isCorrect);
  expectReadsAsSeen(*trace, recordedOrder(*trace, *recording));
  for (format::Level level : {format::Level::path, format::Level::addresses}) {
    SCOPED_TRACE(format::levelName(level));
    if (testing::saidIn(text, "not at").value_or("").find(format::levelName(level)) != std::string::npos) continue;
    Result<SymbolicTrace> less = executeSymbolically(*recording, {.atMost = level});
    ASSERT_TRUE(less) << less.error().message;
    expectSameEvents(*trace, *less);
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, RecordedProgram, ::testing::ValuesIn(programs()), [](const auto& param) {
  std::string name = fs::path(param.param).parent_path().filename() / fs::path(param.param).filename();
  std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
  return name;
});

} // namespace
} // namespace symbiosis
