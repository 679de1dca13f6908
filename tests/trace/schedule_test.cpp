#include "tests/trace/orders.h"
#include "tests/trace_builder.h"
#include "trace/schedule.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using testing::byThreads;
using ::testing::HasSubstr;
using testing::TraceBuilder;

SymbolicTrace smallTrace() {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.lock(0, "m", 2);
  b.write(0, "x", b.constant(1), 3);
  b.unlock(0, "m", 4);
  b.start(1);
  b.read(1, "x", 5);
  return b.build();
}

const char* const kText = "symbiosis-schedule 1\n"
                          "program 00ff\n"
                          "0 0 start 0 -\n"
                          "0 1 fork 0 -\n"
                          "0.1 0 start 0 -\n"
                          "0 2 lock 0 global:m\n"
                          "0.1 1 read 0 global:x\n"
                          "0 3 write 0 global:x\n"
                          "0 4 unlock 0 global:m\n"
                          "end 7\n";

TEST(Schedule, isWrittenAsText) {
  const SymbolicTrace trace = smallTrace();
  EXPECT_EQ(toText(toSchedule(trace, byThreads(trace, {0, 0, 1, 0, 1, 0, 0}), "00ff")), kText);
}

TEST(Schedule, roundTrip) {
  const SymbolicTrace trace = smallTrace();
  const EventOrder order = byThreads(trace, {0, 0, 0, 1, 0, 1, 0});
  const Schedule schedule = toSchedule(trace, order, "abc");
  Result<Schedule> again = parseSchedule(toText(schedule), "s");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, schedule);
  Result<EventOrder> orderAgain = toOrder(trace, *again);
  ASSERT_TRUE(orderAgain) << orderAgain.error().message;
  EXPECT_EQ(*orderAgain, order);
}

TEST(Schedule, everyKindSurvives) {
  Schedule schedule{.program = "p", .entries = {}};
#define SYMBIOSIS_KIND(name, number, text)                                                                        \
  schedule.entries.push_back({.thread = "0.2.1",                                                                  \
                              .index = 18446744073709551615ull,                                                   \
                              .kind = EventKind::name,                                                            \
                              .object = "heap:0.1#3 of operator new",                                             \
                              .choice = 4294967295u});
  SYMBIOSIS_EVENT_KINDS(SYMBIOSIS_KIND)
#undef SYMBIOSIS_KIND
  Result<Schedule> again = parseSchedule(toText(schedule), "s");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, schedule);
}

TEST(Schedule, mayBeEmptyOrPartial) {
  const SymbolicTrace trace = smallTrace();
  const Schedule empty{.program = "p", .entries = {}};
  EXPECT_EQ(*parseSchedule(toText(empty), "s"), empty);
  EXPECT_EQ(toOrder(trace, empty)->size(), 0u);
  EXPECT_EQ(toOrder(trace, toSchedule(trace, EventOrder{0, 1, 5}, "p"))->size(), 3u);
}

// The error for `text`, which must not be a schedule.
std::string errorOf(const std::string& text) {
  Result<Schedule> schedule = parseSchedule(text, "file");
  if (schedule) return "no error";
  EXPECT_EQ(schedule.error().kind, ErrorKind::badInput);
  return schedule.error().message;
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kText;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ScheduleText, everyTruncationIsNoticed) {
  const std::string text = kText;
  // without the last newline nothing is lost
  for (size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_NE(errorOf(text.substr(0, length)), "no error") << length;
  EXPECT_THAT(errorOf(text.substr(0, text.find("end"))), HasSubstr("file:10: truncated"));
}

TEST(ScheduleText, anotherVersionIsRefused) {
  EXPECT_THAT(errorOf(changed("symbiosis-schedule 1", "symbiosis-schedule 2")),
              HasSubstr("file:1: not a schedule of version 1"));
  EXPECT_THAT(errorOf(""), HasSubstr("file:1: not a schedule"));
  EXPECT_THAT(errorOf("\x7f"
                      "ELF"),
              HasSubstr("file:1: not a schedule"));
}

TEST(ScheduleText, malformedLinesAreNamed) {
  EXPECT_THAT(errorOf(changed("program", "programme")), HasSubstr("file:2: expected \"program HASH\""));
  EXPECT_THAT(errorOf(changed(" read ", " peek ")), HasSubstr("file:7: not an entry"));
  EXPECT_THAT(errorOf(changed("0 3 write", "0 -3 write")), HasSubstr("file:8: not an entry"));
  EXPECT_THAT(errorOf(changed("0 3 write", "0 3x write")), HasSubstr("file:8: not an entry"));
  EXPECT_THAT(errorOf(changed("0 3 write", "0 99999999999999999999 write")), HasSubstr("file:8: not an entry"));
  EXPECT_THAT(errorOf(changed("write 0 global:x", "write 0")), HasSubstr("file:8: not an entry"));
  EXPECT_THAT(errorOf(changed("write 0 global:x", "write 0 ")), HasSubstr("file:8: not an entry"));
  EXPECT_THAT(errorOf(changed("0 1 fork 0 -\n", "\n")), HasSubstr("file:4: not an entry"));
  EXPECT_THAT(errorOf(changed("0 1 fork 0 -\n", " 1 fork 0 -\n")), HasSubstr("file:4: not an entry"));
}

TEST(ScheduleText, theCountMustAgree) {
  EXPECT_THAT(errorOf(changed("end 7", "end 8")), HasSubstr("7 entries, but the last line says \"end 8\""));
  EXPECT_THAT(errorOf(changed("end 7", "end seven")), HasSubstr("\"end seven\""));
  EXPECT_THAT(errorOf(changed("0 1 fork 0 -\n", "")), HasSubstr("6 entries"));
  EXPECT_THAT(errorOf(std::string(kText) + "more\n"), HasSubstr("file:11: text after the closing line"));
}

TEST(ScheduleText, errorsSayWhatToDo) { EXPECT_THAT(errorOf(""), HasSubstr("symbiosis diagnose")); }

std::string orderErrorOf(const std::string& text) {
  Result<Schedule> schedule = parseSchedule(text, "file");
  EXPECT_TRUE(schedule);
  Result<EventOrder> order = toOrder(smallTrace(), *schedule);
  return order ? "no error" : order.error().message;
}

TEST(Schedule, foreignEntriesAreRefused) {
  EXPECT_EQ(orderErrorOf(kText), "no error");
  EXPECT_THAT(orderErrorOf(changed("0 3 write", "0 9 write")), HasSubstr("entry 6: no event write 9 of thread 0"));
  EXPECT_THAT(orderErrorOf(changed("0.1 0 start", "0.2 0 start")), HasSubstr("entry 3: no event start 0"));
  EXPECT_THAT(orderErrorOf(changed("0 3 write", "0 3 read")), HasSubstr("entry 6: no event read 3"));
  EXPECT_THAT(orderErrorOf(changed("write 0 global:x", "write 0 global:y")),
              HasSubstr("entry 6: write 3 of thread 0 is on object global:y, in this trace on global:x"));
}

TEST(Schedule, noEventTwice) {
  EXPECT_THAT(orderErrorOf(changed("0 1 fork 0 -", "0 0 start 0 -")),
              HasSubstr("entry 2: event 0 of thread 0 is scheduled twice"));
}

TEST(Segments, areMaximalRunsOfOneThread) {
  const SymbolicTrace trace = smallTrace();
  const EventOrder order = byThreads(trace, {0, 0, 1, 0, 0, 0, 1});
  const std::vector<Segment> found = segments(trace, order);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[2].thread, 0u);
  EXPECT_EQ(found[2].begin, 3u);
  EXPECT_EQ(found[2].end, 6u);
  EXPECT_EQ(contextSwitches(trace, order), 3u);
  EXPECT_EQ(contextSwitches(trace, {}), 0u);
  EXPECT_EQ(contextSwitches(trace, {0}), 0u);
}

} // namespace
} // namespace symbiosis
