// Calls: into instrumented functions, out of them (with callbacks, sync operations and recorded results), and
// intrinsics.
#include "symexec/executor.h"
#include "symexec/failing_check.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

bool ThreadExecutor::call(const Step& step, const CallBase& call) {
  if (const auto* intrinsicCall = dyn_cast<IntrinsicInst>(&call)) {
    intrinsic(step, *intrinsicCall);
    if (ended_) return false;
    ++frame().step;
    return true;
  }
  if (call.isInlineAsm()) {
    if (!call.getType()->isVoidTy()) takeScalars(call.getType(), result(step));
    ++frame().step;
    return true;
  }
  if (step.site) return callOutside(step, call);
  std::vector<Scalar> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Scalar* value = operand(step, i);
    if (call.isByValArgument(i)) {
      // The callee gets a copy of its own.
      const uint64_t size = context_.planner.layouts.allocSize(call.getParamByValType(i));
      const uint64_t copy = (privateTop_ + 15) & ~uint64_t{15};
      privateTop_ = copy + size;
      memory_.copy(copy, address(step, i), size);
      arguments.push_back({.bits = copy});
      continue;
    }
    arguments.insert(arguments.end(), value, value + layoutOf(call.getArgOperand(i)->getType()).size());
  }
  enterFunction(*cast<Function>(call.getCalledOperand()->stripPointerCasts()), std::move(arguments), &step);
  return true;
}

const format::OpRecord* ThreadExecutor::opHere(uint32_t site) const {
  if (nextOp_ == log_.ops.size()) return nullptr;
  const format::OpRecord& record = log_.ops[nextOp_];
  const bool here =
      record.site == site && record.wordOffset == cursor_.wordOffset() && record.word == cursor_.word();
  return here ? &record : nullptr;
}

// Functions that the runtime wraps, and the kind of record after which each has returned.
static std::optional<EventKind> lastRecordOf(StringRef name) {
  struct Wrapped {
    StringRef name;
    EventKind last;
  };
  static constexpr Wrapped wrapped[] = {
      {"pthread_create", EventKind::fork},
      {"pthread_join", EventKind::join},
      {"pthread_mutex_lock", EventKind::lock},
      {"pthread_mutex_trylock", EventKind::trylock},
      {"pthread_mutex_timedlock", EventKind::lock},
      {"pthread_mutex_clocklock", EventKind::lock},
      {"pthread_mutex_unlock", EventKind::unlock},
      {"pthread_spin_lock", EventKind::lock},
      {"pthread_spin_trylock", EventKind::trylock},
      {"pthread_spin_unlock", EventKind::unlock},
      {"pthread_cond_wait", EventKind::lock},
      {"pthread_cond_timedwait", EventKind::lock},
      {"pthread_cond_clockwait", EventKind::lock},
      {"pthread_cond_signal", EventKind::signal},
      {"pthread_cond_broadcast", EventKind::broadcast},
      {"pthread_rwlock_rdlock", EventKind::rdlock},
      {"pthread_rwlock_wrlock", EventKind::wrlock},
      {"pthread_rwlock_tryrdlock", EventKind::tryrdlock},
      {"pthread_rwlock_trywrlock", EventKind::trywrlock},
      {"pthread_rwlock_timedrdlock", EventKind::rdlock},
      {"pthread_rwlock_timedwrlock", EventKind::wrlock},
      {"pthread_rwlock_clockrdlock", EventKind::rdlock},
      {"pthread_rwlock_clockwrlock", EventKind::wrlock},
      {"pthread_rwlock_unlock", EventKind::rwunlock},
      {"sem_init", EventKind::semInit},
      {"sem_post", EventKind::semPost},
      {"sem_wait", EventKind::semWait},
      {"sem_timedwait", EventKind::semWait},
      {"sem_clockwait", EventKind::semWait},
      {"sem_trywait", EventKind::semTrywait},
      {"pthread_barrier_wait", EventKind::barrierLeave},
      {"pthread_once", EventKind::onceEnd},
      {"__cxa_guard_acquire", EventKind::onceBegin},
      {"__cxa_guard_release", EventKind::write},
      {"__cxa_guard_abort", EventKind::onceEnd},
      {"read", EventKind::write},
      {"pread", EventKind::write},
      {"pread64", EventKind::write},
      {"recv", EventKind::write},
      {"recvfrom", EventKind::write},
      {"fread", EventKind::write},
      {"fgets", EventKind::write},
      {"getline", EventKind::write},
      {"getdelim", EventKind::write},
      {"thrd_create", EventKind::fork},
      {"thrd_join", EventKind::join},
      {"mtx_lock", EventKind::lock},
      {"mtx_timedlock", EventKind::lock},
      {"mtx_trylock", EventKind::trylock},
      {"mtx_unlock", EventKind::unlock},
      {"cnd_wait", EventKind::lock},
      {"cnd_timedwait", EventKind::lock},
      {"cnd_signal", EventKind::signal},
      {"cnd_broadcast", EventKind::broadcast},
      {"call_once", EventKind::onceEnd},
      {"__assert_fail", EventKind::failure},
  };
  for (const Wrapped& entry : wrapped)
    if (name == entry.name) return entry.last;
  return std::nullopt;
}

static std::optional<EventKind> lastRecordOf(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee ? lastRecordOf(callee->getName()) : std::nullopt;
}

// The call has returned: this was its last record, or it did nothing at all.
static bool isLastRecord(EventKind last, const format::OpRecord& record) {
  const EventKind kind = EventKind(record.kind);
  if (kind == EventKind::lock && record.argument) return false; // cancelled in it
  const bool initialises = last == EventKind::onceEnd || last == EventKind::onceBegin;
  return kind == last || kind == attemptOf(last) || (initialises && kind == EventKind::oncePass) ||
         (kind == EventKind::waitBegin && record.result != 0);
}

bool ThreadExecutor::callOutside(const Step& step, const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  const std::optional<EventKind> last = lastRecordOf(call);
  const std::optional<uint64_t> marker = cursor_.marker();
  const bool markerHere = marker && format::markerSite(*marker) == step.site;
  if (!callee && markerHere && format::markerKind(*marker) == format::kEntryMarker) {
    // Through a pointer into instrumented code: the door has logged who was called.
    const Function* target = context_.snapshot.functions()[format::markerTarget(*marker)];
    const Scalar* pointer = valueOf(call.getCalledOperand());
    if (pointer && pointer->known && context_.addresses.functionAt(pointer->bits) == target) {
      const size_t depth = frames_.size();
      if (!enterFromOutside()) return false;
      frames_[depth].call = &step;
      // The caller's values are the same, and may be symbolic.
      if (target->getFunctionType() == call.getFunctionType() && !target->isVarArg()) {
        size_t at = 0;
        const Frame& caller = frames_[depth - 1];
        for (unsigned i = 0; i < call.arg_size(); ++i) {
          const size_t count = layoutOf(call.getArgOperand(i)->getType()).size();
          const uint32_t from = caller.plan->operands[step.operands + i];
          const Scalar* values = from < caller.plan->scalars
                                     ? &caller.scalars[from]
                                     : &caller.plan->constants[from - caller.plan->scalars];
          if (!call.isByValArgument(i)) std::copy_n(values, count, frames_[depth].scalars.begin() + ptrdiff_t(at));
          at += count;
        }
      }
      return true;
    }
  }
  if (const format::OpRecord* record = opHere(step.site)) {
    ++nextOp_;
    takeOp(*record, &step);
    if (ended_ || EventKind(record->kind) == EventKind::exit) return false;
    if (last && isLastRecord(*last, *record)) return finishOutsideCall(step, call);
    return true; // there may be more, or callbacks
  }
  const bool entersHere = markerHere && format::markerKind(*marker) == format::kEntryMarker;
  // A thread that is cancelled in a call leaves it like an exception, or by a longjmp to its cleanup.
  const bool leavesHere = markerHere && (format::markerKind(*marker) == format::kLandingMarker ||
                                         format::markerKind(*marker) == format::kReturnMarker);
  if (last && !entersHere && !leavesHere) return false; // blocked in it, or killed on the way
  if (callee && callee->getName() == "exit") exitHere(step, *operand(step, 0));
  if (entersHere) return enterFromOutside();
  if (markerHere && format::markerKind(*marker) == format::kLandingMarker) return unwind();
  if (markerHere && format::markerKind(*marker) == format::kReturnMarker)
    return returnToSetjmp(format::markerTarget(*marker));
  return finishOutsideCall(step, call);
}

bool ThreadExecutor::finishOutsideCall(const Step& step, const CallBase& call) {
  if (call.doesNotReturn()) {
    frames_.clear(); // pthread_exit, exit, abort: what follows happens outside
    return true;
  }
  const bool used = !call.use_empty();
  if (exhausted() && used) return false; // nobody knows whether it returned, or what
  if (!call.getType()->isVoidTy()) {
    takeScalars(call.getType(), result(step));
    // What it returned was computed from these arguments.
    if (used && !context_.discovering)
      for (unsigned i = 0; i < call.arg_size(); ++i)
        if (operand(step, i)->isSymbolic()) concrete(*operand(step, i), 64);
  }
  noteUnmodelled(step, call);
  ++frame().step;
  if (const auto* invoke = dyn_cast<InvokeInst>(&call)) enterBlock(invoke->getNormalDest());
  return true;
}

// Functions that write nothing but objects of their own (locks, threads, streams) through the pointers they get.
static bool keepsToItself(const Function* callee) {
  static constexpr StringRef known[] = {
      "pthread_",     "sem_",        "mtx_",   "cnd_",  "thrd_",  "tss_",   "_ZNSt18condition_variable",
      "_ZNSt6thread", "_ZNSt5mutex", "_Zdl",   "_Zda",  "free",   "printf", "fprintf",
      "puts",         "fputs",       "fwrite", "write", "fflush", "usleep", "sleep",
      "nanosleep"};
  return callee && any_of(known, [&](StringRef prefix) { return callee->getName().starts_with(prefix); });
}

void ThreadExecutor::noteUnmodelled(const std::string& what) {
  if (!is_contained(result_.unmodelled, what)) result_.unmodelled.push_back(what);
}

// A function outside that was given a pointer to shared memory may have written there without an event.
void ThreadExecutor::noteUnmodelled(const Step& step, const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (context_.discovering || call.onlyReadsMemory()) return;
  // Pipes, sockets, signals and cancellation order threads, and the trace has no events for that.
  static constexpr StringRef channels[] = {
      "readv", "recvmsg",    "accept",         "accept4", "epoll_wait",   "select",  "poll",        "ppoll",
      "pause", "mq_receive", "pthread_cancel", "kill",    "pthread_kill", "sigwait", "sigwaitinfo", "sigsuspend"};
  if (callee && is_contained(channels, callee->getName())) noteUnmodelled(callee->getName().str());
  if (lastRecordOf(call) || keepsToItself(callee)) return;
  constexpr uint64_t kNear = 64; // how much of the memory behind a pointer is looked at
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy() || call.onlyReadsMemory(i)) continue;
    const Scalar pointer = *operand(step, i);
    if (!pointer.known || !pointer.bits || !context_.sharing.touchesShared(pointer.bits, kNear)) continue;
    noteUnmodelled(callee ? callee->getName().str() : "a function called through a pointer");
  }
}

void ThreadExecutor::takeOp(const format::OpRecord& record, const Step* step) {
  syncEvent(record, step);
  lastTimestamp_ = record.timestamp;
  ++pointIndex_;
}

// The argument of the call that is the object has a name, if anything has.
std::string ThreadExecutor::nameOfSyncObject(uint64_t object, const Step* step) {
  const auto* call = step && object ? dyn_cast<CallBase>(step->instruction) : nullptr;
  for (unsigned i = 0; call && i < std::min<unsigned>(call->arg_size(), 2); ++i)
    if (call->getArgOperand(i)->getType()->isPointerTy() && operand(*step, i)->bits == object)
      return nameOf(call->getArgOperand(i), step->instruction, 1);
  return {};
}

// True if the operation changes who holds the mutex: a recursive mutex is held from its first lock to its last
// unlock.
bool ThreadExecutor::mutexEvent(uint64_t mutex, EventKind kind) {
  auto at = std::find_if(held_.begin(), held_.end(), [&](auto& entry) { return entry.first == mutex; });
  if (kind == EventKind::unlock) {
    if (at == held_.end()) return false;
    if (--at->second > 0) return false;
    held_.erase(at);
    return true;
  }
  if (at != held_.end()) {
    ++at->second;
    return false;
  }
  held_.push_back({mutex, 1});
  return true;
}

// The call returned an error, or a try did not succeed and is no event of the model.
static bool didNothing(const format::OpRecord& record) {
  if (record.state != format::OpState::done || record.result == 0) return false;
  switch (EventKind(record.kind)) {
  case EventKind::trylock:
  case EventKind::tryrdlock:
  case EventKind::trywrlock:
  case EventKind::semTrywait:
  case EventKind::wake: return false; // the result is the outcome
  default: return true;
  }
}

void ThreadExecutor::syncEvent(const format::OpRecord& record, const Step* step) {
  const EventKind kind = EventKind(record.kind);
  if (didNothing(record)) return;
  if (kind == EventKind::write) return outsideWrote(record, step);
  if (kind == EventKind::alloc || kind == EventKind::free) return; // lifetimes, see objects.cpp
  if (kind == EventKind::input) return;                            // its value comes with the result of the call
  if ((kind == EventKind::lock || kind == EventKind::unlock) && !mutexEvent(record.object, kind)) return;
  if (kind == EventKind::trylock && record.result == 0 && !mutexEvent(record.object, kind)) return;
  if (kind == EventKind::waitBegin) mutexEvent(record.argument, EventKind::unlock);
  RawEvent& event = addEvent(kind, step ? step->instruction : nullptr);
  event.tail = false;
  event.timestamp = record.timestamp;
  event.address = record.object;
  if (kind == EventKind::fork || kind == EventKind::join) event.peerSerial = uint32_t(record.argument);
  if (kind == EventKind::waitBegin) event.mutex = record.argument;
  if (kind == EventKind::semInit || kind == EventKind::barrierArrive)
    event.outcome = uint32_t(record.argument);
  else
    event.outcome = record.result == 0 ? 0 : 1;
  event.variable = nameOfSyncObject(record.object, step);
  if (kind == EventKind::failure && step) failureHere(*step);
  if (kind == EventKind::exit && exiting_) {
    result_.failureEvent = result_.events.size() - 1;
    ended_ = true;
  }
}

// main returns, or exit() is called, with a status that makes the run a failure: the bug condition is that the
// status differs from the expected one or, if it was chosen by a branch, that branch.
void ThreadExecutor::exitHere(const Step& step, const Scalar& status) {
  if (!context_.expectedExit || exiting_) return;
  exiting_ = true;
  result_.failureAt = step.instruction;
  if (!status.isSymbolic()) {
    result_.bug = takeFailingCheck(result_.conditions, result_.events, *step.instruction);
    return;
  }
  ExprPool& exprs = context_.exprs;
  const ExprId low = exprs.extract(status.expr, 0, 8); // what the parent process sees
  result_.bug = {exprs.negate(exprs.binary(ExprOp::eq, low, exprs.constant(uint64_t(*context_.expectedExit), 8)))};
}

void ThreadExecutor::failureHere(const Step& step) {
  result_.failureEvent = result_.events.size() - 1;
  result_.failureAt = step.instruction;
  result_.bug = takeFailingCheck(result_.conditions, result_.events, *step.instruction);
  ended_ = true;
}

// --- intrinsics ---

static double asDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

bool ThreadExecutor::floatIntrinsic(const Step& step, const IntrinsicInst& call) {
  Type* element = call.getType()->getScalarType();
  if (!element->isFloatTy() && !element->isDoubleTy()) return false;
  using Function1 = double (*)(double);
  Function1 one = nullptr;
  switch (call.getIntrinsicID()) {
  case Intrinsic::sqrt: one = std::sqrt; break;
  case Intrinsic::fabs: one = std::fabs; break;
  case Intrinsic::floor: one = std::floor; break;
  case Intrinsic::ceil: one = std::ceil; break;
  case Intrinsic::trunc: one = std::trunc; break;
  case Intrinsic::rint:
  case Intrinsic::nearbyint: one = std::nearbyint; break;
  case Intrinsic::round: one = std::round; break;
  case Intrinsic::sin: one = std::sin; break;
  case Intrinsic::cos: one = std::cos; break;
  case Intrinsic::exp: one = std::exp; break;
  case Intrinsic::exp2: one = std::exp2; break;
  case Intrinsic::log: one = std::log; break;
  case Intrinsic::log2: one = std::log2; break;
  case Intrinsic::log10: one = std::log10; break;
  case Intrinsic::pow:
  case Intrinsic::fmuladd:
  case Intrinsic::fma:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum: break;
  default: return false;
  }
  const bool single = element->isFloatTy();
  const unsigned width = single ? 32 : 64;
  for (size_t lane = 0; lane < layoutOf(call.getType()).size(); ++lane) {
    double x[3] = {};
    for (unsigned i = 0; i < std::min<unsigned>(call.arg_size(), 3); ++i) {
      const uint64_t bits = concrete(operand(step, i)[lane], width);
      x[i] = single ? double(std::bit_cast<float>(uint32_t(bits))) : asDouble(bits);
    }
    double value;
    if (one)
      value = one(x[0]);
    else if (call.getIntrinsicID() == Intrinsic::pow)
      value = single ? double(std::pow(float(x[0]), float(x[1]))) : std::pow(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::copysign)
      value = std::copysign(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::minnum)
      value = std::fmin(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::maxnum)
      value = std::fmax(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::fma)
      value = single ? double(std::fma(float(x[0]), float(x[1]), float(x[2]))) : std::fma(x[0], x[1], x[2]);
    else // fmuladd: two roundings on x86-64 without FMA
      value = single ? double(float(float(x[0]) * float(x[1])) + float(x[2])) : x[0] * x[1] + x[2];
    result(step)[lane] = {.bits = single ? std::bit_cast<uint32_t>(float(value)) : std::bit_cast<uint64_t>(value)};
  }
  return true;
}

void ThreadExecutor::overflowIntrinsic(const Step& step, const IntrinsicInst& call) {
  const auto& with = cast<WithOverflowInst>(call);
  Type* type = with.getLHS()->getType();
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64) fail("overflow arithmetic of this width", &call);
  const unsigned width = type->getIntegerBitWidth();
  const Scalar a = *operand(step, 0), b = *operand(step, 1);
  const bool isSigned = with.isSigned();
  const ExprOp op = with.getBinaryOp() == Instruction::Add   ? ExprOp::add
                    : with.getBinaryOp() == Instruction::Sub ? ExprOp::sub
                                                             : ExprOp::mul;
  const Scalar value = binary(op, a, b, width);
  Scalar overflow;
  if (width <= 31 || (op != ExprOp::mul && width <= 63)) {
    // Compute with enough bits and see whether the short result says the same.
    const unsigned more = op == ExprOp::mul ? 2 * width : width + 1;
    const Scalar exact = binary(op, widen(a, width, more, isSigned), widen(b, width, more, isSigned), more);
    overflow = binary(ExprOp::bitXor, binary(ExprOp::eq, exact, widen(value, width, more, isSigned), more),
                      {.bits = 1}, 1);
  } else if (op == ExprOp::mul) {
    const APInt x(width, concrete(a, width)), y(width, concrete(b, width));
    bool over = false;
    if (isSigned)
      (void)x.smul_ov(y, over);
    else
      (void)x.umul_ov(y, over);
    overflow = {.bits = over};
  } else if (!isSigned) {
    overflow = op == ExprOp::add ? binary(ExprOp::ult, value, a, width) : binary(ExprOp::ult, a, b, width);
  } else {
    // The sign of the result differs from both inputs' (a+b), or a and b differ and the result has not a's (a-b).
    const Scalar zero{};
    const Scalar mixed =
        op == ExprOp::add ? binary(ExprOp::bitXor, b, value, width) : binary(ExprOp::bitXor, a, b, width);
    overflow = binary(ExprOp::slt, binary(ExprOp::bitAnd, binary(ExprOp::bitXor, a, value, width), mixed, width),
                      zero, width);
  }
  result(step)[0] = value;
  result(step)[1] = overflow;
}

void ThreadExecutor::intrinsic(const Step& step, const IntrinsicInst& call) {
  if (const auto* copy = dyn_cast<MemTransferInst>(&call)) return copyMemory(step, *copy);
  if (const auto* fill = dyn_cast<MemSetInst>(&call)) return fillMemory(step, *fill);
  if (isa<WithOverflowInst>(call)) return overflowIntrinsic(step, call);
  if (call.getType()->isFPOrFPVectorTy() && floatIntrinsic(step, call)) return;
  const std::vector<ScalarLayout>& layout = layoutOf(call.getType());
  auto perLane = [&](auto&& compute) {
    for (size_t lane = 0; lane < layout.size(); ++lane) result(step)[lane] = compute(lane, layout[lane].bits);
  };
  auto pick = [&](ExprOp compare, bool firstIfTrue) {
    perLane([&](size_t lane, unsigned width) {
      const Scalar a = operand(step, 0)[lane], b = operand(step, 1)[lane];
      const Scalar less = binary(compare, a, b, width);
      const Scalar &then = firstIfTrue ? a : b, &otherwise = firstIfTrue ? b : a;
      if (!less.isSymbolic()) return less.bits ? then : otherwise;
      return fromExpr(context_.exprs.ite(less.expr, exprOf(then, width), exprOf(otherwise, width)),
                      less.bits ? then.bits : otherwise.bits, a.known && b.known);
    });
  };
  auto concretely = [&](auto&& compute) {
    perLane([&](size_t lane, unsigned width) {
      return Scalar{.bits = compute(concrete(operand(step, 0)[lane], width), width) & maskOf(width)};
    });
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::donothing:
  case Intrinsic::prefetch:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::sideeffect:
  case Intrinsic::stackrestore:
  case Intrinsic::vaend:
  case Intrinsic::var_annotation: return;
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap: ended_ = true; return;
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
  case Intrinsic::annotation:
  case Intrinsic::ptr_annotation: std::copy_n(operand(step, 0), layout.size(), result(step)); return;
  case Intrinsic::threadlocal_address: takeScalars(call.getType(), result(step)); return;
  case Intrinsic::umin: return pick(ExprOp::ult, true);
  case Intrinsic::umax: return pick(ExprOp::ult, false);
  case Intrinsic::smin: return pick(ExprOp::slt, true);
  case Intrinsic::smax: return pick(ExprOp::slt, false);
  case Intrinsic::abs:
    perLane([&](size_t lane, unsigned width) {
      const Scalar a = operand(step, 0)[lane], negative = binary(ExprOp::sub, {}, a, width);
      const Scalar less = binary(ExprOp::slt, a, {}, width);
      if (!less.isSymbolic()) return less.bits ? negative : a;
      return fromExpr(context_.exprs.ite(less.expr, exprOf(negative, width), exprOf(a, width)),
                      less.bits ? negative.bits : a.bits, a.known);
    });
    return;
  case Intrinsic::ctpop: return concretely([](uint64_t x, unsigned) { return uint64_t(std::popcount(x)); });
  case Intrinsic::ctlz:
    return concretely([](uint64_t x, unsigned w) { return uint64_t(std::countl_zero(x)) - (64 - w); });
  case Intrinsic::cttz:
    return concretely([](uint64_t x, unsigned w) { return x ? uint64_t(std::countr_zero(x)) : w; });
  case Intrinsic::bswap:
    return concretely([](uint64_t x, unsigned w) { return __builtin_bswap64(x) >> (64 - w); });
  case Intrinsic::bitreverse:
    return concretely([](uint64_t x, unsigned w) {
      uint64_t out = 0;
      for (unsigned i = 0; i < w; ++i) out |= (x >> i & 1) << (w - 1 - i);
      return out;
    });
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    perLane([&](size_t lane, unsigned width) {
      const uint64_t high = concrete(operand(step, 0)[lane], width), low = concrete(operand(step, 1)[lane], width);
      const uint64_t by = concrete(operand(step, 2)[lane], width) % width;
      const APInt both = APInt(2 * width, high).shl(width) | APInt(2 * width, low);
      const APInt value =
          call.getIntrinsicID() == Intrinsic::fshl ? both.shl(unsigned(by)).lshr(width) : both.lshr(unsigned(by));
      return Scalar{.bits = value.trunc(width).getZExtValue()};
    });
    return;
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sadd_sat:
  case Intrinsic::ssub_sat:
    perLane([&](size_t lane, unsigned width) {
      const APInt a(width, concrete(operand(step, 0)[lane], width)),
          b(width, concrete(operand(step, 1)[lane], width));
      const auto id = call.getIntrinsicID();
      const APInt value = id == Intrinsic::uadd_sat   ? a.uadd_sat(b)
                          : id == Intrinsic::usub_sat ? a.usub_sat(b)
                          : id == Intrinsic::sadd_sat ? a.sadd_sat(b)
                                                      : a.ssub_sat(b);
      return Scalar{.bits = value.getZExtValue()};
    });
    return;
  case Intrinsic::is_constant: *result(step) = {.bits = 0, .known = false}; return;
  case Intrinsic::invariant_start:
  case Intrinsic::objectsize:
  case Intrinsic::eh_typeid_for:
  case Intrinsic::stacksave:
  case Intrinsic::frameaddress:
  case Intrinsic::returnaddress: *result(step) = {.bits = 0, .known = false}; return;
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor: {
    const std::vector<ScalarLayout>& lanes = layoutOf(call.getArgOperand(0)->getType());
    const auto id = call.getIntrinsicID();
    const ExprOp op = id == Intrinsic::vector_reduce_add   ? ExprOp::add
                      : id == Intrinsic::vector_reduce_mul ? ExprOp::mul
                      : id == Intrinsic::vector_reduce_and ? ExprOp::bitAnd
                      : id == Intrinsic::vector_reduce_or  ? ExprOp::bitOr
                                                           : ExprOp::bitXor;
    Scalar value = operand(step, 0)[0];
    for (size_t i = 1; i < lanes.size(); ++i) value = binary(op, value, operand(step, 0)[i], lanes[i].bits);
    *result(step) = value;
    return;
  }
  default:
    if (call.getType()->isVoidTy()) return;
    fail(fmt::format("the intrinsic {} is not supported", call.getCalledFunction()->getName().str()), &call);
  }
}

} // namespace symbiosis
