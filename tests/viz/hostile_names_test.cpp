// Names and sources come from other people's programs. Whatever they hold is text in every view.
#include "tests/viz/diagnose_example.h"
#include "tests/viz/svg_checks.h"
#include "tests/viz/two_runs.h"
#include "viz/text.h"
#include "viz/views.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace symbiosis {

using testing::diagnose;
using testing::Example;

static const std::string kHostile[] = {
    "<script>alert(1)</script>",
    "a\"b'c",
    "x&lt;y&amp;z",
    "]]>--></svg>",
    "\\N\\G\\l\\\"",
    "\x1b[31mred\x1b[0m",
    "line\nbreak\r\ttab",
    std::string("nul\0byte", 8),
    "bad\xff\xfeutf8\xc3",
    "{|<B>html</B>|}",
    "T\xe2\x80\xaeright to left",
    "std::map<std::string, std::vector<std::unique_ptr<Long::Qualified::Name>>>::operator[](key_type&&)",
    "",
};

static Example hostile(const std::string& name) {
  Example example = testing::runningExample();
  for (Event& event : example.trace.events)
    if (!event.variable.empty()) event.variable = name;
  for (SourceLocation& at : example.trace.locations) at.function = name;
  for (TraceThread& thread : example.trace.threads) thread.startFunction = name;
  example.trace.failure.message = name;
  example.sources = {};
  std::string source;
  for (int line = 0; line < 30; ++line) {
    std::string safe = name; // a source line has no newline
    std::replace(safe.begin(), safe.end(), '\n', ' ');
    source += safe + "\n";
  }
  example.sources.add("test.c", source);
  return example;
}

static Diagnosis diagnoseHostile(const Example& example, const std::string& name) {
  Diagnosis d = diagnose(example);
  d.program = {name, {name}};
  d.certificate.note = name;
  d.rootCause.note = d.alternate.note = name;
  d.limits = {name};
  return d;
}

TEST(HostileNames, StayTextInTheSvg) {
  for (const std::string& name : kHostile) {
    SCOPED_TRACE(printable(name));
    const Example example = hostile(name);
    const std::string svg = renderSvg(diagnoseHostile(example, name), example.trace, example.sources);
    testing::checkSvg(svg);
    testing::XmlReader reader;
    const auto elements = reader.read(svg);
    ASSERT_TRUE(elements) << reader.error();
    for (const testing::XmlElement& e : *elements) EXPECT_NE(e.name, "B");
  }
}

// The decision, the titles of blocks and their lines are made of names, too.
TEST(HostileNames, StayTextWhereRunsPart) {
  for (const std::string& name : kHostile) {
    SCOPED_TRACE(printable(name));
    testing::TwoRuns runs = testing::tickets();
    auto path = std::make_shared<OtherPath>(*runs.diagnosis.otherPath);
    for (SymbolicTrace* trace : {&path->runs[0], &path->runs[1], &path->joined.trace, &runs.example.trace}) {
      for (Event& event : trace->events)
        if (!event.variable.empty()) event.variable = name;
      for (SourceLocation& at : trace->locations) at.function = name;
      for (TraceThread& thread : trace->threads) thread.displayName = thread.startFunction = name;
    }
    path->decision.condition = path->decision.failing = path->decision.alternate = name;
    runs.diagnosis.otherPath = path;
    const auto& [example, d] = runs;
    testing::checkSvg(renderSvg(d, example.trace, example.sources));
    const std::string page = renderHtml(d, example.trace, example.sources);
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    for (const std::string& text :
         {renderTerminal(d, example.trace, example.sources), renderSummary(d, example.trace, example.sources)}) {
      EXPECT_EQ(text.find('\x1b'), std::string::npos);
      EXPECT_EQ(text.find('\xff'), std::string::npos);
    }
  }
}

TEST(HostileNames, AreShownAsTheyAre) {
  const Example example = hostile("x&lt;\\Ny");
  testing::XmlReader reader;
  const auto elements = reader.read(renderSvg(diagnose(example), example.trace, example.sources));
  ASSERT_TRUE(elements);
  EXPECT_TRUE(std::any_of(elements->begin(), elements->end(), [](const auto& e) { return e.text == "x&lt;\\Ny"; }))
      << "in a card";
  EXPECT_TRUE(std::any_of(elements->begin(), elements->end(), [](const auto& e) {
    return e.name == "text" && e.text.find("T2 sees x&lt;\\Ny = 1") != std::string::npos;
  })) << "in the headline";
  EXPECT_TRUE(std::any_of(elements->begin(), elements->end(), [](const auto& e) {
    auto tip = e.attributes.find("xlink:title");
    return tip != e.attributes.end() && tip->second.find("x&lt;\\Ny reads") != std::string::npos;
  })) << "in a tooltip";
}

TEST(HostileNames, StayTextInThePage) {
  for (const std::string& name : kHostile) {
    SCOPED_TRACE(printable(name));
    const Example example = hostile(name);
    const std::string page = renderHtml(diagnoseHostile(example, name), example.trace, example.sources);
    size_t scripts = 0;
    for (size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) ++scripts;
    EXPECT_EQ(scripts, 2u);
    std::string joined = page;
    std::erase(joined, '\n');
    EXPECT_EQ(printable(joined), joined) << "valid UTF-8 without control characters";
  }
}

TEST(HostileNames, StayTextInTheTerminal) {
  for (const std::string& name : kHostile)
    for (bool utf8 : {true, false}) {
      const Example example = hostile(name);
      const Diagnosis d = diagnoseHostile(example, name);
      TerminalOptions options;
      options.utf8 = utf8;
      for (auto* view : {renderTerminal, renderSummary}) {
        const std::string text = view(d, example.trace, example.sources, options);
        for (unsigned char c : text) EXPECT_TRUE(c == '\n' || c >= 0x20) << int(c);
        std::string joined = text;
        std::erase(joined, '\n');
        EXPECT_EQ(printable(joined), joined) << "valid UTF-8 without control characters";
      }
    }
}

TEST(HostileNames, SurviveInTheJson) {
  for (const std::string& name : kHostile) {
    const Example example = hostile(name);
    const auto j = nlohmann::json::parse(renderJson(diagnoseHostile(example, name), example.trace));
    EXPECT_EQ(j["program"]["args"].size(), 1u);
  }
  const Example example = hostile("a\"b'c");
  EXPECT_EQ(nlohmann::json::parse(renderJson(diagnose(example), example.trace))["dsp"]["events"][0]["variable"],
            "a\"b'c");
}

} // namespace symbiosis
