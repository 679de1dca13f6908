#include "trace/expr.h"
#include "trace/floats.h"
#include <algorithm>
#include <unordered_set>

namespace symbiosis {

const char* toText(ExprOp op) {
  switch (op) {
#define SYMBIOSIS_OP(name, text)                                                                                  \
  case ExprOp::name: return text;
    SYMBIOSIS_EXPR_OPS(SYMBIOSIS_OP)
#undef SYMBIOSIS_OP
  }
  return "?";
}

uint64_t applyOp(const ExprNode& node, unsigned w, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t mask = maskOf(node.width);
  switch (node.op) {
  case ExprOp::constant:
  case ExprOp::symbol: return node.value;
  case ExprOp::add: return (a + b) & mask;
  case ExprOp::sub: return (a - b) & mask;
  case ExprOp::mul: return (a * b) & mask;
  case ExprOp::udiv: return b == 0 ? mask : a / b;
  case ExprOp::urem: return b == 0 ? a : a % b;
  case ExprOp::sdiv: {
    int64_t x = signExtend(a, w), y = signExtend(b, w);
    if (y == 0) return (x < 0 ? 1 : ~uint64_t{0}) & mask;
    if (y == -1) return (0 - a) & mask; // also INT_MIN / -1, which wraps
    return uint64_t(x / y) & mask;
  }
  case ExprOp::srem: {
    int64_t x = signExtend(a, w), y = signExtend(b, w);
    if (y == 0) return a;
    if (y == -1) return 0;
    return uint64_t(x % y) & mask;
  }
  case ExprOp::bitAnd: return a & b;
  case ExprOp::bitOr: return a | b;
  case ExprOp::bitXor: return a ^ b;
  case ExprOp::shl: return b >= w ? 0 : (a << b) & mask;
  case ExprOp::lshr: return b >= w ? 0 : a >> b;
  case ExprOp::ashr: return uint64_t(signExtend(a, w) >> std::min<uint64_t>(b, w - 1)) & mask;
  case ExprOp::eq: return a == b;
  case ExprOp::ult: return a < b;
  case ExprOp::ule: return a <= b;
  case ExprOp::slt: return signExtend(a, w) < signExtend(b, w);
  case ExprOp::sle: return signExtend(a, w) <= signExtend(b, w);
  case ExprOp::ite: return a ? b : c;
  case ExprOp::zext: return a;
  case ExprOp::sext: return uint64_t(signExtend(a, w)) & mask;
  case ExprOp::extract: return (a >> node.low) & mask;
  case ExprOp::concat: return (a << node.low) | b; // low: width of the lower half
  default: return applyFloatOp(node, w, a, b, c);
  }
}

size_t ExprPool::hashOf(const ExprNode& n) {
  uint64_t h = uint64_t(n.op) | uint64_t(n.width) << 8 | uint64_t(n.low) << 16;
  for (uint64_t x : {uint64_t(n.a) << 32 | n.b, uint64_t(n.c), n.value}) {
    h = (h ^ x) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return h;
}

ExprPool::ExprPool() : table_(1024, kNoExpr) { nodes_.emplace_back(); } // id 0 is "no expression"

void ExprPool::growTable() {
  table_.assign(2 * table_.size(), kNoExpr);
  for (ExprId id = 1; id < nodes_.size(); ++id) {
    size_t at = hashOf(nodes_[id]) & (table_.size() - 1);
    while (table_[at] != kNoExpr) at = (at + 1) & (table_.size() - 1);
    table_[at] = id;
  }
}

ExprId ExprPool::intern(const ExprNode& node) {
  size_t at = hashOf(node) & (table_.size() - 1);
  for (; table_[at] != kNoExpr; at = (at + 1) & (table_.size() - 1))
    if (nodes_[table_[at]] == node) return table_[at];
  const ExprId id = table_[at] = ExprId(nodes_.size());
  nodes_.push_back(node);
  if (2 * nodes_.size() > table_.size()) growTable();
  return id;
}

ExprId ExprPool::constant(uint64_t bits, unsigned width) {
  assert(width >= 1 && width <= 64);
  return intern({.op = ExprOp::constant, .width = uint8_t(width), .value = bits & maskOf(width)});
}

ExprId ExprPool::symbol(uint32_t number, unsigned width) {
  assert(width >= 1 && width <= 64);
  return intern({.op = ExprOp::symbol, .width = uint8_t(width), .value = number});
}

static bool isCommutative(ExprOp op) {
  return op == ExprOp::add || op == ExprOp::mul || op == ExprOp::bitAnd || op == ExprOp::bitOr ||
         op == ExprOp::bitXor || op == ExprOp::eq || op == ExprOp::fadd || op == ExprOp::fmul || op == ExprOp::feq;
}

// Undoes what can be undone: an index that was made an address equals what the address says.
ExprId ExprPool::equalsConstant(ExprId a, uint64_t k) {
  const ExprNode n = node(a);
  const unsigned w = n.width;
  if (n.op == ExprOp::zext || n.op == ExprOp::sext) {
    // exactly if its own bits are and the rest is what the extension makes of them
    const unsigned inner = width(n.a);
    const uint64_t low = k & maskOf(inner);
    if (k != (n.op == ExprOp::zext ? low : uint64_t(signExtend(low, inner)) & maskOf(w))) return truth(false);
    return binary(ExprOp::eq, n.a, constant(low, inner));
  }
  if (n.op == ExprOp::add && isConstant(n.b)) return binary(ExprOp::eq, n.a, constant(k - constantValue(n.b), w));
  if (n.op == ExprOp::mul && isConstant(n.b)) {
    // of an extended value and a small number: it cannot have wrapped around
    const ExprNode factor = node(n.a);
    const uint64_t c = constantValue(n.b);
    const bool isExtended = factor.op == ExprOp::zext || factor.op == ExprOp::sext;
    if (isExtended && c != 0 && c < 0x10000 && width(factor.a) + 16 < w) {
      const int64_t product = signExtend(k, w);
      if (product % int64_t(c) != 0) return truth(false);
      return binary(ExprOp::eq, n.a, constant(uint64_t(product / int64_t(c)), w));
    }
  }
  return intern({.op = ExprOp::eq, .width = 1, .a = a, .b = constant(k, w)});
}

ExprId ExprPool::binary(ExprOp op, ExprId a, ExprId b) {
  const unsigned w = width(a);
  assert(w == width(b));
  ExprNode node{.op = op, .width = uint8_t(isComparison(op) ? 1 : w), .a = a, .b = b};
  if (isConstant(a) && isConstant(b))
    return constant(applyOp(node, w, constantValue(a), constantValue(b), 0), node.width);
  if (isCommutative(op) && isConstant(a)) {
    std::swap(a, b); // constants stand on the right
    std::swap(node.a, node.b);
  }
  if (isConstant(b)) {
    const uint64_t k = constantValue(b);
    switch (op) {
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::bitOr:
    case ExprOp::shl:
    case ExprOp::lshr:
    case ExprOp::ashr:
      if (k == 0) return a;
      break;
    case ExprOp::bitXor:
      if (k == 0) return a;
      // not(not(x)) is x
      if (this->node(a).op == ExprOp::bitXor && isConstant(this->node(a).b) && constantValue(this->node(a).b) == k)
        return this->node(a).a;
      break;
    case ExprOp::mul:
      if (k == 0) return b;
      if (k == 1) return a;
      break;
    case ExprOp::bitAnd:
      if (k == 0) return b;
      if (k == maskOf(w)) return a;
      break;
    case ExprOp::eq:
      if (w == 1) return k ? a : negate(a);
      return equalsConstant(a, k);
      break;
    default: break;
    }
  }
  if (a == b) {
    switch (op) {
    case ExprOp::sub:
    case ExprOp::bitXor: return constant(0, w);
    case ExprOp::bitAnd:
    case ExprOp::bitOr: return a;
    case ExprOp::eq:
    case ExprOp::ule:
    case ExprOp::sle: return truth(true);
    case ExprOp::ult:
    case ExprOp::slt: return truth(false);
    default: break;
    }
  }
  return intern(node);
}

ExprId ExprPool::negate(ExprId condition) {
  assert(width(condition) == 1);
  return binary(ExprOp::bitXor, condition, truth(true));
}

ExprId ExprPool::ite(ExprId condition, ExprId then, ExprId otherwise) {
  assert(width(condition) == 1 && width(then) == width(otherwise));
  if (isConstant(condition)) return constantValue(condition) ? then : otherwise;
  if (then == otherwise) return then;
  return intern({.op = ExprOp::ite, .width = node(then).width, .a = condition, .b = then, .c = otherwise});
}

ExprId ExprPool::zext(ExprId a, unsigned w) {
  assert(w >= width(a) && w <= 64);
  if (w == width(a)) return a;
  if (isConstant(a)) return constant(constantValue(a), w);
  if (node(a).op == ExprOp::zext) return zext(node(a).a, w);
  return intern({.op = ExprOp::zext, .width = uint8_t(w), .a = a});
}

ExprId ExprPool::sext(ExprId a, unsigned w) {
  assert(w >= width(a) && w <= 64);
  if (w == width(a)) return a;
  if (isConstant(a)) return constant(uint64_t(signExtend(constantValue(a), width(a))), w);
  if (node(a).op == ExprOp::zext) return zext(node(a).a, w); // its sign bit is zero
  return intern({.op = ExprOp::sext, .width = uint8_t(w), .a = a});
}

ExprId ExprPool::extract(ExprId a, unsigned low, unsigned w) {
  assert(w >= 1 && low + w <= width(a));
  if (w == width(a)) return a;
  if (isConstant(a)) return constant(constantValue(a) >> low, w);
  const ExprNode n = node(a);
  if (n.op == ExprOp::extract) return extract(n.a, n.low + low, w);
  if (n.op == ExprOp::concat) {
    if (low >= n.low) return extract(n.a, low - n.low, w);
    if (low + w <= n.low) return extract(n.b, low, w);
  }
  if (n.op == ExprOp::zext) {
    if (low >= width(n.a)) return constant(0, w);
    if (low + w <= width(n.a)) return extract(n.a, low, w);
    if (low == 0) return zext(n.a, w);
  }
  if (n.op == ExprOp::sext && low + w <= width(n.a)) return extract(n.a, low, w);
  return intern({.op = ExprOp::extract, .width = uint8_t(w), .low = uint8_t(low), .a = a});
}

ExprId ExprPool::concat(ExprId high, ExprId low) {
  const unsigned lowWidth = width(low), w = width(high) + lowWidth;
  assert(w <= 64);
  if (isConstant(high) && isConstant(low))
    return constant(constantValue(high) << lowWidth | constantValue(low), w);
  if (isConstant(high) && constantValue(high) == 0) return zext(low, w);
  const ExprNode h = node(high), l = node(low);
  if (h.op == ExprOp::extract && l.op == ExprOp::extract && h.a == l.a && h.low == l.low + lowWidth)
    return extract(h.a, l.low, w); // two neighbouring pieces of one value
  return intern({.op = ExprOp::concat, .width = uint8_t(w), .low = uint8_t(lowWidth), .a = high, .b = low});
}

ExprId ExprPool::unaryFloat(ExprOp op, ExprId a, unsigned w, unsigned low) {
  const ExprNode node{.op = op, .width = uint8_t(w), .low = uint8_t(low), .a = a};
  if (isConstant(a)) return constant(applyOp(node, width(a), constantValue(a), 0, 0), w);
  return intern(node);
}

ExprId ExprPool::fusedMultiplyAdd(ExprId a, ExprId b, ExprId c) {
  assert(width(a) == width(b) && width(a) == width(c));
  const ExprNode node{.op = ExprOp::fma, .width = uint8_t(width(a)), .a = a, .b = b, .c = c};
  if (isConstant(a) && isConstant(b) && isConstant(c))
    return constant(applyOp(node, node.width, constantValue(a), constantValue(b), constantValue(c)), node.width);
  return intern(node);
}

std::vector<uint32_t> ExprPool::symbolsIn(ExprId root) const {
  std::vector<uint32_t> found;
  std::vector<ExprId> pending{root};
  std::unordered_set<ExprId> seen;
  while (!pending.empty()) {
    ExprId id = pending.back();
    pending.pop_back();
    if (id == kNoExpr || !seen.insert(id).second) continue;
    const ExprNode& n = node(id);
    if (n.op == ExprOp::symbol) found.push_back(uint32_t(n.value));
    for (ExprId operand : {n.a, n.b, n.c}) pending.push_back(operand);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end()); // one number may occur in several widths
  return found;
}

void ExprEvaluator::reset() {
  if (++run_ != 0) return;
  std::fill(stamp_.begin(), stamp_.end(), 0); // the counter has gone round: old stamps would look new
  std::fill(cacheStamp_.begin(), cacheStamp_.end(), 0);
  run_ = 1;
}

void ExprEvaluator::assign(uint32_t symbol, uint64_t bits) {
  if (symbol >= symbols_.size()) {
    symbols_.resize(symbol + 1);
    stamp_.resize(symbol + 1, 0);
  }
  symbols_[symbol] = bits;
  stamp_[symbol] = run_;
}

uint64_t ExprEvaluator::value(ExprId root) {
  assert(root != kNoExpr);
  if (cache_.size() < pool_->size()) {
    cache_.resize(pool_->size());
    cacheStamp_.resize(pool_->size(), 0);
  }
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const ExprId id = stack_.back();
    if (cacheStamp_[id] == run_) {
      stack_.pop_back();
      continue;
    }
    const ExprNode& n = pool_->node(id);
    const size_t depth = stack_.size();
    for (ExprId operand : {n.a, n.b, n.c})
      if (operand != kNoExpr && cacheStamp_[operand] != run_) stack_.push_back(operand);
    if (stack_.size() > depth) continue;
    uint64_t bits;
    if (n.op == ExprOp::symbol)
      bits = symbolValue(uint32_t(n.value)) & maskOf(n.width);
    else
      bits = applyOp(n, n.a ? pool_->node(n.a).width : n.width, n.a ? cache_[n.a] : 0, n.b ? cache_[n.b] : 0,
                     n.c ? cache_[n.c] : 0);
    cache_[id] = bits;
    cacheStamp_[id] = run_;
    stack_.pop_back();
  }
  return cache_[root];
}

} // namespace symbiosis
