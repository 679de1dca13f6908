// Accesses whose address depends on shared memory: `ring[tail] = x`, where another thread may move `tail`. The
// object is pinned by a condition, the offset stays symbolic (DESIGN §6): the access has *targets*, the places of
// the object that it can be at, each with a guard. It reads all of them and takes the value of the one whose guard
// holds; it writes all of them, those whose guard does not hold with what they had (trace/symbolic_trace.h, Part).
//
// The targets are as far apart as the expression of the address says: `base + 24 * i + 8` moves in steps of 24. A
// pointer that was read from shared memory is no offset; it stays what it was. Where nothing is shared, the same
// is done in the thread's own memory, without an event.
//
// What an access may touch counts as touched when it is decided which memory is shared. So if the second walk
// finds that there is more of it than the first could see, there is another one; after a few, offsets are pinned
// too.
#include "symexec/targets.h"
#include <numeric>

using namespace llvm;

namespace symbiosis {
namespace {

constexpr size_t kMostTargets = 64;        // of one access
constexpr size_t kMostSelections = 100000; // of all of them together
constexpr uint64_t kLeastPointer = 65536;  // smaller values are offsets

// The expression changes in multiples of the result; 0: not at all.
uint64_t factorOf(const ExprPool& exprs, ExprId id, unsigned depth = 32) {
  const ExprNode& node = exprs.node(id);
  if (depth == 0) return 1;
  auto of = [&](ExprId operand) { return factorOf(exprs, operand, depth - 1); };
  auto magnitude = [&](ExprId constant) {
    const int64_t value = signExtend(exprs.constantValue(constant), node.width);
    return uint64_t(value < 0 ? -value : value);
  };
  switch (node.op) {
  case ExprOp::constant: return 0;
  case ExprOp::add:
  case ExprOp::sub: return std::gcd(of(node.a), of(node.b));
  case ExprOp::mul: return exprs.isConstant(node.b) ? magnitude(node.b) * of(node.a) : 1;
  case ExprOp::shl:
    return exprs.isConstant(node.b) && exprs.constantValue(node.b) < 32 ? of(node.a) << exprs.constantValue(node.b)
                                                                        : 1;
  case ExprOp::zext:
  case ExprOp::sext: return of(node.a);
  case ExprOp::bitAnd:
    return exprs.isConstant(node.b) ? exprs.constantValue(node.b) & (~exprs.constantValue(node.b) + 1) : 1;
  case ExprOp::ite: // the difference of two constants counts
    return exprs.isConstant(node.b) && exprs.isConstant(node.c)
               ? uint64_t(std::abs(int64_t(exprs.constantValue(node.b) - exprs.constantValue(node.c))))
               : 1;
  default: return 1;
  }
}

// What is added up to make the expression.
void collectTerms(const ExprPool& exprs, ExprId id, std::vector<ExprId>& terms) {
  const ExprNode& node = exprs.node(id);
  if (node.op == ExprOp::add) {
    collectTerms(exprs, node.a, terms);
    collectTerms(exprs, node.b, terms);
  } else if (node.op != ExprOp::constant) {
    terms.push_back(id);
  }
}

} // namespace

// Pins the pointers in it. Empty: it cannot be said how the rest moves.
std::optional<TargetFinder::Offset> TargetFinder::offsetOf(const Scalar& pointer) {
  ExprPool& exprs = context_.exprs;
  std::vector<ExprId> terms;
  collectTerms(exprs, pointer.expr, terms);
  Offset offset{.expr = exprs.constant(0, 64)};
  for (ExprId term : terms) {
    const ExprOp op = exprs.node(term).op;
    const std::optional<uint64_t> observed = context_.observed.of(term);
    if (!observed) return std::nullopt;
    const uint64_t factor = factorOf(exprs, term);
    const bool isPointer = factor == 1 && op != ExprOp::zext && op != ExprOp::sext && *observed >= kLeastPointer;
    if (isPointer) {
      math_.concrete({.bits = *observed, .expr = term}, 64);
      continue;
    }
    offset.stride = std::gcd(offset.stride, factor);
    offset.expr = exprs.binary(ExprOp::add, term, offset.expr);
    offset.observed += *observed;
  }
  return offset.stride == 0 ? std::nullopt : std::optional(offset);
}

bool TargetFinder::readShared(const Targets& targets, uint64_t size) const {
  if (!targets.several.empty()) return touchShared(targets, size);
  return context_.sharing.readsShared(logs_.serial(), targets.address, size);
}

bool TargetFinder::touchShared(const Targets& targets, uint64_t size) const {
  if (targets.several.empty()) return context_.sharing.touchesShared(targets.address, size);
  return std::any_of(targets.several.begin(), targets.several.end(),
                     [&](const Target& t) { return context_.sharing.touchesShared(t.address, size); });
}

// Where the access was comes first. Of a long object only what is touched anyway.
std::vector<uint64_t> TargetFinder::placesOf(const Scalar& pointer, const Offset& offset, Range object,
                                             uint64_t size) const {
  std::vector<uint64_t> places{pointer.bits};
  const uint64_t first = object.begin + (pointer.bits - object.begin) % offset.stride;
  const bool isLong = object.size / offset.stride > kMostTargets;
  for (uint64_t at = first; at + size <= object.begin + object.size && places.size() <= kMostTargets;
       at += offset.stride)
    if (at != pointer.bits && (!isLong || context_.sharing.isTouched(at, size))) places.push_back(at);
  return places;
}

Targets TargetFinder::only(const Scalar& pointer) {
  if (!context_.isLong || !pointer.isSymbolic() || !pointer.known) return {math_.requiredAddress(pointer), {}};
  math_.fixAddress(pointer);
  return {pointer.bits, {}};
}

Targets TargetFinder::find(const Step& step, const Scalar& address, uint64_t size, bool writes) {
  const Scalar pointer = math_.asFixed(address);
  if (!pointer.isSymbolic() || !pointer.known || context_.pinned || context_.selections >= kMostSelections)
    return only(pointer);
  const Range object = memory_.objectAt(pointer.bits);
  const std::optional<Offset> offset = object.size ? offsetOf(pointer) : std::nullopt;
  if (!offset || offset->stride < size) return only(pointer);

  std::vector<uint64_t> places = placesOf(pointer, *offset, object, size);
  if (places.size() == 1 || places.size() > kMostTargets) return only(pointer);
  if (step.point)
    for (uint64_t at : places)
      context_.mayTouchMore |= context_.sharing.noteMaybe(logs_.serial(), at, size, writes);
  std::erase_if(places, [&](uint64_t at) { return at != pointer.bits && !memory_.isReadable(at, size); });
  if (places.size() == 1 || (writes && !memory_.isReadable(pointer.bits, size))) return only(pointer);

  ExprPool& exprs = context_.exprs;
  Targets targets{pointer.bits, {}};
  ExprId somewhere = exprs.truth(false);
  for (uint64_t at : places) {
    const uint64_t moved = offset->observed + (at - pointer.bits);
    const ExprId here = exprs.binary(ExprOp::eq, offset->expr, exprs.constant(moved, 64));
    if (exprs.isConstant(here)) continue; // it can not be there
    targets.several.push_back({at, {.bits = at == pointer.bits, .expr = here}});
    somewhere = exprs.binary(ExprOp::bitOr, somewhere, here);
  }
  context_.selections += targets.several.size();
  events_.notePath(object.begin);
  events_.addCondition(somewhere, false, step.instruction);
  return targets;
}

} // namespace symbiosis
