#pragma once
// Random tiny traces that fail: a few threads, variables and a mutex, with path and bug conditions that hold
// in the random schedule that comes with them.
#include "tests/dsp/example_traces.h"
#include "trace/evaluator.h"
#include <optional>
#include <random>

namespace symbiosis::testing {

constexpr size_t kMostEvents = 20; // start, fork and exit included: small enough to enumerate

class RandomTrace {
public:
  explicit RandomTrace(uint32_t seed) : random_(seed) {}

  // Nothing if the dice gave a deadlock or a thread that never reads.
  std::optional<Example> make() {
    const ThreadIndex threads = 2 + (upTo(3) + 1) / 2;
    failingThread_ = upTo(threads - 1);
    TraceBuilder b(threads);
    b.variable("x", upTo(2));
    b.variable("y", upTo(2));
    for (ThreadIndex t = 0; t < threads; ++t) fill(b, t, threads);
    Example example{b.build(), {}, {}};
    if (example.trace.events.size() > kMostEvents || !schedule(example)) return {};
    addConditions(example.trace, example.failing);
    if (example.trace.failure.bug.empty()) return {};
    return example;
  }

private:
  uint32_t upTo(uint32_t most) { return std::uniform_int_distribution<uint32_t>(0, most)(random_); }

  void fill(TraceBuilder& b, ThreadIndex t, ThreadIndex threads) {
    b.start(t);
    if (t == 0)
      for (ThreadIndex child = 1; child < threads; ++child) b.fork(0, child, 100 + child);
    ExprId latest = kNoExpr;
    bool held = false;
    uint32_t line = 10 * (t + 1);
    for (uint32_t i = 1 + upTo(4); i-- > 0; ++line) {
      const std::string variable = upTo(3) ? "x" : "y";
      switch (upTo(5)) {
      case 0:
      case 1: latest = b.read(t, variable, line); break;
      case 2: b.write(t, variable, b.constant(upTo(2)), line); break;
      case 3:
        if (latest == kNoExpr) latest = b.read(t, variable, line);
        b.write(t, variable, b.trace.exprs.binary(ExprOp::add, latest, b.constant(1)), line);
        break;
      default: held ? b.unlock(t, "m", line) : b.lock(t, "m", line); held = !held;
      }
    }
    const bool fails = t == failingThread_;
    if (fails) {
      if (t == 0 && upTo(1))
        for (ThreadIndex child = 1; child < threads; ++child) b.join(0, child, 200 + child);
      b.read(t, upTo(3) ? "x" : "y", line);
      b.failure(t, {}, line);
    }
    if (held) b.unlock(t, "m", line, fails);
    if (!fails) b.exit(t);
  }

  // A random feasible order with the failure as late as possible.
  bool schedule(Example& example) {
    const SymbolicTrace& trace = example.trace;
    Evaluator evaluator(trace);
    std::vector<uint32_t> done(trace.threads.size());
    EventOrder& order = example.failing;
    while (order.size() < trace.events.size()) {
      std::vector<EventRef> enabled;
      for (ThreadIndex t = 0; t < done.size(); ++t) {
        if (done[t] == trace.threads[t].eventCount) continue;
        order.push_back(trace.threads[t].firstEvent + done[t]);
        const Evaluation evaluation = evaluator.run(order);
        if (evaluation.outcome != Outcome::infeasible || evaluation.position == order.size())
          enabled.push_back(order.back());
        order.pop_back();
      }
      if (enabled.size() > 1) std::erase(enabled, trace.failure.event);
      if (enabled.empty()) return false;
      order.push_back(enabled[upTo(uint32_t(enabled.size()) - 1)]);
      ++done[trace.threadOf(order.back())];
    }
    return evaluator.run(order).outcome == Outcome::failing;
  }

  void addConditions(SymbolicTrace& trace, const EventOrder& order) {
    Evaluator evaluator(trace);
    evaluator.run(order);
    ExprPool& exprs = trace.exprs;
    uint32_t checked = kNone;
    for (uint32_t s = 0; s < trace.symbols.size(); ++s) {
      const ExprId symbol = exprs.symbol(s, 32), seen = exprs.constant(evaluator.symbolValue(s), 32);
      const EventRef event = trace.symbols[s].event;
      if (trace.threadOf(event) == failingThread_ && event < trace.failure.event) checked = s;
      if (upTo(4) == 0) trace.conditions.push_back({exprs.binary(ExprOp::sle, seen, symbol), event});
    }
    if (checked == kNone) return;
    const ExprId symbol = exprs.symbol(checked, 32), seen = exprs.constant(evaluator.symbolValue(checked), 32);
    trace.failure.bug = {exprs.binary(upTo(3) ? ExprOp::eq : ExprOp::sle, symbol, seen)};
  }

  std::mt19937 random_;
  ThreadIndex failingThread_ = 0;
};

} // namespace symbiosis::testing
