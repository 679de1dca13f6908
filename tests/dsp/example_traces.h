#pragma once
// Small programs with a known bug, as traces with their failing schedule: the paper's running example (Fig.
// 2), the bank's lost update (Fig. 6(d)), an order violation, a pair of variables, and a check that no
// schedule passes.
#include "tests/trace_builder.h"
#include "trace/schedule.h"
#include "trace/source_files.h"
#include <initializer_list>

namespace symbiosis::testing {

struct Example {
  SymbolicTrace trace;
  EventOrder failing;
  SourceFiles sources;
  // The n-th event of a thread with this kind and line, n from 0.
  EventRef at(ThreadIndex thread, EventKind kind, uint32_t line) const {
    for (EventRef ref = 0; ref < trace.events.size(); ++ref)
      if (trace.threadOf(ref) == thread && trace.event(ref).kind == kind &&
          trace.locations[trace.event(ref).location].line == line)
        return ref;
    return kNoEvent;
  }
};

// Appends `count` further events of each thread in turn.
inline EventOrder interleave(const SymbolicTrace& trace,
                             std::initializer_list<std::pair<ThreadIndex, uint32_t>> turns) {
  EventOrder order;
  std::vector<uint32_t> next(trace.threads.size());
  for (auto [thread, count] : turns)
    for (uint32_t i = 0; i < count; ++i) order.push_back(trace.threads[thread].firstEvent + next[thread]++);
  return order;
}

// Fig. 2: T1 and T2 both see the last item; T1 takes it, T2's assert finds none.
inline Example runningExample() {
  TraceBuilder b(3);
  b.variable("filled", 0);
  ExprPool& exprs = b.trace.exprs;
  const ExprId zero = b.constant(0), one = b.constant(1);
  b.start(0);
  b.write(0, "filled", zero, 2);
  b.fork(0, 1, 2), b.fork(0, 2, 2);
  b.lock(0, "m", 3);
  b.write(0, "filled", exprs.binary(ExprOp::add, b.read(0, "filled", 4), one), 4);
  b.unlock(0, "m", 5);
  for (ThreadIndex t : {1u, 2u}) {
    b.start(t);
    b.lock(t, "m", 9);
    b.condition(t, exprs.binary(ExprOp::slt, zero, b.read(t, "filled", 10)));
    b.unlock(t, "m", 11);
    b.lock(t, "m", 18);
    const ExprId inAssert = b.read(t, "filled", 19);
    if (t == 1) {
      b.condition(t, exprs.binary(ExprOp::slt, zero, inAssert));
      b.write(t, "filled", exprs.binary(ExprOp::sub, b.read(t, "filled", 20), one), 20);
      b.unlock(t, "m", 21);
      b.exit(t);
    } else {
      b.failure(t, {exprs.negate(exprs.binary(ExprOp::slt, zero, inAssert))}, 19, "filled > 0");
      b.unlock(t, "m", 21, true);
    }
  }
  Example example{b.build(), {}, {}};
  example.trace.threads[0].startFunction = "producer";
  example.trace.threads[1].startFunction = example.trace.threads[2].startFunction = "consumer";
  example.failing = interleave(example.trace, {{0, 8}, {2, 4}, {1, 10}, {2, 4}});
  example.sources.add("test.c",
                      "void producer(void) {\n  filled = 0;\n  lock(m);\n  filled++;\n  unlock(m);\n}\n\n"
                      "int get(item *it) {\n  lock(m);\n  if (filled > 0) {\n    unlock(m);\n  } else {\n"
                      "    unlock(m);\n    return 0;\n  }\n\n  // take one\n  lock(m);\n"
                      "  assert(filled > 0);\n  filled--;\n  unlock(m);\n  return 1;\n}\n");
  return example;
}

// Fig. 6(d): T1 and T2 each read the total, add 10 and write it back; one deposit is lost.
inline Example bank() {
  TraceBuilder b(3);
  b.variable("BankTotal", 7);
  ExprPool& exprs = b.trace.exprs;
  b.start(0);
  b.write(0, "BankTotal", b.constant(0), 9);
  b.fork(0, 1, 10), b.fork(0, 2, 11);
  b.join(0, 1, 12), b.join(0, 2, 12);
  const ExprId total = b.read(0, "BankTotal", 13);
  b.failure(0, {exprs.negate(exprs.binary(ExprOp::eq, total, b.constant(20)))}, 13, "BankTotal == 20");
  for (ThreadIndex t : {1u, 2u}) {
    b.start(t);
    const ExprId read = b.read(t, "BankTotal", 4);
    b.write(t, "BankTotal", exprs.binary(ExprOp::add, read, b.constant(10)), 5);
    b.exit(t);
  }
  Example example{b.build(), {}, {}};
  example.trace.threads[1].startFunction = example.trace.threads[2].startFunction = "deposit";
  example.failing = interleave(example.trace, {{0, 4}, {1, 2}, {2, 4}, {1, 2}, {0, 4}});
  example.sources.add("test.c", "int BankTotal = 7;\n\nvoid *deposit(void *arg) {\n  int t = BankTotal;\n"
                                "  BankTotal = t + 10;\n  return NULL;\n}\nint main(void) {\n  BankTotal = 0;\n"
                                "  pthread_create(&a, NULL, deposit, NULL);\n"
                                "  pthread_create(&b, NULL, deposit, NULL);\n  join_both();\n"
                                "  assert(BankTotal == 20);\n}\n");
  return example;
}

// T1 uses `ready` before T0, which started it, has set it.
inline Example useBeforeInit() {
  TraceBuilder b(2);
  b.variable("ready", 0);
  ExprPool& exprs = b.trace.exprs;
  b.start(0), b.fork(0, 1, 20), b.write(0, "ready", b.constant(1), 21), b.exit(0);
  b.start(1);
  const ExprId seen = b.read(1, "ready", 7);
  b.failure(1, {exprs.binary(ExprOp::eq, seen, b.constant(0))}, 7, "ready");
  Example example{b.build(), {}, {}};
  example.trace.events[example.at(0, EventKind::write, 21)].tail = true;
  example.trace.events[example.at(0, EventKind::exit, 1)].tail = true;
  example.failing = interleave(example.trace, {{0, 2}, {1, 3}, {0, 2}});
  return example;
}

// T0 clears `fifo` while T1, which it started, still uses it (pbzip2, Fig. 6(c)).
inline Example tearDown() {
  TraceBuilder b(2);
  b.variable("fifo", 5);
  ExprPool& exprs = b.trace.exprs;
  b.start(0), b.fork(0, 1, 20), b.write(0, "fifo", b.constant(0), 21);
  b.start(1);
  b.condition(1, exprs.negate(exprs.binary(ExprOp::eq, b.read(1, "fifo", 6), b.constant(0))));
  const ExprId seen = b.read(1, "fifo", 8);
  b.failure(1, {exprs.binary(ExprOp::eq, seen, b.constant(0))}, 8, "fifo != NULL");
  Example example{b.build(), {}, {}};
  example.failing = interleave(example.trace, {{0, 2}, {1, 2}, {0, 1}, {1, 2}});
  return example;
}

// T2 moves 10 from a to b in two writes; T1 adds both up in between.
inline Example twoVariables() {
  TraceBuilder b(3);
  b.variable("a", 50), b.variable("b", 50);
  ExprPool& exprs = b.trace.exprs;
  b.start(0), b.fork(0, 1, 30), b.fork(0, 2, 31);
  b.start(1);
  const ExprId a = b.read(1, "a", 5), c = b.read(1, "b", 6);
  b.failure(1, {exprs.negate(exprs.binary(ExprOp::eq, exprs.binary(ExprOp::add, a, c), b.constant(100)))}, 7,
            "sum == 100");
  b.start(2);
  b.write(2, "a", b.constant(40), 12), b.write(2, "b", b.constant(60), 13), b.exit(2);
  Example example{b.build(), {}, {}};
  example.failing = interleave(example.trace, {{0, 3}, {1, 2}, {2, 4}, {1, 2}});
  return example;
}

// Whatever the order, T1 reads 0.
inline Example alwaysFails() {
  TraceBuilder b(2);
  b.variable("x", 0);
  ExprPool& exprs = b.trace.exprs;
  b.start(0), b.fork(0, 1, 3), b.write(0, "x", b.constant(0), 4);
  b.start(1);
  const ExprId x = b.read(1, "x", 8);
  b.failure(1, {exprs.binary(ExprOp::eq, x, b.constant(0))}, 9, "x");
  Example example{b.build(), {}, {}};
  example.failing = interleave(example.trace, {{0, 3}, {1, 3}});
  return example;
}

} // namespace symbiosis::testing
