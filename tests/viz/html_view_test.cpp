#include "tests/viz/fixed_dsps.h"
#include "tests/viz/xml.h"
#include "viz/views.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace symbiosis {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

static std::string pageOf(const testing::FixedDsp& dsp) {
  return renderHtml(dsp.diagnosis, dsp.example.trace, dsp.example.sources);
}
static json dataOf(const std::string& page) {
  const std::string open = "id=\"data\">";
  const size_t from = page.find(open) + open.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(HtmlView, SaysWhatMatters) {
  const std::string page = pageOf(testing::solvedDsp("running", testing::runningExample()));
  for (const char* words :
       {"<!doctype html>", "T2 sees filled = 1 (line 10)", "Fix hint: ", "data-event=\"0.2:5\"", "DSP (4 events)",
        "Full (26)", "symbiosis replay .symbiosis/queue-1 --failing",
        "symbiosis replay .symbiosis/queue-1 --alternate", "Certificate: not validated",
        "class=\"line shown atomic fails\" id=\"line-0-19\"", "role=\"tablist\""})
    EXPECT_THAT(page, HasSubstr(words));
}

TEST(HtmlView, LoadsNothing) {
  for (const testing::FixedDsp& dsp : testing::fixedDsps()) {
    const std::string page = pageOf(dsp);
    for (const char* words : {"<script src", "@import", "<iframe", "<img", "url("})
      EXPECT_THAT(page, Not(HasSubstr(words))) << dsp.name;
    EXPECT_THAT(page, Not(HasSubstr("{{"))) << dsp.name << ": every part is filled in";
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  }
}

TEST(HtmlView, HoldsBothSchedulesAndTheirDataflow) {
  const testing::FixedDsp dsp = testing::solvedDsp("running", testing::runningExample());
  const json data = dataOf(pageOf(dsp));
  std::array<EventOrder, 2> orders;
  for (uint64_t row : data["rows"]) {
    if (row % 3 != 2) orders[0].push_back(EventRef(row / 3));
    if (row % 3 != 1) orders[1].push_back(EventRef(row / 3));
  }
  EXPECT_EQ(orders[0], dsp.diagnosis.failing);
  EXPECT_EQ(orders[1], dsp.diagnosis.alternate.order);
  const EventRef check = dsp.example.at(2, EventKind::read, 19), take = dsp.example.at(1, EventKind::write, 20);
  EXPECT_EQ(data["from"][0][check], take);
  EXPECT_EQ(data["from"][1][check], dsp.example.at(0, EventKind::write, 4));
  EXPECT_EQ(data["uses"][std::to_string(take)], json::array({dsp.example.at(1, EventKind::read, 20)}));
  EXPECT_EQ(data["strings"][data["value"][0][check].get<size_t>()], "0");
  EXPECT_EQ(data["strings"][data["value"][1][check].get<size_t>()], "1");
}

TEST(HtmlView, ListsLimitsAndInventsNone) {
  testing::FixedDsp dsp = testing::solvedDsp("running", testing::runningExample());
  EXPECT_THAT(pageOf(dsp), Not(HasSubstr("id=\"limits\"")));
  dsp.example.trace.unmodelled = {"getrandom", "sqlite3_step"};
  EXPECT_THAT(pageOf(dsp), Not(HasSubstr("id=\"limits\"")));
  dsp.diagnosis.limits = limitsOf(dsp.example.trace);
  EXPECT_THAT(pageOf(dsp), HasSubstr("unseen: getrandom, sqlite3_step</li>"));
}

TEST(HtmlView, QuotesTheCommand) {
  testing::FixedDsp dsp = testing::solvedDsp("running", testing::runningExample());
  dsp.diagnosis.recording = "it's <here>";
  EXPECT_THAT(pageOf(dsp), HasSubstr("symbiosis replay &#39;it&#39;\\&#39;&#39;s &lt;here&gt;&#39; --failing"));
}

} // namespace symbiosis
