// What `diagnose` and `dump` can be asked for beside the usual: recorded order or solved, other encodings, several
// causes and alternates, going on where an earlier diagnosis stopped, formulas.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

class DiagnoseOptionsTest : public ::testing::Test {
protected:
  void record(const std::string& program, const std::string& schedule) {
    ASSERT_STATUS(workspace_.symbiosis(fmt::format("cc -g -O1 '{}/tests/programs/wrong/{}.c' -o program -pthread",
                                                   SYMBIOSIS_SOURCE_DIR, program)),
                  0);
    ASSERT_STATUS(workspace_.symbiosis(fmt::format("profile --schedule {} --runs 5000 ./program", schedule)), 0);
  }
  json diagnose(const std::string& options, int status = 0) {
    EXPECT_STATUS(workspace_.symbiosis("diagnose --replays 2 " + options), status);
    return json::parse(workspace_.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  }
  std::string verdict(const std::string& options) {
    return workspace_.run(fmt::format("'{}' dump {} | z3 -in | head -n 1", SYMBIOSIS_BINARY, options)).output;
  }
  Workspace workspace_;
};

TEST_F(DiagnoseOptionsTest, TheRecordedOrderAndASolvedOneTellTheSame) {
  record("torn_pair", "portfolio");
  for (const char* order : {"--order recorded", "--order solve", ""}) {
    const json report = diagnose(order);
    EXPECT_EQ(report["classification"]["class"], "multi-variable inconsistency") << order;
    EXPECT_EQ(report["rootCause"]["status"], "proved") << order;
    EXPECT_TRUE(report["certificate"]["complete"]) << order;
    EXPECT_TRUE(report["limits"].empty()) << report["limits"].dump();
  }
  // The same without the search and with the paper's own formulas.
  const json paper = diagnose("--order solve --encoding paper");
  EXPECT_EQ(paper["rootCause"]["status"], "proved");
  EXPECT_GT(paper["stats"]["solverCalls"], 0);
}

TEST_F(DiagnoseOptionsTest, ANativeRunHasNoRecordedOrder) {
  record("no_join", "native");
  CommandResult result = workspace_.symbiosis("diagnose --order recorded");
  EXPECT_STATUS(result, 2);
  EXPECT_NE(result.output.find("was native"), std::string::npos) << result.output;
}

TEST_F(DiagnoseOptionsTest, SeveralCausesAndAlternatesAreListed) {
  record("torn_pair", "portfolio");
  const json report = diagnose("--all-causes 5 --all-alternates 3");
  ASSERT_GE(report["otherAlternates"].size(), 1u);
  for (size_t i = 0; i < report["otherAlternates"].size(); ++i) {
    EXPECT_EQ(report["otherAlternates"][i]["status"], "found");
    EXPECT_NE(report["otherAlternates"][i]["inverted"], report["alternate"]["inverted"]);
    EXPECT_NE(workspace_.read(fmt::format(".symbiosis/latest/report/alternate-{}.schedule", i + 2)), "");
  }
  for (const json& cause : report["otherCauses"]) EXPECT_NE(cause["orders"], report["rootCause"]["orders"]);
}

TEST_F(DiagnoseOptionsTest, AFinishedPhaseIsNotComputedTwice) {
  record("torn_pair", "portfolio");
  const json first = diagnose("");
  CommandResult second = workspace_.symbiosis("diagnose --replays 2");
  EXPECT_STATUS(second, 0);
  EXPECT_NE(second.output.find("going on from"), std::string::npos) << second.output;
  EXPECT_EQ(second.output.find("replaying"), std::string::npos) << second.output;
  json again = json::parse(workspace_.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  EXPECT_EQ(again["stats"]["solverCalls"], 0);
  again["stats"] = first["stats"];
  EXPECT_EQ(again, first);
  EXPECT_NE(workspace_.symbiosis("diagnose --replays 2 --again").output.find("replaying"), std::string::npos);
}

TEST_F(DiagnoseOptionsTest, TheFormulasGetTheSameVerdictFromZ3) {
  record("torn_pair", "portfolio");
  CommandResult early = workspace_.symbiosis("dump --smt2=root");
  EXPECT_STATUS(early, 2);
  EXPECT_NE(early.output.find("diagnose first"), std::string::npos) << early.output;
  diagnose("");
  for (const char* encoding : {"order", "paper"}) {
    EXPECT_EQ(verdict(fmt::format("--smt2 --encoding {}", encoding)), "sat\n");
    EXPECT_EQ(verdict(fmt::format("--smt2=root --encoding {}", encoding)), "unsat\n");
    EXPECT_EQ(verdict(fmt::format("--smt2=alt --encoding {}", encoding)), "sat\n");
  }
}

constexpr const char* kAlwaysWrong = R"(#include <assert.h>
#include <pthread.h>
static int value;
static void* set(void* unused) { value = 2; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  pthread_join(thread, 0);
  assert(value == 3);
})";
TEST_F(DiagnoseOptionsTest, WhereEveryScheduleOfThePathFailsOthersAreExplored) {
  workspace_.write("always.c", kAlwaysWrong);
  ASSERT_STATUS(workspace_.symbiosis("cc -g -O1 always.c -o always -pthread"), 0);
  ASSERT_STATUS(workspace_.symbiosis("profile ./always"), 0);
  CommandResult always = workspace_.symbiosis("diagnose --replays 12");
  EXPECT_STATUS(always, 1);
  EXPECT_NE(always.output.find("schedule-dependent"), std::string::npos) << always.output;
  json report = json::parse(workspace_.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  EXPECT_EQ(report["confirmation"]["runs"], 20);
  EXPECT_EQ(report["confirmation"]["failed"], 20);
  EXPECT_EQ(report["confirmation"]["turned"], 0);
}

// Whatever was not done by then is said, and what is known is shown.
TEST_F(DiagnoseOptionsTest, ATimeLimitThatIsOverAtOnceIsSaid) {
  record("lost_update", "portfolio");
  const CommandResult result = workspace_.symbiosis("diagnose --order recorded --time-limit 0.001");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_NE(result.output.find("time limit"), std::string::npos) << result.output;
  const CommandResult whole = workspace_.symbiosis("diagnose --replays 2 --again");
  EXPECT_EQ(whole.status, 0) << whole.output;
  EXPECT_NE(whole.output.find("Certified"), std::string::npos) << whole.output;
}

} // namespace
