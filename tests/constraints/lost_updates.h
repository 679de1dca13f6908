#pragma once
// Threads that increment one counter without a lock, and a check of its final value: how many updates are lost
// decides, and no single ordering does.
#include "tests/trace_builder.h"
#include <bit>

namespace symbiosis::testing {

// `floating`: the counter is a float that grows by 0.1, and `finalValue` are its bits.
inline SymbolicTrace lostUpdates(size_t threads, size_t increments, uint32_t finalValue, bool floating = false) {
  const ExprOp add = floating ? ExprOp::fadd : ExprOp::add, equals = floating ? ExprOp::feq : ExprOp::eq;
  const uint32_t one = floating ? std::bit_cast<uint32_t>(0.1f) : 1;
  TraceBuilder builder(threads + 1);
  builder.variable("counter", 0);
  builder.start(0);
  for (ThreadIndex t = 1; t <= threads; ++t) builder.fork(0, t, 10);
  for (ThreadIndex t = 1; t <= threads; ++t) {
    builder.start(t);
    for (size_t i = 0; i < increments; ++i) {
      const ExprId value = builder.read(t, "counter", 20);
      builder.write(t, "counter", builder.trace.exprs.binary(add, value, builder.constant(one)), 21);
    }
    builder.exit(t);
    builder.join(0, t, 11);
  }
  const ExprId end = builder.read(0, "counter", 30);
  builder.failure(0, {builder.trace.exprs.binary(equals, end, builder.constant(finalValue))}, 31);
  return builder.build();
}

} // namespace symbiosis::testing
