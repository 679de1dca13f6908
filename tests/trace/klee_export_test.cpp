// What is written for KLEE is read back by a small reader of the two formats, and means the same.
#include "trace/klee_export.h"
#include <gtest/gtest.h>
#include <map>

namespace symbiosis {
namespace {

struct Object {
  std::string name, bytes;
};

class KtestReader {
public:
  explicit KtestReader(const std::string& text) : text_(text) {}
  std::vector<std::string> arguments;
  std::vector<Object> objects;

  void read() {
    ASSERT_EQ(text_.substr(0, 5), "KTEST");
    at_ = 5;
    ASSERT_EQ(number(), 3u);
    for (uint32_t left = number(); left > 0; --left) arguments.push_back(bytes());
    number(), number();
    for (uint32_t left = number(); left > 0; --left) {
      const std::string name = bytes();
      objects.push_back({name, bytes()});
    }
    ASSERT_EQ(at_, text_.size());
  }

private:
  uint32_t number() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | uint8_t(text_.at(at_++));
    return value;
  }
  std::string bytes() {
    const uint32_t size = number();
    at_ += size;
    return text_.substr(at_ - size, size);
  }
  const std::string& text_;
  size_t at_ = 0;
};

// Evaluates KQuery under the values of a .ktest, with a semantics of its own.
class KQueryReader {
public:
  KQueryReader(std::string text, const std::vector<Object>& objects) : text_(std::move(text)) {
    for (const Object& object : objects)
      for (size_t i = 0; i < object.bytes.size(); ++i)
        values_[object.name] |= uint64_t(uint8_t(object.bytes[i])) << (8 * i);
  }
  std::vector<uint64_t> constraints;
  uint64_t question = 0;

  void read() {
    while (peek() == "array")
      for (int i = 0; i < 8; ++i) next(); // array s0[4] : w32 -> w8 = symbolic
    expect("(");
    expect("query");
    expect("[");
    while (peek() != "]") constraints.push_back(expr().bits);
    next();
    question = expr().bits;
    expect(")");
    EXPECT_EQ(peek(), "");
  }

private:
  struct Value {
    uint64_t bits = 0;
    unsigned width = 1;
  };
  std::string peek() {
    const size_t at = at_;
    std::string token = next();
    at_ = at;
    return token;
  }
  std::string next() {
    while (at_ < text_.size() && isspace(text_[at_])) ++at_;
    if (at_ == text_.size()) return "";
    const size_t from = at_++;
    if (std::string("()[]").find(text_[from]) != std::string::npos && text_[from] != '\0')
      return text_.substr(from, 1);
    while (at_ < text_.size() && !isspace(text_[at_]) && text_[at_] != '(' && text_[at_] != ')' &&
           !(text_[at_] == ']' && text_.find('[', from) > at_))
      if (text_[at_++] == ':') break;
    return text_.substr(from, at_ - from);
  }
  void expect(const std::string& token) { ASSERT_EQ(next(), token); }

  Value expr() {
    std::string token = next();
    if (token == "true" || token == "false") return {token == "true", 1};
    if (token.ends_with(":")) return labels_[token.substr(0, token.size() - 1)] = expr();
    if (token != "(") return labels_.at(token);
    const std::string op = next();
    Value value = op[0] == 'w' ? Value{std::stoull(next()), unsigned(std::stoul(op.substr(1)))} : apply(op);
    expect(")");
    return value;
  }

  Value apply(const std::string& op) {
    if (op == "Eq" || op == "Ult" || op == "Ule" || op == "Slt" || op == "Sle") {
      const Value a = expr(), b = expr();
      const int64_t x = signExtend(a.bits, a.width), y = signExtend(b.bits, b.width);
      return {op == "Eq"    ? a.bits == b.bits
              : op == "Ult" ? a.bits < b.bits
              : op == "Ule" ? a.bits <= b.bits
              : op == "Slt" ? x < y
                            : x <= y,
              1};
    }
    const unsigned width = unsigned(std::stoul(next().substr(1)));
    const uint64_t mask = maskOf(width);
    if (op == "ReadLSB") {
      EXPECT_EQ(next(), "0");
      return {values_.at(next()) & mask, width};
    }
    if (op == "Extract") {
      const unsigned low = unsigned(std::stoul(next()));
      return {expr().bits >> low & mask, width};
    }
    const Value a = expr();
    if (op == "ZExt") return {a.bits, width};
    if (op == "SExt") return {uint64_t(signExtend(a.bits, a.width)) & mask, width};
    const Value b = expr();
    if (op == "Concat") return {a.bits << b.width | b.bits, width};
    if (op == "Select") {
      const Value c = expr();
      return {a.bits ? b.bits : c.bits, width};
    }
    if (op == "Add") return {(a.bits + b.bits) & mask, width};
    if (op == "Sub") return {(a.bits - b.bits) & mask, width};
    if (op == "Mul") return {(a.bits * b.bits) & mask, width};
    if (op == "And") return {a.bits & b.bits, width};
    if (op == "Or") return {a.bits | b.bits, width};
    if (op == "Xor") return {a.bits ^ b.bits, width};
    if (op == "Shl") return {b.bits < width ? (a.bits << b.bits) & mask : 0, width};
    if (op == "LShr") return {b.bits < width ? a.bits >> b.bits : 0, width};
    ADD_FAILURE() << "operator " << op;
    return {};
  }

  std::string text_;
  size_t at_ = 0;
  std::map<std::string, uint64_t> values_;
  std::map<std::string, Value> labels_;
};

TEST(KleeExport, MeansTheSameWhenReadBack) {
  SymbolicTrace trace;
  ExprPool& exprs = trace.exprs;
  trace.events.resize(1);
  trace.symbols = {{32, 0, 7}, {8, 0, 200}, {64, 0, uint64_t{1} << 40 | 5}};
  const ExprId a = exprs.symbol(0, 32), b = exprs.symbol(1, 8), c = exprs.symbol(2, 64);
  const ExprId wide = exprs.sext(b, 32), shared = exprs.binary(ExprOp::mul, exprs.binary(ExprOp::add, a, wide), a);
  auto holds = [&](ExprId condition) { trace.conditions.push_back({condition, 0, ConditionKind::branch, kNone}); };
  auto equals = [&](ExprId expr, uint64_t bits) {
    return exprs.binary(ExprOp::eq, expr, exprs.constant(bits, exprs.width(expr)));
  };
  holds(equals(shared, uint32_t((7 - 56) * 7)));
  holds(exprs.binary(ExprOp::slt, shared, exprs.constant(0, 32)));
  holds(exprs.negate(exprs.binary(ExprOp::ult, shared, a)));
  holds(equals(exprs.extract(c, 36, 8), 16));
  holds(equals(exprs.concat(exprs.extract(a, 0, 3), exprs.extract(c, 0, 5)), 7 << 5 | 5));
  holds(exprs.binary(ExprOp::ule,
                     exprs.ite(exprs.binary(ExprOp::eq, a, wide), a, exprs.binary(ExprOp::lshr, a, wide)),
                     exprs.binary(ExprOp::bitAnd, a, exprs.binary(ExprOp::bitOr, wide, a))));
  trace.failure.bug = {exprs.binary(ExprOp::sle, a, wide), equals(b, 200)};

  const std::string ktest = toKtest(trace, {"./app", "an argument"});
  KtestReader values(ktest);
  values.read();
  EXPECT_EQ(values.arguments, (std::vector<std::string>{"./app", "an argument"}));
  ASSERT_EQ(values.objects.size(), 3u);
  EXPECT_EQ(values.objects[0].bytes, std::string("\7\0\0\0", 4));

  KQueryReader query(*toKQuery(trace), values.objects);
  query.read();
  EXPECT_EQ(query.constraints, std::vector<uint64_t>(trace.conditions.size(), 1)) << *toKQuery(trace);
  EXPECT_EQ(query.question, 0u); // 7 is not less than -56
}

} // namespace
} // namespace symbiosis
