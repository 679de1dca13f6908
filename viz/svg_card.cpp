// The labels of cards and chips: Graphviz' tables.
#include "viz/svg_parts.h"
#include "viz/text.h"
#include <fmt/format.h>

namespace symbiosis {

using namespace palette;

namespace {

std::string font(const char* face, double size, Token c, const std::string& content) {
  if (content.empty()) return "";
  return fmt::format(R"(<FONT FACE="{}" POINT-SIZE="{}" COLOR="{}">{}</FONT>)", face, size, c.light, content);
}
std::string cell(const char* align, int width, int height, int columns, const std::string& content) {
  return fmt::format(R"(<TD ALIGN="{}" WIDTH="{}" HEIGHT="{}" COLSPAN="{}" FIXEDSIZE="TRUE">{}</TD>)", align,
                     width, height, columns, content);
}

} // namespace

// A stripe in the thread's colour, the source line, and below it (in a context row beside it) what
// happened. Every cell has its size: Graphviz would measure the text with whatever fonts it finds.
std::string cardTable(const Card& card, size_t side, const Rect& rect, Token stripeColour, bool isEnd) {
  const CardText text = cardText(card, side);
  const Token frame = isEnd ? sideColour(side) : kHairline, wordsColour = isEnd ? sideColour(side) : kInk;
  const int width = int(rect.width), height = int(rect.height), border = isEnd ? 2 : 1;
  const int rows = card.isKey ? 2 : 1, inner = height - 2 * border, room = width - 2 * border - 16;
  const double size = card.isKey ? 10 : 9;
  const std::string source =
      font("DejaVu Sans Mono", size, kMuted, text.place.empty() ? "" : tableText(text.place + " ")) +
      font("DejaVu Sans Mono", size, kInk, tableText(text.code));
  const std::string open = fmt::format(
      R"(<TABLE BORDER="{}" COLOR="{}" BGCOLOR="{}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" FIXEDSIZE="TRUE" WIDTH="{}" HEIGHT="{}"><TR>)",
      border, frame.light, kCard.light, width, height);
  const std::string stripe =
      fmt::format(R"(<TD ROWSPAN="{}" WIDTH="5" HEIGHT="{}" FIXEDSIZE="TRUE" BGCOLOR="{}"></TD>)", rows, inner,
                  stripeColour.light);
  const std::string before = fmt::format(R"(<TD ROWSPAN="{}" WIDTH="6" HEIGHT="8" FIXEDSIZE="TRUE"></TD>)", rows),
                    after = fmt::format(R"(<TD ROWSPAN="{}" WIDTH="5" HEIGHT="8" FIXEDSIZE="TRUE"></TD>)", rows);
  if (!card.isKey) {
    const int words = int(textWidth(text.words, Font::sans, 9)) + 4;
    return open + stripe + before + cell("LEFT", room - words, inner, 1, source) +
           cell("RIGHT", words, inner, 1, font("DejaVu Sans", 9, wordsColour, tableText(text.words))) + after +
           "</TR></TABLE>";
  }
  // "reads <b>0</b>", or words without a value
  const std::string verb = card.verb() + " ";
  const bool hasValue = verb.size() > 1 && text.words.starts_with(verb);
  const std::string words = hasValue ? tableText(verb) + "<B>" + tableText(text.words.substr(verb.size())) + "</B>"
                                     : tableText(text.words);
  const int lock = text.lock.empty() ? 2 : int(textWidth(text.lock, Font::sans, 8)) + 4, top = inner / 2 + 1;
  return open + stripe + before + cell("LEFT", room, top, 2, source) + after + "</TR><TR>" +
         cell("LEFT", room - lock, inner - top, 1, font("DejaVu Sans", 10, wordsColour, words)) +
         cell("RIGHT", lock, inner - top, 1, font("DejaVu Sans", 8, kMuted, tableText(text.lock))) +
         "</TR></TABLE>";
}

std::string chipTable(const std::string& words, const Rect& rect, Token colour) {
  return fmt::format(
      R"(<TABLE BORDER="1" COLOR="{0}" BGCOLOR="{1}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" STYLE="ROUNDED" FIXEDSIZE="TRUE" WIDTH="{2}" HEIGHT="{3}">)"
      "<TR>{4}</TR></TABLE>",
      colour.light, kChip.light, int(rect.width), int(rect.height),
      cell("CENTER", int(rect.width) - 2, int(rect.height) - 2, 1,
           font("DejaVu Sans Mono", 10, colour, "<B>" + tableText(words) + "</B>")));
}

} // namespace symbiosis
