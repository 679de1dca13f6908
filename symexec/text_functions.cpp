// Functions of libc that look at memory and do nothing else: memcmp, strlen and the like. Each call is a point
// (profiler/pass/numbering.cpp): an event that reads, at once, all bytes at which it may look. The result was
// recorded; beside it stands the expression that the bytes make of it, as glibc computes it.
//
// How far a function looks may depend on what it finds. It is let look as far as the object reaches, at most
// kMostBytes; that it found its end there is a condition. If not all of these bytes are known, the recorded result
// is used alone, and the report names the function.
#include "symexec/executor.h"

using namespace llvm;

namespace symbiosis {

static constexpr uint64_t kMostBytes = 256;

ThreadExecutor::Text ThreadExecutor::textOf(const Step& step, const CallBase& call) {
  const StringRef name = call.getCalledFunction()->getName();
  Text text;
  text.compares = name == "memcmp" || name == "bcmp" || name == "strcmp" || name == "strncmp";
  text.searches = name == "memchr" || name == "strchr";
  text.endsAtZero = name.starts_with("str");
  const bool isBounded = !text.endsAtZero || name == "strncmp" || name == "strnlen";
  const unsigned strings = text.compares ? 2 : 1;
  text.length = kMostBytes + 1;
  if (isBounded) text.length = required(*operand(step, call.arg_size() - 1));
  text.isWhole = isBounded && text.length <= kMostBytes;
  text.length = std::min(text.length, kMostBytes);
  for (unsigned i = 0; i < strings; ++i) {
    text.begin.push_back(required(*operand(step, i)));
    const Range object = objectAt(text.begin[i]);
    const uint64_t rest = object.size ? object.begin + object.size - text.begin[i] : 0;
    if (rest >= text.length) continue;
    text.length = rest; // a bounded function may stop before its bound, but looks at nothing behind the object
    text.isWhole = false;
  }
  return text;
}

// The byte as an expression; empty: it is not known.
std::optional<Scalar> ThreadExecutor::byteAt(uint64_t address) {
  if (!fromOutside_.empty()) readsFromOutside(address, 1);
  if (!memory_.knows(address, 1) && !context_.addresses.globalAt(address)) return std::nullopt;
  const Scalar byte = memory_.knows(address, 1) ? memory_.load(address, 1) : context_.initial.load(address, 1);
  const bool isUsable = byte.isSymbolic() ? context_.unknowns.isUsable(byte.expr) : byte.known;
  return isUsable ? std::optional(byte) : std::nullopt;
}

// A pointer or a length with which text is copied, logged before that: at level `path` it may not have been known.
void ThreadExecutor::learnOperand(const Step& step) {
  const uint32_t position = frame().plan->operands[step.operands];
  if (position >= frame().plan->scalars || exhausted()) return;
  Scalar& known = frame().scalars[position];
  const uint64_t logged = result(step)->bits;
  // Zero: perhaps it was not logged any more.
  const bool corrects = context_.level == format::Level::path && logged != 0;
  if (known.known && (known.bits == logged || !corrects)) return;
  if (known.isSymbolic() && !context_.unknowns.isUsable(known.expr)) {
    if (!context_.unknowns.isFixed(known.expr)) noteUnmodelled("a function that copies text");
    known.expr = kNoExpr;
  }
  known.bits = logged;
  known.known = true;
  if (known.isSymbolic()) context_.observed.know(known.expr, logged);
}

void ThreadExecutor::lookAtText(const Step& step, const CallBase& call) {
  const Text text = textOf(step, call);
  if (call.use_empty() || call.getType()->isVoidTy()) return void(++pointIndex_);
  for (uint64_t begin : text.begin)
    if (context_.discovering) {
      context_.sharing.note(log_.serial, begin, text.length, false);
      context_.sharing.noteOutside(begin, text.length); // it may have changed: nothing says what was read
    } else
      context_.mayTouchMore |= context_.sharing.noteMaybe(log_.serial, begin, text.length, false);
  const bool shared = !context_.discovering && text.length > 0 && any_of(text.begin, [&](uint64_t begin) {
    return context_.sharing.touchesShared(begin, text.length);
  });
  RawEvent* event = beginAccess(step, EventKind::read, text.begin[0], text.length, shared);
  if (context_.discovering) return;
  for (uint64_t begin : text.begin)
    if (event) readElsewhere(event, {.address = begin}, text.length);

  std::vector<Scalar> a, b;
  for (size_t i = 0; i < text.begin.size(); ++i)
    for (uint64_t at = 0; at < text.length; ++at) {
      const std::optional<Scalar> byte = byteAt(text.begin[i] + at);
      if (!byte) break;
      (i == 0 ? a : b).push_back(*byte);
    }
  const uint64_t known = text.compares ? std::min(a.size(), b.size()) : a.size();
  auto isSymbolic = [](const Scalar& byte) { return byte.isSymbolic(); };
  if (none_of(a, isSymbolic) && none_of(b, isSymbolic)) return;

  const unsigned width = layoutOf(call.getType())[0].bits;
  const Scalar one{.bits = 1}, zero{};
  // From the end to the beginning: the result, and whether it was found, for what begins here.
  Scalar value{.bits = text.compares || text.searches ? 0 : text.length};
  Scalar found = known == text.length && text.isWhole ? one : zero;
  for (uint64_t at = known; at-- > 0;) {
    auto equals = [&](const Scalar& x, const Scalar& y) { return binary(ExprOp::eq, x, y, 8); };
    if (text.endsAtZero) {
      const Scalar ends = equals(a[at], zero);
      value = pick(ends, text.compares || text.searches ? zero : Scalar{.bits = at}, value, width);
      found = pick(ends, one, found, 1);
    }
    if (text.compares) {
      const Scalar same = equals(a[at], b[at]);
      const Scalar difference =
          binary(ExprOp::sub, widen(a[at], 8, width, false), widen(b[at], 8, width, false), width);
      value = pick(same, value, difference, width);
      found = pick(same, found, one, 1);
    }
    if (text.searches) {
      const Scalar here = equals(a[at], narrow(*operand(step, 1), 8));
      value = pick(here, {.bits = text.begin[0] + at}, value, width);
      found = pick(here, one, found, 1);
    }
  }
  const Scalar recorded = *result(step);
  // At level `path` what was read is a guess, and the result is not.
  const bool isGuess = context_.level == format::Level::path;
  auto isSure = [&](const Scalar& scalar) { return scalar.known && !(isGuess && scalar.isSymbolic()); };
  const bool contradicts = (isSure(value) && value.bits != recorded.bits) || (isSure(found) && !(found.bits & 1));
  if (contradicts || (!found.isSymbolic() && !(found.bits & 1))) return noteUnmodelledName(call);
  if (found.isSymbolic()) addCondition(found.expr, false, &call);
  if (!value.isSymbolic()) return;
  *result(step) = merged(recorded, value);
  context_.observed.know(value.expr, recorded.bits);
}

} // namespace symbiosis
