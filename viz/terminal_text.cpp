#include "viz/terminal_text.h"
#include "viz/text.h"

namespace symbiosis {

namespace {

struct Likeness {
  char32_t sign;
  const char* ascii;
};
// Those of one character first; the others only fit into running text.
constexpr Likeness kLikenesses[] = {
    {U'●', "*"}, {U'·', "."}, {U'○', "o"}, {U'┆', ":"}, {U'✗', "X"}, {U'✓', "+"}, {U'━', "="}, {U'┃', "|"},
    {U'┓', "."}, {U'┛', "'"}, {U'┏', "."}, {U'┗', "'"}, {U'┣', "+"}, {U'┫', "+"}, {U'┳', "+"}, {U'┻', "+"},
    {U'╋', "+"}, {U'│', "|"}, {U'─', "-"}, {U'╭', "."}, {U'╮', "."}, {U'╰', "'"}, {U'╯', "'"}, {U'├', "+"},
    {U'┤', "+"}, {U'┬', "+"}, {U'┴', "+"}, {U'┼', "+"}, {U'┄', "-"}, {U'⋯', "-"}, {U'◀', "<"}, {U'◁', "<"},
    {U'▶', ">"}, {U'▷', ">"}, {U'╌', "-"}, {U'◆', "?"}, {U'◇', "?"}, {U'→', ">"}, {U'╎', "'"}, {U'░', "/"},
    {U'↓', "v"}, {U'↑', "^"}, {U'–', "-"}, {U'…', "~"}, {U'≠', "#"},
};
constexpr Likeness kLongerLikenesses[] = {{U'→', "->"}, {U'⇄', "<->"}, {U'…', "..."}, {U'≠', "!="}};

std::string withLikenesses(std::string_view text, bool mayGrow) {
  std::string result;
  for (char32_t c : codePoints(text)) {
    if (c < 0x80) {
      result += char(c);
      continue;
    }
    const char* ascii = "?";
    for (const Likeness& l : kLikenesses)
      if (l.sign == c) ascii = l.ascii;
    for (const Likeness& l : kLongerLikenesses)
      if (mayGrow && l.sign == c) ascii = l.ascii;
    result += ascii;
  }
  return result;
}

const char* escapeOf(Style style) {
  switch (style) {
  case Style::plain: return "";
  case Style::fail: return "\x1b[1;31m";
  case Style::pass: return "\x1b[1;32m";
  case Style::strong: return "\x1b[1m";
  case Style::faint: return "\x1b[2m";
  }
  return "";
}

} // namespace

std::string asciiColumns(std::string_view text) { return withLikenesses(text, false); }
std::string asciiText(std::string_view text) { return withLikenesses(text, true); }

std::string paint(const TerminalOptions& options, Style style, std::string_view text) {
  std::string plain = options.utf8 ? std::string(text) : asciiColumns(text);
  if (!options.colour || style == Style::plain) return plain;
  return escapeOf(style) + plain + "\x1b[0m";
}

} // namespace symbiosis
