#include "trace/recording.h"
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using format::FailureCause;
using format::FailureRecord;

FailureRecord signalRecord(int number, uint64_t address) {
  FailureRecord record = {};
  record.cause = FailureCause::signal;
  record.signal = number;
  record.code = 1;
  record.address = address;
  return record;
}

TEST(FailureText, AnAssertionSaysWhatAndWhere) {
  FailureRecord record = {};
  record.cause = FailureCause::assertion;
  record.line = 19;
  std::strcpy(record.expression, "x > 0");
  std::strcpy(record.file, "/somewhere/queue.c");
  EXPECT_EQ(toText(record), "assertion \"x > 0\" failed at queue.c:19");
}

TEST(FailureText, AFaultSaysTheAddressWhereThereIsOne) {
  EXPECT_EQ(toText(signalRecord(SIGSEGV, 8)), "signal 11 (Segmentation fault) at address 0x8");
  EXPECT_EQ(toText(signalRecord(SIGFPE, 8)), "signal 8 (Floating point exception)");
}

TEST(FailureText, AnExceptionHasItsTypeAndWhatItSays) {
  FailureRecord record = signalRecord(SIGABRT, 0);
  std::strcpy(record.exceptionType, "St12out_of_range");
  EXPECT_EQ(toText(record), "uncaught exception std::out_of_range");
  std::strcpy(record.what, "too far");
  EXPECT_EQ(toText(record), "uncaught exception std::out_of_range: too far");
  std::strcpy(record.exceptionType, "not a mangled name");
  EXPECT_EQ(exceptionText(record), "not a mangled name: too far");
}

TEST(FailureText, TextsThatDoNotEndAreEnded) {
  FailureRecord record;
  std::memset(&record, 'x', sizeof record);
  closeTexts(record);
  for (const char* text : {record.expression, record.file, record.function, record.exceptionType, record.what})
    EXPECT_LT(std::strlen(text), sizeof record.expression);
}

} // namespace
} // namespace symbiosis
