// Functions of libc that look at memory and do nothing else: memcmp, strlen and the like. Each call is a point
// (profiler/pass/numbering.cpp): an event that reads, at once, all bytes at which it may look. The result was
// recorded; beside it stands the expression that the bytes make of it, as glibc computes it.
//
// How far a function looks may depend on what it finds. It is let look as far as the object reaches, at most
// kMostBytes; that it found its end there is a condition. If not all of these bytes are known, the recorded result
// is used alone, and the report names the function.
#include "symexec/text_functions.h"

using namespace llvm;

namespace symbiosis {

static constexpr uint64_t kMostBytes = 256;

TextReader::Text TextReader::textOf(const Step& step, const CallBase& call) {
  const StringRef name = call.getCalledFunction()->getName();
  Text text;
  text.compares = name == "memcmp" || name == "bcmp" || name == "strcmp" || name == "strncmp";
  text.searches = name == "memchr" || name == "strchr";
  text.endsAtZero = name.starts_with("str");
  const bool isBounded = !text.endsAtZero || name == "strncmp" || name == "strnlen";
  const unsigned strings = text.compares ? 2 : 1;
  text.length = kMostBytes + 1;
  if (isBounded) text.length = math_.required(*stack_.operand(step, call.arg_size() - 1));
  text.isWhole = isBounded && text.length <= kMostBytes;
  text.length = std::min(text.length, kMostBytes);
  for (unsigned i = 0; i < strings; ++i) {
    text.begin.push_back(math_.required(*stack_.operand(step, i)));
    const Range object = memory_.objectAt(text.begin[i]);
    const uint64_t rest = object.size ? object.begin + object.size - text.begin[i] : 0;
    if (rest >= text.length) continue;
    text.length = rest; // a bounded function may stop before its bound, but looks at nothing behind the object
    text.isWhole = false;
  }
  return text;
}

void TextReader::learnOperand(const Step& step) {
  Frame& frame = stack_.top();
  const uint32_t position = frame.plan->operands[step.operands];
  if (position >= frame.plan->scalars || logs_.exhausted()) return;
  Scalar& known = frame.scalars[position];
  const uint64_t logged = stack_.result(step)->bits;
  // Zero: perhaps it was not logged any more.
  const bool corrects = values_.guesses() && logged != 0;
  if (known.known && (known.bits == logged || !corrects)) return;
  if (known.isSymbolic() && !context_.unknowns.isUsable(known.expr)) {
    if (!context_.unknowns.isFixed(known.expr)) events_.noteUnmodelled("a function that copies text");
    known.expr = kNoExpr;
  }
  known.bits = logged;
  known.known = true;
  if (known.isSymbolic()) context_.observed.know(known.expr, logged);
}

// As many as are known.
std::vector<Scalar> TextReader::bytesOf(uint64_t begin, uint64_t length) {
  std::vector<Scalar> bytes;
  for (uint64_t at = begin; at < begin + length; ++at) {
    const std::optional<Scalar> byte = memory_.byteAt(at);
    if (!byte) break;
    bytes.push_back(*byte);
  }
  return bytes;
}

void TextReader::lookAt(const Step& step, const CallBase& call) {
  const Text text = textOf(step, call);
  if (call.use_empty() || call.getType()->isVoidTy()) return void(++logs_.points);
  for (uint64_t begin : text.begin) values_.looksAt(begin, text.length);
  const bool shared = text.length > 0 && any_of(text.begin, [&](uint64_t begin) {
                        return context_.sharing.touchesShared(begin, text.length);
                      });
  RawEvent* event = accesses_.begin(step, EventKind::read, text.begin[0], text.length, shared);
  if (context_.discovering) return;
  for (uint64_t begin : text.begin)
    if (event) values_.readElsewhere(*event, begin, text.length);

  const std::vector<Scalar> a = bytesOf(text.begin[0], text.length);
  const std::vector<Scalar> b = text.compares ? bytesOf(text.begin[1], text.length) : std::vector<Scalar>{};
  auto isSymbolic = [](const Scalar& byte) { return byte.isSymbolic(); };
  if (none_of(a, isSymbolic) && none_of(b, isSymbolic)) return;

  const auto [value, found] = search(step, text, a, b, stack_.layoutOf(call.getType())[0].bits);
  const Scalar recorded = *stack_.result(step);
  // At level `path` what was read is a guess, and the result is not.
  const bool contradicts =
      (values_.isCertain(value) && value.bits != recorded.bits) || (values_.isCertain(found) && !(found.bits & 1));
  if (contradicts || (!found.isSymbolic() && !(found.bits & 1)))
    return events_.noteUnmodelled(stack_.nameOfCallee(call));
  if (found.isSymbolic()) events_.addCondition(found.expr, false, &call);
  if (!value.isSymbolic()) return;
  *stack_.result(step) = ScalarMath::merged(recorded, value);
  context_.observed.know(value.expr, recorded.bits);
}

// From the end to the beginning: the result, and whether it was found, for what begins there.
TextReader::Found TextReader::search(const Step& step, const Text& text, const std::vector<Scalar>& a,
                                     const std::vector<Scalar>& b, unsigned width) {
  const uint64_t known = text.compares ? std::min(a.size(), b.size()) : a.size();
  const Scalar one{.bits = 1}, zero{};
  Scalar value{.bits = text.compares || text.searches ? 0 : text.length};
  Scalar found = known == text.length && text.isWhole ? one : zero;
  auto equals = [&](const Scalar& x, const Scalar& y) { return math_.binary(ExprOp::eq, x, y, 8); };
  for (uint64_t at = known; at-- > 0;) {
    if (text.endsAtZero) {
      const Scalar ends = equals(a[at], zero);
      value = math_.pick(ends, text.compares || text.searches ? zero : Scalar{.bits = at}, value, width);
      found = math_.pick(ends, one, found, 1);
    }
    if (text.compares) {
      const Scalar same = equals(a[at], b[at]);
      const Scalar difference = math_.binary(ExprOp::sub, math_.widen(a[at], 8, width, false),
                                             math_.widen(b[at], 8, width, false), width);
      value = math_.pick(same, value, difference, width);
      found = math_.pick(same, found, one, 1);
    }
    if (text.searches) {
      const Scalar here = equals(a[at], math_.narrow(*stack_.operand(step, 1), 8));
      value = math_.pick(here, {.bits = text.begin[0] + at}, value, width);
      found = math_.pick(here, one, found, 1);
    }
  }
  return {value, found};
}

} // namespace symbiosis
