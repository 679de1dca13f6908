#include "tests/viz/diagnose_example.h"
#include "viz/views.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace symbiosis {

using nlohmann::json;
using testing::diagnose;
using testing::Example;

TEST(JsonView, HoldsEveryFieldOfTheContract) {
  const Example example = testing::runningExample();
  const json j = json::parse(renderJson(diagnose(example), example.trace));
  EXPECT_EQ(j["schema"], "symbiosis-dsp/2");
  for (const char* path : {"/program/path",
                           "/program/args",
                           "/failure/kind",
                           "/failure/message",
                           "/failure/thread",
                           "/failure/location/file",
                           "/failure/location/line",
                           "/failure/location/function",
                           "/failing/events",
                           "/failing/dataflows",
                           "/failing/contextSwitches",
                           "/failing/threads",
                           "/rootCause/orders/0/before/id",
                           "/rootCause/orders/0/after/id",
                           "/rootCause/status",
                           "/alternate/status",
                           "/alternate/pairsTried",
                           "/alternate/method",
                           "/dsp/events/0/id",
                           "/dsp/events/0/thread",
                           "/dsp/events/0/kind",
                           "/dsp/events/0/variable",
                           "/dsp/events/0/value",
                           "/dsp/events/0/location",
                           "/dsp/failingDataflows/0/from",
                           "/dsp/failingDataflows/0/to",
                           "/dsp/failingDataflows/0/variable",
                           "/dsp/failingDataflows/0/value",
                           "/dsp/alternateDataflows/0/value",
                           "/classification",
                           "/certificate/failing/runs",
                           "/certificate/failing/reproduced",
                           "/certificate/alternate/runs",
                           "/certificate/alternate/passedFailurePoint",
                           "/certificate/alternate/completedOk",
                           "/certificate/alternate/failedLater",
                           "/certificate/alternate/diverged",
                           "/stats/recordedBytes",
                           "/stats/events",
                           "/stats/sharedAccesses",
                           "/stats/constraints",
                           "/stats/variables",
                           "/stats/solverCalls",
                           "/stats/seconds/symexec",
                           "/stats/seconds/failing",
                           "/stats/seconds/rootCause",
                           "/stats/seconds/alternate",
                           "/stats/seconds/csr",
                           "/stats/seconds/replay",
                           "/stats/seconds/total"})
    EXPECT_TRUE(j.contains(json::json_pointer(path))) << path;
}

TEST(JsonView, SaysTheVariationOfTheRunningExample) {
  const Example example = testing::runningExample();
  const json j = json::parse(renderJson(diagnose(example), example.trace));
  EXPECT_EQ(j["failure"]["kind"], "assertion");
  EXPECT_EQ(j["rootCause"]["status"], "proved");
  EXPECT_EQ(j["alternate"]["status"], "found");
  EXPECT_EQ(j["alternate"]["method"], "inversion");
  EXPECT_EQ(j["classification"]["class"], "atomicity violation");
  ASSERT_EQ(j["dsp"]["failingDataflows"].size(), 1u);
  EXPECT_EQ(j["dsp"]["failingDataflows"][0]["value"], 0);
  EXPECT_EQ(j["dsp"]["alternateDataflows"][0]["value"], 1);
  const std::string read = j["dsp"]["failingDataflows"][0]["to"];
  bool isListed = false;
  for (const json& event : j["dsp"]["events"]) {
    if (event["id"] != read) continue;
    isListed = true;
    EXPECT_EQ(event["thread"], "T2");
    EXPECT_EQ(event["location"]["line"], 19);
    EXPECT_EQ(event["value"], 0);
    EXPECT_EQ(event["alternateValue"], 1);
  }
  EXPECT_TRUE(isListed);
}

TEST(JsonView, InitialValuesAndMissingPlacesAreNull) {
  Example example = testing::useBeforeInit();
  for (Event& event : example.trace.events) event.location = kNone;
  example.trace.failure.location = kNone;
  const json j = json::parse(renderJson(diagnose(example), example.trace));
  EXPECT_TRUE(j["dsp"]["failingDataflows"][0]["from"].is_null());
  EXPECT_TRUE(j["dsp"]["events"][0]["location"].is_null());
  EXPECT_TRUE(j["failure"]["location"].is_null());
}

} // namespace symbiosis
