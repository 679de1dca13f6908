#include "trace/source_files.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

TEST(SourceFiles, linesAreCountedFromOne) {
  SourceFiles sources;
  sources.add("a.c", "first\n\nthird");
  EXPECT_EQ(sources.line("a.c", 1), "first");
  EXPECT_EQ(sources.line("a.c", 2), "");
  EXPECT_EQ(sources.line("a.c", 3), "third");
  EXPECT_EQ(sources.line("a.c", 0), std::nullopt);
  EXPECT_EQ(sources.line("a.c", 4), std::nullopt);
  EXPECT_EQ(sources.line("b.c", 1), std::nullopt);
}

TEST(SourceFiles, aClosingNewlineIsNotALine) {
  SourceFiles sources;
  sources.add("a.c", "only\n");
  EXPECT_EQ(sources.line("a.c", 1), "only");
  EXPECT_EQ(sources.line("a.c", 2), std::nullopt);
}

TEST(SourceFiles, carriageReturnsAreDropped) {
  SourceFiles sources;
  sources.add("a.c", "one\r\ntwo\r\n");
  EXPECT_EQ(sources.line("a.c", 1), "one");
  EXPECT_EQ(sources.line("a.c", 2), "two");
}

TEST(SourceFiles, anEmptyFileIsKnown) {
  SourceFiles sources;
  sources.add("empty.c", "");
  EXPECT_TRUE(sources.has("empty.c"));
  EXPECT_FALSE(sources.has("other.c"));
  EXPECT_EQ(sources.line("empty.c", 1), std::nullopt);
}

TEST(SourceFiles, addingAgainReplaces) {
  SourceFiles sources;
  sources.add("a.c", "old\nolder\n");
  sources.add("a.c", "new\n");
  EXPECT_EQ(sources.line("a.c", 1), "new");
  EXPECT_EQ(sources.line("a.c", 2), std::nullopt);
  EXPECT_EQ(sources.files().size(), 1u);
}

} // namespace
} // namespace symbiosis
