#include "viz/drawing.h"
#include "viz/text.h"
#include "viz/text_layout.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <gvc.h>

#ifdef __SANITIZE_ADDRESS__
// Graphviz keeps a few kilobytes of every picture to itself.
extern "C" const char* __lsan_default_suppressions() { return "leak:libgvc.so\nleak:libcgraph.so\n"; }
#endif

namespace symbiosis {

namespace {

const char* toText(Stroke style) {
  return style == Stroke::solid ? "solid" : style == Stroke::dashed ? "dashed" : "dotted";
}
const char* toText(Head head) {
  return head == Head::filled ? "normal" : head == Head::hollow ? "onormal" : "vee";
}

// Two decimals without trailing zeros, so that equal pictures are equal texts.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value + 0.0);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// Graphviz takes "&amp;" for an entity wherever it finds one, so that every "&" of ours must become one.
std::string withoutEntities(std::string_view text) {
  std::string result;
  for (char c : text) result += c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

std::string withoutEscapes(std::string_view text) {
  std::string result;
  for (char c : text) result += c == '\\' ? "\\\\" : std::string(1, c);
  return result;
}

char* unconst(const char* text) { return const_cast<char*>(text); } // Graphviz does not write through these

// Owns what Graphviz allocates; never prints.
struct Context {
  GVC_t* gvc = gvContextPlugins(textLayoutPlugins(), 1);
  Context() { agseterr(AGMAX); }
  ~Context() { gvFreeContext(gvc); }
};

} // namespace

std::string tableText(std::string_view text) {
  std::string result;
  for (char c : xmlEscaped(text)) result += c == ' ' ? "&#160;" : c == '\\' ? "\\\\" : std::string(1, c);
  return result;
}

struct Drawing::Graph {
  Agraph_t* graph = agopen(unconst("DSP"), Agdirected, nullptr);
  Graph() {
    for (const auto& [name, value] : {std::pair{"outputorder", "edgesfirst"},
                                      {"pad", "0"},
                                      {"margin", "0"},
                                      {"bgcolor", palette::kPage.light},
                                      {"fontname", "DejaVu Sans"},
                                      {"_background", ""},
                                      {"charset", "UTF-8"}})
      agattr(graph, AGRAPH, unconst(name), unconst(value));
    for (const auto& [name, value] : {std::pair{"shape", "none"},
                                      {"fixedsize", "shape"},
                                      {"margin", "0"},
                                      {"fontname", "DejaVu Sans"},
                                      {"label", ""},
                                      {"pos", ""},
                                      {"width", ""},
                                      {"height", ""},
                                      {"style", ""},
                                      {"id", ""},
                                      {"class", ""},
                                      {"tooltip", ""}})
      agattr(graph, AGNODE, unconst(name), unconst(value));
    for (const auto& [name, value] : {std::pair{"pos", ""},
                                      {"color", ""},
                                      {"penwidth", "1"},
                                      {"arrowhead", "normal"},
                                      {"arrowsize", "0.9"},
                                      {"style", "solid"},
                                      {"id", ""},
                                      {"class", ""},
                                      {"tooltip", ""}})
      agattr(graph, AGEDGE, unconst(name), unconst(value));
  }
  ~Graph() { agclose(graph); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void set(void* object, const char* name, const std::string& value) {
    agset(object, unconst(name), unconst(value.c_str()));
  }
  void setTable(void* object, const char* name, const std::string& value) {
    char* table = agstrdup_html(graph, unconst(value.c_str()));
    agset(object, unconst(name), table);
    agstrfree(graph, table);
  }
  Agnode_t* node(const std::string& name) { return agnode(graph, unconst(name.c_str()), 1); }
  Agnode_t* point(const std::string& name, const std::string& at) {
    Agnode_t* node = this->node(name);
    for (const auto& [key, value] :
         {std::pair{"shape", "point"}, {"style", "invis"}, {"width", "0.001"}, {"height", "0.001"}})
      set(node, key, value);
    set(node, "pos", at);
    return node;
  }
};

Drawing::Drawing(double width, double height) : height_(height), graph_(std::make_unique<Graph>()) {
  graph_->point("corner1", coordinates({0, 0}));
  graph_->point("corner2", coordinates({width, height}));
  rectangle({0, 0, width, height}, palette::kPage, palette::kPage);
}
Drawing::~Drawing() = default;

std::string Drawing::coordinates(Point point) const {
  return fmt::format("{},{}", number(point.x), number(height_ - point.y));
}

void Drawing::pen(palette::Token stroke, double width, Stroke style) {
  const std::string pattern = toText(style), line = fmt::format("setlinewidth({})", number(width));
  add(fmt::format("S {} -{} S {} -{} c 7 -{}", pattern.size(), pattern, line.size(), line, stroke.light));
}

void Drawing::rectangle(const Rect& r, palette::Token fill, palette::Token stroke) {
  polygon({{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}}, fill, stroke);
}

static std::string pointList(const std::vector<Point>& points, double height) {
  std::string text = fmt::format("{}", points.size());
  for (const Point& p : points) text += fmt::format(" {} {}", number(p.x), number(height - p.y));
  return text;
}

void Drawing::polygon(const std::vector<Point>& corners, palette::Token fill, palette::Token stroke,
                      double width) {
  pen(stroke, width, Stroke::solid);
  add(fmt::format("C 7 -{} P {}", fill.light, pointList(corners, height_)));
}

void Drawing::outline(const Rect& r, palette::Token stroke, double width, Stroke style) {
  pen(stroke, width, style);
  add("p " + pointList({{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}}, height_));
}

void Drawing::line(Point from, Point to, palette::Token stroke, double width, Stroke style) {
  pen(stroke, width, style);
  add("L " + pointList({from, to}, height_));
}

void Drawing::text(double x, double y, std::string_view words, const TextStyle& style) {
  const char* face = style.font == Font::mono ? "DejaVu Sans Mono" : "DejaVu Sans";
  const double baseline = height_ - y - kLift * style.size;
  add(fmt::format("F {} {} -{} c 7 -{} t {} T {} {} {} {} {} -{}", number(style.size),
                  std::string_view(face).size(), face, style.colour.light, style.font == Font::sansBold ? 1 : 0,
                  number(x), number(baseline), int(style.align),
                  std::lround(textWidth(words, style.font, style.size)), words.size(), words));
}

void Drawing::node(const Identity& identity, const Rect& rect, const std::string& table) {
  Agnode_t* node = graph_->node(identity.id);
  graph_->set(node, "pos", coordinates(rect.centre()));
  graph_->set(node, "width", fmt::format("{:.4f}", rect.width / 72));
  graph_->set(node, "height", fmt::format("{:.4f}", rect.height / 72));
  graph_->setTable(node, "label", table);
  graph_->set(node, "id", identity.id);
  graph_->set(node, "class", identity.classes);
  // Graphviz takes escapes out of a node's tooltip twice, out of an edge's once.
  graph_->set(node, "tooltip", withoutEscapes(withoutEscapes(withoutEntities(identity.tooltip))));
}

// A polyline as cubic curves: straight pieces, and a quarter turn at each corner.
static std::vector<Point> rounded(const std::vector<Point>& path) {
  constexpr double kRadius = 7;
  std::vector<Point> curve{path.front()};
  auto straightTo = [&](Point p) { curve.insert(curve.end(), {curve.back(), p, p}); };
  for (size_t i = 1; i + 1 < path.size(); ++i) {
    const Point a = path[i - 1], b = path[i], c = path[i + 1];
    const double in = std::hypot(b.x - a.x, b.y - a.y), out = std::hypot(c.x - b.x, c.y - b.y);
    if (in < 0.01 || out < 0.01) continue;
    const double r = std::min({kRadius, in / 2, out / 2});
    straightTo({b.x - (b.x - a.x) / in * r, b.y - (b.y - a.y) / in * r});
    curve.insert(curve.end(), {b, b, {b.x + (c.x - b.x) / out * r, b.y + (c.y - b.y) / out * r}});
  }
  straightTo(path.back());
  return curve;
}

void Drawing::edge(const Identity& identity, const std::string& from, const std::string& to,
                   const std::vector<Point>& path, palette::Token colour, double width, Stroke style, Head head) {
  assert(path.size() >= 2);
  constexpr double kHeadLength = 10;
  std::vector<Point> shaft = path;
  const Point tip = path.back(), before = path[path.size() - 2];
  const double length = std::hypot(tip.x - before.x, tip.y - before.y);
  if (length > 0) {
    const double cut = std::min(kHeadLength, length - 0.5);
    shaft.back() = {tip.x - (tip.x - before.x) / length * cut, tip.y - (tip.y - before.y) / length * cut};
  }
  std::string pos = "e," + coordinates(tip);
  for (const Point& p : rounded(shaft)) pos += " " + coordinates(p);
  Agnode_t* tail =
      from.empty() ? graph_->point(identity.id + " tail", coordinates(path.front())) : graph_->node(from);
  Agnode_t* target = to.empty() ? graph_->point(identity.id + " head", coordinates(tip)) : graph_->node(to);
  Agedge_t* edge = agedge(graph_->graph, tail, target, unconst(identity.id.c_str()), 1);
  graph_->set(edge, "pos", pos);
  graph_->set(edge, "color", colour.light);
  graph_->set(edge, "penwidth", number(width));
  graph_->set(edge, "style", toText(style));
  graph_->set(edge, "arrowhead", toText(head));
  graph_->set(edge, "id", identity.id);
  graph_->set(edge, "class", identity.classes);
  graph_->set(edge, "tooltip", withoutEscapes(withoutEntities(identity.tooltip)));
}

void Drawing::fillGraph() const { graph_->set(graph_->graph, "_background", background_); }

std::string Drawing::dot() const {
  fillGraph();
  char* text = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  agwrite(graph_->graph, stream);
  fclose(stream);
  std::string result(text, size);
  free(text);
  return result;
}

std::string Drawing::svg() const {
  fillGraph();
  const Context context;
  std::string result;
  if (gvLayout(context.gvc, graph_->graph, "nop2") != 0) return result;
  char* data = nullptr;
  unsigned length = 0;
  if (gvRenderData(context.gvc, graph_->graph, "svg", &data, &length) == 0) result.assign(data, length);
  gvFreeRenderData(data);
  gvFreeLayout(context.gvc, graph_->graph);
  return result;
}

} // namespace symbiosis
