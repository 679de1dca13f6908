// The whole way: compile with `symbiosis cc`, profile until a run fails, diagnose, read the report.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

struct Diagnosed {
  json report;
  std::string summary;
};

Diagnosed diagnoseExample(const Workspace& workspace, const std::string& name, const std::string& level) {
  Diagnosed diagnosed;
  CommandResult compiled = workspace.symbiosis(
      fmt::format("cc -g {} {}/examples/{}.c -o {} -pthread", level, SYMBIOSIS_SOURCE_DIR, name, name));
  EXPECT_STATUS(compiled, 0);
  EXPECT_EQ(compiled.output, "") << "the compiler wrapper is silent";
  EXPECT_STATUS(workspace.symbiosis("profile --runs 20000 ./" + name), 0);
  CommandResult result = workspace.symbiosis("diagnose --json copy.json");
  EXPECT_STATUS(result, 0);
  diagnosed.summary = result.output;
  diagnosed.report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  EXPECT_FALSE(diagnosed.report.is_discarded());
  // From a native run, by way of the solver, to the real program: the failing schedule fails every time, and the
  // alternate gets past the check every time.
  const json certificate = diagnosed.report["certificate"];
  EXPECT_EQ(certificate["failing"]["runs"], 20);
  EXPECT_EQ(certificate["failing"]["reproduced"], 20) << certificate.dump(1);
  EXPECT_EQ(certificate["alternate"]["passedFailurePoint"], 20) << certificate.dump(1);
  EXPECT_STATUS(workspace.symbiosis("replay --failing --times 3"), 0);
  EXPECT_STATUS(workspace.symbiosis("replay --alternate"), 0);
  EXPECT_EQ(workspace.read("copy.json"), workspace.read(".symbiosis/latest/report/dsp.json"));
  return diagnosed;
}

// The line of the example that contains `text`.
int lineOf(const std::string& name, const std::string& text) {
  Result<std::string> source = readFile(fmt::format("{}/examples/{}.c", SYMBIOSIS_SOURCE_DIR, name));
  const size_t at = source->find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return 1 + int(std::count(source->begin(), source->begin() + ptrdiff_t(at), '\n'));
}

const json& eventNamed(const json& report, const json& id) {
  for (const json& event : report["dsp"]["events"])
    if (event["id"] == id) return event;
  static const json none;
  ADD_FAILURE() << "no event " << id;
  return none;
}

class ExampleTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ExampleTest, TheQueueIsEmptiedBetweenCheckAndUse) {
  Workspace workspace;
  const Diagnosed diagnosed = diagnoseExample(workspace, "queue", GetParam());
  const json& report = diagnosed.report;
  const int failingLine = lineOf("queue", "assert(filled > 0)");
  EXPECT_EQ(report["failure"]["kind"], "assertion");
  EXPECT_EQ(report["failure"]["location"]["line"], failingLine);
  EXPECT_EQ(report["rootCause"]["status"], "proved");
  EXPECT_GE(report["rootCause"]["orders"].size(), 1u);
  ASSERT_EQ(report["alternate"]["status"], "found");
  // §3.6: the failing read of `filled` sees 0 from a consumer, and something positive from elsewhere in the
  // alternate.
  bool found = false;
  for (const json& bad : report["dsp"]["failingDataflows"])
    for (const json& good : report["dsp"]["alternateDataflows"])
      if (bad["to"] == good["to"] && bad["variable"] == "filled" && bad["value"] == 0 && good["value"] > 0)
        found |= eventNamed(report, bad["to"])["location"]["line"] == failingLine;
  EXPECT_TRUE(found) << report["dsp"].dump(1);
  EXPECT_LE(report["dsp"]["events"].size(), 12u);
  EXPECT_NE(diagnosed.summary.find("filled"), std::string::npos) << diagnosed.summary;
  EXPECT_NE(workspace.read(".symbiosis/latest/report/dsp.svg").find("<svg"), std::string::npos);
}

TEST_P(ExampleTest, ADepositIsLost) {
  Workspace workspace;
  const Diagnosed diagnosed = diagnoseExample(workspace, "bank", GetParam());
  const json& report = diagnosed.report;
  EXPECT_EQ(report["failure"]["kind"], "assertion");
  EXPECT_EQ(report["rootCause"]["status"], "proved");
  EXPECT_EQ(report["alternate"]["status"], "found");
  EXPECT_FALSE(report["dsp"]["failingDataflows"].empty());
}

INSTANTIATE_TEST_SUITE_P(Levels, ExampleTest, ::testing::Values("-O0", "-O1", "-O2"),
                         [](const auto& test) { return std::string(test.param + 1); });

} // namespace
