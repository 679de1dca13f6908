// Where a trigger goes, in the source as text.
#include "breakpoints/patch.h"
#include "breakpoints/source_text.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

// The line and column of `@` in the text, which is taken out; then T is inserted before what stands there.
struct Marked {
  std::string text;
  uint32_t line = 1, column = 1;
  explicit Marked(std::string marked) : text(std::move(marked)) {
    const size_t at = text.find('@');
    text.erase(at, 1);
    for (size_t i = 0; i < at; ++i) text[i] == '\n' ? (++line, column = 1) : ++column;
  }
};

enum class How { before, within, write, behind };

std::string inserted(const std::string& marked, How how = How::before) {
  const Marked at(marked);
  const SourceText source(at.text);
  Result<Place> place = how == How::before   ? source.before(at.line, at.column)
                        : how == How::behind ? source.behind(at.line, at.column)
                                             : source.within(at.line, at.column, how == How::write);
  if (!place) return "refused: " + place.error().message;
  Result<std::string> text = source.with({{*place, "T"}});
  return text ? *text : "refused: " + text.error().message;
}

TEST(SourceText, AStatementHasALineBeforeIt) {
  EXPECT_EQ(inserted("void f(void) {\n  a = 1;\n  @b = 2;\n}\n"), "void f(void) {\n  a = 1;\n  T;\n  b = 2;\n}\n");
}

TEST(SourceText, AStatementThatGoesOverLinesIsNotTorn) {
  EXPECT_EQ(inserted("void f() {\n  call(a,\n       @b,\n       c);\n}\n"),
            "void f() {\n  T;\n  call(a,\n       b,\n       c);\n}\n");
}

TEST(SourceText, SeveralStatementsOnALine) {
  EXPECT_EQ(inserted("void f() { a = 1; @b = 2; }\n"), "void f() { a = 1; T; b = 2; }\n");
}

TEST(SourceText, ADeclarationAndAReturn) {
  EXPECT_EQ(inserted("int f() {\n  int x = @y;\n}\n"), "int f() {\n  T;\n  int x = y;\n}\n");
  EXPECT_EQ(inserted("int f() {\n  return @y;\n}\n"), "int f() {\n  T;\n  return y;\n}\n");
}

TEST(SourceText, TheConditionOfAnIfIsBeforeTheIf) {
  EXPECT_EQ(inserted("void f() {\n  if (a && @b) {\n    c();\n  }\n}\n"),
            "void f() {\n  T;\n  if (a && b) {\n    c();\n  }\n}\n");
}

TEST(SourceText, ABodyWithoutBracketsKeepsItsIf) {
  EXPECT_EQ(inserted("void f() {\n  if (a) @b = 1;\n}\n"), "void f() {\n  if (a) T, b = 1;\n}\n");
  EXPECT_EQ(inserted("int f() {\n  if (a) return @b;\n}\n"), "int f() {\n  if (a) return T, b;\n}\n");
  EXPECT_EQ(inserted("void f() {\n  if (a)\n    b();\n  else if (@c) d();\n}\n"),
            "void f() {\n  if (a)\n    b();\n  else if (T, c) d();\n}\n");
}

TEST(SourceText, WhatALoopAsksIsAskedEachTime) {
  EXPECT_EQ(inserted("void f() {\n  while (!@a) b();\n}\n"), "void f() {\n  while (T, !a) b();\n}\n");
  EXPECT_EQ(inserted("void f() {\n  for (int i = 0; i < @n; ++i) {}\n}\n"),
            "void f() {\n  for (int i = 0; T, i < n; ++i) {}\n}\n");
  EXPECT_EQ(inserted("void f() {\n  for (int i = @n; i; --i) {}\n}\n"),
            "void f() {\n  T;\n  for (int i = n; i; --i) {}\n}\n");
}

TEST(SourceText, ABodyOfALoopIsAStatement) {
  EXPECT_EQ(inserted("void f() {\n  for (;;) @a();\n}\n"), "void f() {\n  for (;;) T, a();\n}\n");
  EXPECT_EQ(inserted("void f() {\n  for (;;) {\n    @a();\n  }\n}\n"),
            "void f() {\n  for (;;) {\n    T;\n    a();\n  }\n}\n");
}

TEST(SourceText, InsideALambda) {
  EXPECT_EQ(inserted("int main() {\n  std::thread t([&] {\n    @x = 1;\n  });\n}\n"),
            "int main() {\n  std::thread t([&] {\n    T;\n    x = 1;\n  });\n}\n");
  EXPECT_EQ(inserted("int main() {\n  auto f = [](int y) { return @y; };\n  g();\n}\n"),
            "int main() {\n  auto f = [](int y) { T; return y; };\n  g();\n}\n");
}

TEST(SourceText, MembersAndTheEndOfABlock) {
  EXPECT_EQ(inserted("struct S {\n  int f() const {\n    @x = 1;\n  }\n};\n"),
            "struct S {\n  int f() const {\n    T;\n    x = 1;\n  }\n};\n");
  EXPECT_EQ(inserted("void f() {\n  guard g(m);\n@}\n"), "void f() {\n  guard g(m);\n  T;\n}\n");
}

TEST(SourceText, LabelsAndCasesStayWhereTheyAre) {
  EXPECT_EQ(inserted("void f() {\n  switch (a) {\n  case 1: @b(); break;\n  }\n}\n"),
            "void f() {\n  switch (a) {\n  case 1: T; b(); break;\n  }\n}\n");
}

TEST(SourceText, CommentsAndLiteralsAreNoCode) {
  EXPECT_EQ(inserted("void f() {\n  g(\"; {\"); // ; {\n  /* } */ @x = ';';\n}\n"),
            "void f() {\n  g(\"; {\"); // ; {\n  /* } */ T; x = ';';\n}\n");
}

TEST(SourceText, RefusesWhatIsNoPlace) {
  EXPECT_EQ(inserted("#define M(a) \\\n  @a = 1\nvoid f() {}\n"), "refused: it is in the definition of a macro");
  EXPECT_EQ(inserted("static int x = @y;\n"), "refused: it is outside of any function");
  EXPECT_EQ(inserted("void f() {\n  while (auto p = @q) {}\n}\n"),
            "refused: it is part of a declaration in the head of a loop or condition");
}

TEST(SourceText, AnAssignmentIsTakenApart) {
  EXPECT_EQ(inserted("void f() {\n  @++n;\n}\n", How::write),
            "void f() {\n  n = SYMBIOSIS_BETWEEN(n + 1, (T));\n}\n");
  EXPECT_EQ(inserted("void f() {\n  s->n@--;\n}\n", How::write),
            "void f() {\n  s->n = SYMBIOSIS_BETWEEN(s->n - 1, (T));\n}\n");
  EXPECT_EQ(inserted("void f() {\n  a[i] @+= x * 2;\n}\n", How::write),
            "void f() {\n  a[i] = SYMBIOSIS_BETWEEN(a[i] + (x * 2), (T));\n}\n");
  EXPECT_EQ(inserted("void f() {\n  int a @= b;\n}\n", How::write),
            "refused: it is the initialisation of a variable");
  EXPECT_EQ(inserted("void f() {\n  a = b @= c;\n}\n", How::write), "refused: it assigns more than once");
}

TEST(SourceText, AReadInTheMiddleIsWrapped) {
  EXPECT_EQ(inserted("void f() {\n  g(a == @b);\n}\n", How::within), "void f() {\n  g(a == (T, b));\n}\n");
  EXPECT_EQ(inserted("void f() {\n  g(p->@x);\n}\n", How::within), "void f() {\n  g((T, p)->x);\n}\n");
  EXPECT_EQ(inserted("void f() {\n  g(&@b);\n}\n", How::within),
            "refused: nothing can stand in the middle of this expression");
}

TEST(SourceText, BehindAStatement) {
  EXPECT_EQ(inserted("void f() {\n  @a();\n  b();\n}\n", How::behind), "void f() {\n  a();\n  T;\n  b();\n}\n");
  EXPECT_EQ(inserted("void f() {\n  if (a) @b();\n}\n", How::behind), "refused: nothing can stand behind it");
}

TEST(SourceText, TriggersOfOnePlaceKeepTheirOrder) {
  const SourceText source("void f() {\n  a();\n}\n");
  const Place place = *source.before(2, 3);
  EXPECT_EQ(*source.with({{place, "T"}, {place, "U"}}), "void f() {\n  T;\n  U;\n  a();\n}\n");
}

TEST(SourceText, RefusesATriggerInsideOfAnAssignmentThatIsTakenApart) {
  const SourceText source("void f() {\n  a = b + c;\n}\n");
  EXPECT_FALSE(source.with({{*source.within(2, 5, true), "T"}, {*source.within(2, 11, false), "U"}}));
  EXPECT_TRUE(source.with({{*source.within(2, 5, true), "T"}, {*source.before(2, 11), "U"}}));
}

TEST(UnifiedDiff, IsWhatPatchReads) {
  EXPECT_EQ(unifiedDiff("a\nb\nc\n", "a\nb\nc\n", "x", "y"), "");
  EXPECT_EQ(unifiedDiff("1\n2\n3\n4\n5\n", "1\n2\nnew\n3\n4\n5\n", "x", "y"),
            "--- x\n+++ y\n@@ -1,5 +1,6 @@\n 1\n 2\n+new\n 3\n 4\n 5\n");
  EXPECT_EQ(unifiedDiff("1\n2\n3\n", "1\ntwo\n3\n", "x", "y"),
            "--- x\n+++ y\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n");
}

} // namespace
} // namespace symbiosis
