// Virtual calls: multiple and virtual inheritance, covariant results, pointers to members, function objects.
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

static uint32_t mixed = 3;
static void mix(uint32_t value) { mixed = (mixed << 5 | mixed >> 27) ^ value; }

struct Named {
  virtual ~Named() = default;
  virtual uint32_t name() const { return 1; }
  uint32_t tag = 7;
};
struct Shape : virtual Named {
  virtual uint32_t area() const = 0;
  virtual std::unique_ptr<Shape> grown(uint32_t by) const = 0;
  virtual const Shape* self() const { return this; }
};
struct Drawn : virtual Named {
  virtual uint32_t draw() { return ++strokes; }
  uint32_t strokes = 0;
};
struct Square final : Shape, Drawn {
  explicit Square(uint32_t s) : side(s) { tag = s; }
  uint32_t area() const override { return side * side; }
  std::unique_ptr<Shape> grown(uint32_t by) const override { return std::make_unique<Square>(side + by); }
  const Square* self() const override { return this; }
  uint32_t name() const override { return 2; }
  uint32_t draw() override { return Drawn::draw() + side; }
  uint32_t side;
};
struct Flat : Shape {
  uint32_t area() const override { return 0; }
  std::unique_ptr<Shape> grown(uint32_t by) const override {
    if (by > 3) return std::make_unique<Square>(by);
    return std::make_unique<Flat>();
  }
};

uint32_t compute() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(3));
  shapes.push_back(std::make_unique<Flat>());
  for (uint32_t i = 0; i < 10; ++i) shapes.push_back(shapes[i % shapes.size()]->grown(i));
  uint32_t (Shape::*measure)() const = &Shape::area;
  std::function<uint32_t(const Shape&)> both = [&](const Shape& shape) { return (shape.*measure)() + shape.tag; };
  for (const auto& shape : shapes) {
    mix(both(*shape));
    mix(shape->name());
    mix(shape->self()->area());
    if (auto* drawn = dynamic_cast<Drawn*>(shape.get())) mix(drawn->draw());
    mix(typeid(*shape) == typeid(Square));
  }
  return mixed;
}
