#include "viz/text.h"
#include <algorithm>
#include <cstdint>

namespace symbiosis {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

void append(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += char(0xC0 | (c >> 6));
    text += char(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += char(0xE0 | (c >> 12));
    text += char(0x80 | ((c >> 6) & 0x3F));
    text += char(0x80 | (c & 0x3F));
  } else {
    text += char(0xF0 | (c >> 18));
    text += char(0x80 | ((c >> 12) & 0x3F));
    text += char(0x80 | ((c >> 6) & 0x3F));
    text += char(0x80 | (c & 0x3F));
  }
}

// Takes one character off the front; a byte that begins none is taken alone, as U+FFFD.
char32_t take(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xF0 && first < 0xF5 ? 4
                        : first >= 0xE0                 ? 3
                        : first >= 0xC2                 ? 2
                                                        : 0;
  char32_t c = length == 1 ? first : length == 0 ? 0 : first & (0x7F >> length);
  bool valid = length > 0 && first < 0xF5 && length <= text.size();
  for (size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    c = (c << 6) | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
  if (!valid || overlong || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
    text.remove_prefix(1);
    return kReplacement;
  }
  text.remove_prefix(length);
  return c;
}

bool isBetween(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

char32_t shown(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r' || c == 0x0B || c == 0x0C || c == 0x2028 || c == 0x2029) return ' ';
  if (c < 0x20) return 0x2400 + c; // the picture of the control character
  if (c == 0x7F) return 0x2421;
  const bool turnsDirection =
      isBetween(c, 0x202A, 0x202E) || isBetween(c, 0x2066, 0x2069) || c == 0x200E || c == 0x200F;
  const bool notXml = (c & 0xFFFE) == 0xFFFE || isBetween(c, 0xFDD0, 0xFDEF);
  return isBetween(c, 0x80, 0x9F) || turnsDirection || notXml ? kReplacement : c;
}

size_t columnsOf(char32_t c) {
  if (isBetween(c, 0x300, 0x36F) || isBetween(c, 0x200B, 0x200F) || isBetween(c, 0xFE00, 0xFE0F) ||
      isBetween(c, 0x20D0, 0x20FF))
    return 0;
  const bool isWide =
      isBetween(c, 0x1100, 0x115F) || isBetween(c, 0x2E80, 0xA4CF) || isBetween(c, 0xAC00, 0xD7A3) ||
      isBetween(c, 0xF900, 0xFAFF) || isBetween(c, 0xFE30, 0xFE6F) || isBetween(c, 0xFF00, 0xFF60) ||
      isBetween(c, 0xFFE0, 0xFFE6) || isBetween(c, 0x1F300, 0x1FAFF) || isBetween(c, 0x20000, 0x3FFFD);
  return isWide ? 2 : 1;
}

size_t columnsOf(std::u32string_view text) {
  size_t count = 0;
  for (char32_t c : text) count += columnsOf(c);
  return count;
}

// At most `width` columns; what is cut falls out of the middle.
std::u32string fitted(std::u32string text, size_t width) {
  if (columnsOf(text) <= width) return text;
  if (width == 0) return {};
  std::u32string head, tail;
  size_t left = width - 1;
  for (size_t i = 0; i < text.size() && columnsOf(head) + columnsOf(text[i]) <= left - left / 2; ++i)
    head += text[i];
  left -= columnsOf(head);
  size_t next = text.size();
  while (next > 0 && columnsOf(tail) + columnsOf(text[next - 1]) <= left) tail.insert(tail.begin(), text[--next]);
  return head + U"…" + tail;
}

} // namespace

std::u32string codePoints(std::string_view text) {
  std::u32string result;
  while (!text.empty()) result += take(text);
  return result;
}

std::string toUtf8(std::u32string_view text) {
  std::string result;
  for (char32_t c : text) append(result, c);
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) append(result, shown(take(text)));
  return result;
}

std::string tidied(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string xmlEscaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    case '\'': result += "&#39;"; break;
    default: result += c;
    }
  }
  return result;
}

size_t columns(std::string_view text) { return columnsOf(codePoints(text)); }

std::string padded(std::string_view text, size_t width) {
  const std::u32string fit = fitted(codePoints(text), width);
  return toUtf8(fit) + std::string(width - columnsOf(fit), ' ');
}

std::string paddedLeft(std::string_view text, size_t width) {
  const std::u32string fit = fitted(codePoints(text), width);
  return std::string(width - columnsOf(fit), ' ') + toUtf8(fit);
}

// Words that belong on one line: "line 19" is one.
static std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const bool isNumber = word[0] >= '0' && word[0] <= '9';
    if (isNumber && !words.empty() && (words.back().ends_with("line") || words.back().ends_with("lines")))
      words.back() += " " + std::string(word);
    else
      words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> wrapped(std::string_view text, size_t width, std::string_view indent) {
  std::vector<std::string> lines;
  std::string line(text.substr(0, std::min(text.find_first_not_of(' '), text.size())));
  bool isEmpty = true;
  for (const std::string& word : wordsOf(text)) {
    if (!isEmpty && columns(line) + 1 + columns(word) > width) {
      lines.push_back(line);
      line = indent;
      isEmpty = true;
    }
    line += (isEmpty ? "" : " ") + word;
    isEmpty = false;
  }
  lines.push_back(line);
  for (std::string& each : lines)
    if (columns(each) > width) each = toUtf8(fitted(codePoints(each), width));
  return lines;
}

} // namespace symbiosis
