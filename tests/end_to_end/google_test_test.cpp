// A flaky test of GoogleTest: a failed check ends the run where it failed, and is explained as an assertion is,
// though the library that decides and reports it, and main itself, are not instrumented.
#include "tests/workspace.h"
#include <nlohmann/json.hpp>

using namespace symbiosis;
using nlohmann::json;
using symbiosis::testing::CommandResult;
using symbiosis::testing::Workspace;

namespace {

constexpr const char* kTests = R"(#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
class Counter {
public:
  void add(int amount) { value_ = value_ + amount; }
  int value() const { return value_; }
private:
  int value_ = 0;
};
TEST(Flaky, Sum) {
  Counter counter;
  std::thread one([&] { counter.add(2); }), two([&] { counter.add(3); });
  one.join();
  two.join();
  EXPECT_EQ(counter.value(), 5) << "of two threads";
}
TEST(Flaky, Order) {
  int shared = 0;
  bool seen = false;
  std::thread one([&] { usleep(20000); shared = 1; });
  std::thread two([&] { seen = shared == 1; });
  one.join();
  two.join();
  ASSERT_TRUE(seen);
}
TEST(Flaky, Level) {
  double level = 1;
  std::thread one([&] { usleep(20000); level = level * 2; });
  std::thread two([&] { level = level + 3; });
  one.join();
  two.join();
  EXPECT_LT(level, 7.5);
}
TEST(Sound, Sum) { EXPECT_EQ(Counter().value(), 0); }
)";

struct Case {
  const char *name, *bugClass, *variable;
  int line;
  const char* statement;
  const char* profile;
};

constexpr Case kCases[] = {
    {"Sum", "lost update", "this->value_", 16, "EXPECT_EQ(counter.value(), 5) << \"of two threads\"",
     "--schedule portfolio"},
    {"Order", "order violation", "shared", 25, "ASSERT_TRUE(seen)", "--schedule native"},
    {"Level", "order violation", "level", 33, "EXPECT_LT(level, 7.5)", "--schedule native"},
};

class GoogleTest : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    workspace_.write("flaky.cpp", kTests);
    ASSERT_STATUS(workspace_.symbiosis(
                      fmt::format("c++ -g {} flaky.cpp -o flaky -lgtest -lgtest_main -pthread", GetParam())),
                  0);
  }
  Workspace workspace_;
};

TEST_P(GoogleTest, ChecksThatFailAreExplained) {
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.name);
    ASSERT_STATUS(
        workspace_.symbiosis(fmt::format("profile {} -- ./flaky --gtest_filter='*.{}'", test.profile, test.name)),
        0);
    const CommandResult diagnosed = workspace_.symbiosis("diagnose --replays 5");
    EXPECT_STATUS(diagnosed, 0);
    const json report = json::parse(workspace_.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
    ASSERT_FALSE(report.is_discarded()) << diagnosed.output;
    EXPECT_EQ(report["failure"]["kind"], "assertion");
    EXPECT_EQ(report["failure"]["message"], test.statement);
    EXPECT_EQ(report["failure"]["location"]["line"], test.line);
    EXPECT_EQ(report["classification"]["class"], test.bugClass) << diagnosed.output;
    EXPECT_EQ(report["classification"]["variable"], test.variable);
    EXPECT_EQ(report["rootCause"]["status"], "proved");
    EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5);
    EXPECT_EQ(report["certificate"]["alternate"]["passedFailurePoint"], 5);
  }
}

TEST_P(GoogleTest, GoesOnAfterAFailedCheckIfTheUserWantsIt) {
  const std::string profile = std::string("'") + SYMBIOSIS_BINARY +
                              "' profile --schedule native -- ./flaky "
                              "--gtest_filter='*.Order'";
  const CommandResult stopped = workspace_.run(profile);
  EXPECT_NE(stopped.output.find("a failed check of GoogleTest"), std::string::npos) << stopped.output;
  const CommandResult went = workspace_.run("GTEST_BREAK_ON_FAILURE=0 " + profile);
  EXPECT_NE(went.output.find("exit status 1"), std::string::npos) << went.output;
}

INSTANTIATE_TEST_SUITE_P(Levels, GoogleTest, ::testing::Values("-O0", "-O2"),
                         [](const auto& test) { return std::string(test.param + 1); });

} // namespace
