#include "viz/terminal_text.h"
#include "viz/text.h"
#include <gmock/gmock.h>

namespace symbiosis {

TEST(Text, PrintableShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("plain – text"), "plain – text");
  EXPECT_EQ(printable("a\tb\nc\r"), "a b c ");
  EXPECT_EQ(printable("\x1b[31m"), "␛[31m");
  EXPECT_EQ(printable("\x7f"), "␡");
  EXPECT_EQ(printable("\xc2\x9b"), "\xef\xbf\xbd") << "a C1 control";
  EXPECT_EQ(printable("\xff\xfe"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(printable("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd") << "cut off";
  EXPECT_EQ(printable("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\xef\xbf\xbd") << "turns the direction of writing";
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\xef\xbf\xbd") << "no XML character";
  EXPECT_EQ(printable("😀"), "😀");
}

TEST(Text, TidiedAndEscaped) {
  EXPECT_EQ(tidied("  a   b "), "a b");
  EXPECT_EQ(xmlEscaped("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST(Text, ColumnsCountWideCharactersTwice) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("日本"), 4u);
  EXPECT_EQ(padded("日本", 5), "日本 ");
  EXPECT_EQ(columns(padded("日本語日本語", 5)), 5u);
  EXPECT_EQ(padded("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(paddedLeft("7", 3), "  7");
}

TEST(Text, WrappingKeepsALineNumberWithItsWord) {
  EXPECT_THAT(wrapped("aaa bbb ccc", 7, "  "), ::testing::ElementsAre("aaa bbb", "  ccc"));
  EXPECT_THAT(wrapped("fails (line 19) here", 12, ""), ::testing::ElementsAre("fails", "(line 19)", "here"));
  EXPECT_THAT(wrapped("", 5, "  "), ::testing::ElementsAre(""));
  EXPECT_THAT(wrapped("  indented", 20, ""), ::testing::ElementsAre("  indented"));
}

TEST(Text, AsciiKeepsColumns) {
  EXPECT_EQ(asciiColumns("● ✗ ━┓"), "* X =.");
  EXPECT_EQ(columns(asciiColumns("…→日")), 3u);
  EXPECT_EQ(asciiText("a → b"), "a -> b");
}

} // namespace symbiosis
