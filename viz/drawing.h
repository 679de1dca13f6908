#pragma once
// A drawing with pinned positions, rendered by Graphviz. Free shapes lie in the background; cards and chips
// are nodes; arrows are edges between cards. Coordinates are points from the top left corner, y downwards.
//
// Graphviz, learned the hard way (2.42): the canvas is the extent of the nodes, so that invisible ones stand
// in the corners; lengths in the background are UTF-8 bytes, and a wrong one silently drops the rest.
#include "viz/fonts.h"
#include "viz/palette.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

struct Point {
  double x = 0, y = 0;
};
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
};

enum class Align { left = -1, centre = 0, right = 1 };
enum class Stroke { solid, dashed, dotted };
enum class Head { filled, hollow, open };

struct TextStyle {
  Font font = Font::sans;
  double size = 10;
  palette::Token colour = palette::kInk;
  Align align = Align::left;
};

// What identifies a node or an edge in the finished SVG.
struct Identity {
  std::string id, classes, tooltip;
};

class Drawing {
public:
  Drawing(double width, double height);
  ~Drawing();

  // --- background, in order ---
  void rectangle(const Rect& rect, palette::Token fill, palette::Token stroke);
  void outline(const Rect& rect, palette::Token stroke, double width, Stroke style);
  void polygon(const std::vector<Point>& corners, palette::Token fill, palette::Token stroke, double width = 1);
  void line(Point from, Point to, palette::Token stroke, double width, Stroke style);
  // `y` is the baseline. `text` must be printable.
  void text(double x, double y, std::string_view text, const TextStyle& style);

  // --- foreground: edges lie below nodes ---
  // `table` is a Graphviz HTML-like label of the rectangle's size.
  void node(const Identity& identity, const Rect& rect, const std::string& table);
  // Through the points with rounded corners; the head is at the last. The ends are nodes, or empty.
  void edge(const Identity& identity, const std::string& from, const std::string& to,
            const std::vector<Point>& path, palette::Token colour, double width, Stroke style, Head head);

  std::string dot() const;
  // Graphviz' SVG, as it comes.
  std::string svg() const;

private:
  struct Graph;
  void add(const std::string& operation) { background_ += operation + " "; }
  void pen(palette::Token stroke, double width, Stroke style);
  std::string coordinates(Point point) const;
  void fillGraph() const;

  double height_;
  std::string background_;
  std::unique_ptr<Graph> graph_;
};

// For text inside a node's table.
std::string tableText(std::string_view printableText);

} // namespace symbiosis
