// Every program of tests/programs/wrong says in its second line how it fails and what a diagnosis must find:
//
//   // expect: assertion; lost update on careless; lines 22 25 46; dsp 5
//   // expect: exit 1; path                   every schedule of the path fails, others pass
//   // expect: assertion; outside             ordered by something that the trace does not know
//
// From one controlled failing run: the class, the variable, the lines that must be among the events shown, the
// largest DSP, a proved cause and a complete certificate.
#include "tests/workspace.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace symbiosis {
namespace {

using nlohmann::json;

const std::filesystem::path kPrograms = std::string(SYMBIOSIS_SOURCE_DIR) + "/tests/programs/wrong";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Expectation {
  enum class Kind { missing, explained, path, outside } kind = Kind::missing;
  std::string bugClass, variable;
  std::set<int> lines;
  size_t largestDsp = 0;
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (size_t from = 0;;) {
    const size_t at = text.find(separator, from);
    parts.push_back(text.substr(from, at - from));
    if (at == std::string::npos) return parts;
    from = at + separator.size();
  }
}

Expectation expectationOf(const std::string& program) {
  const std::string text = *readFile(kPrograms / program);
  constexpr std::string_view kMark = "// expect: ";
  const size_t at = text.find(kMark) + kMark.size();
  const std::vector<std::string> parts = split(text.substr(at, text.find('\n', at) - at), "; ");
  Expectation result;
  if (parts.size() == 2 && parts[1] == "path") result.kind = Expectation::Kind::path;
  if (parts.size() == 2 && parts[1] == "outside") result.kind = Expectation::Kind::outside;
  if (parts.size() != 4) return result;
  result.kind = Expectation::Kind::explained;
  const std::vector<std::string> cause = split(parts[1], " on ");
  result.bugClass = cause[0];
  if (cause.size() > 1) result.variable = cause[1];
  std::istringstream lines(parts[2].substr(std::string("lines ").size()));
  for (int line; lines >> line;) result.lines.insert(line);
  result.largestDsp = std::stoul(parts[3].substr(std::string("dsp ").size()));
  return result;
}

class Corpus : public ::testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsExplainedAsItSays) {
  const Expectation expected = expectationOf(GetParam());
  ASSERT_NE(expected.kind, Expectation::Kind::missing) << "say in its second line what a diagnosis must find";
  testing::Workspace workspace;
  const char* language = GetParam().ends_with(".cpp") ? "c++" : "cc";
  ASSERT_STATUS(workspace.symbiosis(fmt::format("{} -g -O1 -pthread '{}' -o program", language,
                                                (kPrograms / GetParam()).string())),
                0);
  ASSERT_STATUS(workspace.symbiosis("profile --schedule portfolio --timeout 20 ./program"), 0);
  const testing::CommandResult diagnosed = workspace.symbiosis("diagnose --replays 5");
  const json report = json::parse(workspace.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
  if (expected.kind == Expectation::Kind::outside) {
    EXPECT_NE(diagnosed.status, 0) << diagnosed.output;
    EXPECT_NE(report["rootCause"]["status"], "proved");
    return;
  }
  if (expected.kind == Expectation::Kind::path) {
    EXPECT_STATUS(diagnosed, 1);
    EXPECT_EQ(report["alternate"]["status"], "noneProved");
    EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << diagnosed.output;
    EXPECT_EQ(report["confirmation"]["runs"], 5);
    EXPECT_NE(report["alternate"]["note"], "") << diagnosed.output;
    return;
  }
  EXPECT_STATUS(diagnosed, 0);
  EXPECT_EQ(report["classification"]["class"], expected.bugClass) << diagnosed.output;
  EXPECT_EQ(report["classification"]["variable"], expected.variable);
  EXPECT_EQ(report["rootCause"]["status"], "proved");
  EXPECT_TRUE(report["certificate"]["complete"]) << diagnosed.output;
  EXPECT_LE(report["dsp"]["events"].size(), expected.largestDsp);
  std::set<int> shown;
  for (const json& event : report["dsp"]["events"])
    if (event["location"].is_object()) shown.insert(event["location"]["line"].get<int>());
  for (int line : expected.lines) EXPECT_TRUE(shown.count(line)) << "line " << line << "\n" << diagnosed.output;
}
INSTANTIATE_TEST_SUITE_P(Programs, Corpus, ::testing::ValuesIn(programs()),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
