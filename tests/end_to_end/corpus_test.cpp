// Every program of tests/programs/wrong says in its second line how it fails and what a diagnosis must find:
//
//   // expect: assertion; lost update on careless; lines 22 25 46; dsp 5
//   // expect: exit 1; path                   every schedule of every path fails
//   // expect: deadlock; always               as before, but an order decides who waits
//   // expect: exit 1; other path; decision 14 every schedule of the path fails; the decision that chose it is
//   made in
//                                             this line, and a run on another path passes. "decision 14 or 22":
//                                             either
//   // expect: assertion; outside             ordered by something that the trace does not know
//
// A line "// not at: LEVEL" names the levels that do not record enough, and a line
// "// hint: WORDS" says how the hint begins; "// called: CLASS on VAR | CLASS on VAR" says what a
// difference between two paths may be called.
// A line "// or: CLASS on VAR" says what a native run, or an order that is solved for, may show instead, and a
// line
// "// perhaps path" that a run may have ended before the other thread did anything that could be
// placed elsewhere; then a run on another path is shown.
//
// From one controlled failing run: the class, the variable, the lines that must be among the events shown, the
// largest DSP, a proved cause and a complete certificate.
#include "tests/support/program_text.h"
#include "tests/support/scale.h"
#include "tests/workspace.h"
#include <algorithm>
#include <gmock/gmock.h>
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
  enum class Kind { missing, explained, path, always, otherPath, outside } kind = Kind::missing;
  std::string bugClass, variable;
  std::set<int> lines, otherLines; // "lines 12 17 or 11 16": all of these or all of those
  size_t largestDsp = 0;
  std::set<std::string> otherwise; // class and variable that are as good
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
  constexpr std::string_view kOr = "// or: ";
  for (size_t from = text.find(kOr); from != std::string::npos; from = text.find(kOr, from + 1))
    result.otherwise.insert(text.substr(from + kOr.size(), text.find('\n', from) - from - kOr.size()));
  if (parts.size() == 2 && parts[1] == "path") result.kind = Expectation::Kind::path;
  if (parts.size() == 2 && parts[1] == "always") result.kind = Expectation::Kind::always;
  if (parts.size() == 2 && parts[1] == "outside") result.kind = Expectation::Kind::outside;
  if ((parts.size() == 2 || parts.size() == 3) && parts[1] == "other path")
    result.kind = Expectation::Kind::otherPath;
  if (parts.size() == 3 && parts[1] == "other path") {
    for (const std::string& line : split(parts[2].substr(std::string("decision ").size()), " or "))
      result.lines.insert(std::stoi(line));
  }
  if (parts.size() != 4) return result;
  result.kind = Expectation::Kind::explained;
  const std::vector<std::string> cause = split(parts[1], " on ");
  result.bugClass = cause[0];
  if (cause.size() > 1) result.variable = cause[1];
  const std::vector<std::string> ways = split(parts[2].substr(std::string("lines ").size()), " or ");
  for (size_t way = 0; way < ways.size(); ++way) {
    std::istringstream lines(ways[way]);
    for (int line; lines >> line;) (way == 0 ? result.lines : result.otherLines).insert(line);
  }
  result.largestDsp = std::stoul(parts[3].substr(std::string("dsp ").size()));
  return result;
}

class Corpus : public ::testing::TestWithParam<std::string> {
protected:
  void compile() {
    ASSERT_NE(expected_.kind, Expectation::Kind::missing) << "say in its second line what a diagnosis must find";
    const char* language = GetParam().ends_with(".cpp") ? "c++" : "cc";
    const std::string flags = testing::saidIn(*readFile(kPrograms / GetParam()), "flags").value_or("");
    ASSERT_STATUS(workspace_.symbiosis(fmt::format("{} -g -O1 -pthread {} '{}' -o program", language, flags,
                                                   (kPrograms / GetParam()).string())),
                  0);
  }

  // One controlled failing run.
  void record() {
    ASSERT_NO_FATAL_FAILURE(compile());
    ASSERT_STATUS(workspace_.symbiosis("profile --schedule portfolio --timeout 20 ./program"), 0);
  }

  void expectExplanation(const std::string& options) {
    SCOPED_TRACE("diagnose " + options);
    std::filesystem::remove_all(workspace_.root() / ".symbiosis/latest/report");
    const testing::CommandResult diagnosed = workspace_.symbiosis("diagnose --replays 5 " + options);
    const json report = json::parse(workspace_.read(".symbiosis/latest/report/dsp.json"), nullptr, false);
    if (expected_.kind == Expectation::Kind::outside) {
      EXPECT_NE(diagnosed.status, 0) << diagnosed.output;
      EXPECT_NE(report["rootCause"]["status"], "proved");
      return;
    }
    if (expected_.kind == Expectation::Kind::path) {
      EXPECT_STATUS(diagnosed, 1);
      EXPECT_EQ(report["alternate"]["status"], "noneProved");
      EXPECT_EQ(report["certificate"]["failing"]["reproduced"], 5) << diagnosed.output;
      EXPECT_GT(report["confirmation"]["runs"], 0);
      EXPECT_EQ(report["confirmation"]["failed"], report["confirmation"]["runs"]);
      return;
    }
    if (expected_.kind == Expectation::Kind::always) return expectInEveryRun(report, diagnosed);
    ASSERT_STATUS(diagnosed, 0);
    const bool perhapsPath = readFile(kPrograms / GetParam())->find("\n// perhaps path\n") != std::string::npos;
    if (perhapsPath && report["alternate"]["path"] == "other") expected_.lines.clear();
    if (expected_.kind == Expectation::Kind::otherPath || (perhapsPath && expected_.lines.empty()))
      return expectOtherPath(report, diagnosed.output);
    const std::string found = fmt::format("{} on {}", report["classification"]["class"].get<std::string>(),
                                          report["classification"]["variable"].get<std::string>());
    if (!expected_.otherwise.count(found)) {
      EXPECT_EQ(report["classification"]["class"], expected_.bugClass) << diagnosed.output;
      EXPECT_EQ(report["classification"]["variable"], expected_.variable);
    }
    EXPECT_EQ(report["rootCause"]["status"], "proved");
    EXPECT_TRUE(report["certificate"]["complete"]) << diagnosed.output;
    EXPECT_LE(report["dsp"]["events"].size(), expected_.largestDsp);
    std::set<int> shown;
    for (const json& event : report["dsp"]["events"])
      if (event["location"].is_object()) shown.insert(event["location"]["line"].get<int>());
    expectHint(report);
    const std::set<int>& other = expected_.otherLines;
    if (!other.empty() && std::includes(shown.begin(), shown.end(), other.begin(), other.end())) return;
    for (int line : expected_.lines) EXPECT_TRUE(shown.count(line)) << "line " << line << "\n" << diagnosed.output;
  }

  void expectHint(const json& report) {
    const auto hint = testing::saidIn(*readFile(kPrograms / GetParam()), "hint");
    if (!hint) return;
    EXPECT_EQ(report["classification"]["hint"].get<std::string>().find(*hint), 0u)
        << report["classification"].dump(1);
  }

  // No order is said to help.
  void expectInEveryRun(const json& report, const testing::CommandResult& diagnosed) {
    EXPECT_STATUS(diagnosed, 3);
    EXPECT_FALSE(report["certificate"]["complete"]) << diagnosed.output;
    EXPECT_EQ(report["confirmation"]["failed"], report["confirmation"]["runs"]) << diagnosed.output;
    EXPECT_EQ(diagnosed.output.find("Passes when"), std::string::npos) << diagnosed.output;
    EXPECT_NE(diagnosed.output.find("every run fails"), std::string::npos) << diagnosed.output;
    expectHint(report);
  }

  // The decision is said to be in the line of its condition, or in that of the read before it.
  void expectOtherPath(const json& report, const std::string& output) {
    EXPECT_TRUE(report["certificate"]["complete"]) << output;
    const std::string found = fmt::format("{} on {}", report["classification"]["class"].get<std::string>(),
                                          report["classification"]["variable"].get<std::string>());
    if (expected_.otherwise.count(found)) return;
    EXPECT_EQ(report["alternate"]["path"], "other") << output;
    if (const auto said = testing::saidIn(*readFile(kPrograms / GetParam()), "called")) {
      EXPECT_THAT(split(*said, " | "), ::testing::Contains(found)) << output;
    }
    expectHint(report);
    if (expected_.lines.empty()) return; // whichever decision it is, if any
    ASSERT_TRUE(report["decision"].is_object()) << output;
    std::set<int> lines;
    if (report["decision"]["location"].is_object())
      lines.insert(report["decision"]["location"]["line"].get<int>());
    for (const json& event : report["dsp"]["events"])
      if (event["id"] == report["decision"]["event"] && event["location"].is_object())
        lines.insert(event["location"]["line"].get<int>());
    const bool isNamed =
        std::any_of(lines.begin(), lines.end(), [&](int line) { return expected_.lines.contains(line); });
    EXPECT_TRUE(isNamed) << output;
  }

  testing::Workspace workspace_;
  Expectation expected_ = expectationOf(GetParam());
};

TEST_P(Corpus, IsExplainedAsItSays) {
  ASSERT_NO_FATAL_FAILURE(record());
  expectExplanation("");
}

// As if less had been recorded, and whether or not the order was: one of the six for each program, or all.
TEST_P(Corpus, IsExplainedAtEachLevelAndInEachOrder) {
  const std::vector<std::string> all = programs();
  const size_t number = size_t(std::find(all.begin(), all.end(), GetParam()) - all.begin());
  ASSERT_NO_FATAL_FAILURE(record());
  size_t combination = 0;
  const std::string notAt = testing::saidIn(*readFile(kPrograms / GetParam()), "not at").value_or("");
  for (const char* order : {"recorded", "solve"})
    for (const char* level : {"path", "addresses", "full"})
      if ((combination++ % 6 == number % 6 || testing::testScale() > 1) && notAt.find(level) == std::string::npos)
        expectExplanation(fmt::format("--order {} --level {}", order, level));
}

// Half of the programs never fail by themselves, and others seldom.
TEST_P(Corpus, IsExplainedFromANativeRunIfOneFails) {
  ASSERT_NO_FATAL_FAILURE(compile());
  const testing::CommandResult profiled = workspace_.symbiosis(
      fmt::format("profile --schedule native --timeout 5 --runs {} ./program", 10 * testing::testScale()));
  RecordProperty("failed", profiled.status == 0);
  if (profiled.status != 1) {
    ASSERT_STATUS(profiled, 0);
    expectExplanation("");
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, Corpus, ::testing::ValuesIn(programs()),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
