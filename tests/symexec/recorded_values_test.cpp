// The programs of the corpus, each recorded once under control with all values: in the order in which the run
// went, every read must yield what it was seen to yield, and level `addresses` must make the same events.
#include "symexec/symexec.h"
#include "tests/workspace.h"
#include "trace/evaluator.h"
#include "trace/recorded_order.h"
#include <algorithm>

namespace symbiosis {
namespace {

namespace fs = std::filesystem;
const fs::path kPrograms = std::string(SYMBIOSIS_SOURCE_DIR) + "/tests/programs/wrong";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kPrograms)) names.push_back(entry.path().filename().string());
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

class RecordedProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedProgram, ReadsWhatWasRead) {
  testing::Workspace workspace;
  ASSERT_STATUS(workspace.symbiosis(fmt::format("{} -w -g -O1 -pthread '{}' -o program",
                                                GetParam().ends_with(".cpp") ? "c++ -std=c++20" : "cc",
                                                (kPrograms / GetParam()).string())),
                0);
  ASSERT_STATUS(workspace.symbiosis("profile --schedule portfolio --timeout 20 -o kept ./program"), 0);
  Result<Recording> recording = openRecording(workspace.root() / "kept");
  ASSERT_TRUE(recording) << recording.error().message;
  SymexecStats stats;
  Result<SymbolicTrace> trace = executeSymbolically(*recording, {}, &stats);
  ASSERT_TRUE(trace) << trace.error().message;
  const EventOrder order = recordedOrder(*trace, *recording);
  ASSERT_FALSE(order.empty());
  Evaluator evaluator(*trace);
  const Evaluation evaluation = evaluator.explain(order);
  EXPECT_NE(evaluation.outcome, Outcome::infeasible) << evaluation.reason;
  for (uint32_t part = 0; part < trace->parts.size() && evaluation.outcome != Outcome::infeasible; ++part) {
    const uint32_t symbol = trace->parts[part].symbol;
    if (symbol == kNone || !trace->symbols[symbol].observed || !evaluator.happened(trace->symbols[symbol].event))
      continue;
    EXPECT_EQ(evaluator.symbolValue(symbol), *trace->symbols[symbol].observed)
        << trace->describe(trace->symbols[symbol].event);
  }
  Result<SymbolicTrace> addresses = executeSymbolically(*recording, {.atMost = format::Level::addresses});
  // A program says itself if this level does not do for it.
  if (readFile(kPrograms / GetParam())->find("// level addresses: unclear\n") != std::string::npos) {
    ASSERT_FALSE(addresses);
    EXPECT_NE(addresses.error().message.find("--record full"), std::string::npos) << addresses.error().message;
    return;
  }
  ASSERT_TRUE(addresses) << addresses.error().message;
  expectSameEvents(*trace, *addresses);
}
INSTANTIATE_TEST_SUITE_P(Programs, RecordedProgram, ::testing::ValuesIn(programs()), [](const auto& param) {
  std::string name = param.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
  return name;
});

} // namespace
} // namespace symbiosis
