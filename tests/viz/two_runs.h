#pragma once
// Pairs of runs that do not share a path, made by hand: the last ticket sold twice, and a thread that waits for
// ever because of what it tested.
#include "dsp/other_path.h"
#include "tests/dsp/example_traces.h"

namespace symbiosis::testing {

struct TwoRuns {
  Example example; // the joined trace
  Diagnosis diagnosis;
};

struct Parting {
  ThreadIndex thread = 0;
  uint32_t line = 0; // of the read that decides
  std::string condition, failing, alternate;
  Contrast contrast;
  bool isDelayed = false;
};

inline TwoRuns twoRuns(Example failing, Example alternate, const Parting& parting) {
  auto path = std::make_shared<OtherPath>();
  path->joined = joinRuns(failing.trace, alternate.trace);
  const EventRef read = failing.at(parting.thread, EventKind::read, parting.line);
  path->decision = {path->joined.joined[0][read], failing.trace.event(read).location, parting.condition,
                    parting.failing, parting.alternate};
  path->contrast = parting.contrast;
  path->isDecisive = isSignificant(parting.contrast);
  path->isDelayed = parting.isDelayed;
  path->orders[0] = failing.failing, path->orders[1] = alternate.failing;
  path->runs[0] = std::move(failing.trace), path->runs[1] = std::move(alternate.trace);
  TwoRuns two;
  Diagnosis& d = two.diagnosis;
  d.program = {"./tickets", {}};
  d.recording = ".symbiosis/tickets-1";
  d.failing = path->joined.join(0, path->orders[0]);
  d.alternate.status = AlternateStatus::found;
  d.alternate.method = AlternateMethod::search;
  d.alternate.order = path->joined.join(1, path->orders[1]);
  d.dsp = projectRuns(*path, {});
  for (const Dataflow& flow : d.dsp.alternateDataflows)
    if (flow.to == path->decision.event && flow.from != kNoEvent)
      d.rootCause = {{{flow.to, flow.from}}, ProofStatus::proved, ""};
  d.dsp = projectRuns(*path, d.rootCause);
  d.classification = classifyRuns(*path, d.dsp);
  d.certificate.failing = {20, 20};
  d.certificate.alternate = {20, 20, 20, 0, 0};
  d.certificate.whole = {20, 20};
  d.stats.events = path->joined.trace.events.size();
  two.example = {path->joined.trace, d.failing, std::move(failing.sources)};
  d.otherPath = std::move(path);
  return two;
}

// T1 and T2 sell the last ticket. `sells`: T2 still sees it. `refuses`: otherwise it counts who came in vain.
inline Example seller(bool sells, bool refuses) {
  TraceBuilder b(3);
  for (const char* name : {"left", "price", "refused"}) b.variable(name, 1);
  ExprPool& exprs = b.trace.exprs;
  b.start(0), b.fork(0, 1, 28), b.fork(0, 2, 28), b.join(0, 1, 29), b.join(0, 2, 29);
  const ExprId left = b.read(0, "left", 31), zero = b.constant(0);
  if (sells)
    b.failure(0, {exprs.binary(ExprOp::slt, left, zero)}, 31, "left >= 0");
  else
    b.condition(0, exprs.negate(exprs.binary(ExprOp::slt, left, zero)));
  for (ThreadIndex t : {1u, 2u}) {
    b.start(t);
    const ExprId isLeft = exprs.binary(ExprOp::slt, zero, b.read(t, "left", 14));
    b.condition(t, t == 1 || sells ? isLeft : exprs.negate(isLeft));
    if (t == 1 || sells) {
      b.lock(t, "lock", 15);
      b.read(t, "price", 16);
      b.write(t, "left", exprs.binary(ExprOp::sub, b.read(t, "left", 17), b.constant(1)), 17);
      b.unlock(t, "lock", 18);
    } else if (refuses) {
      b.write(t, "refused", exprs.binary(ExprOp::add, b.read(t, "refused", 20), b.constant(1)), 20);
    }
    b.exit(t);
  }
  if (!sells) b.exit(0);
  Example example{b.build(), {}, {}};
  if (!sells) example.trace.failure.kind = FailureKind::none;
  example.trace.threads[1].startFunction = example.trace.threads[2].startFunction = "seller";
  example.failing = sells ? interleave(example.trace, {{0, 3}, {1, 2}, {2, 2}, {1, 6}, {2, 6}, {0, 4}})
                          : interleave(example.trace, {{0, 3}, {1, 8}, {2, refuses ? 5u : 3u}, {0, 4}});
  example.sources.add("test.c", "int left = 1, price, refused;\n\n\n\n\n\n\n\n\n\n\n\nvoid *seller(void *id) {\n"
                                "  if (left > 0) {\n    lock(&lock);\n    print(price);\n    left = left - 1;\n"
                                "    unlock(&lock);\n  } else {\n    refused++;\n  }\n  return NULL;\n}\n\n"
                                "int main(void) {\n\n\n  start(seller), start(seller);\n  join_both();\n\n"
                                "  assert(left >= 0);\n}\n");
  return example;
}
inline TwoRuns tickets() {
  return twoRuns(seller(true, false), seller(false, false),
                 {2, 14, "left > 0", "1 -> yes", "0 -> no", {20, 20, 0, 20}});
}
// Both ways do something that the other does not, and the runs do not tell enough to call it decisive.
inline TwoRuns ticketsRefused() {
  return twoRuns(seller(true, true), seller(false, true),
                 {2, 14, "left > 0", "1 -> yes", "0 -> no", {12, 20, 9, 20}});
}

// T2 sets `full` and ends with the lock that T1 takes only if it has not seen it.
inline Example waiter(bool waits) {
  TraceBuilder b(3);
  b.variable("full", 0);
  ExprPool& exprs = b.trace.exprs;
  b.start(0), b.fork(0, 1, 28), b.fork(0, 2, 28), b.join(0, 1, 29);
  if (waits) b.pending(0, true);
  b.start(1);
  const ExprId isEmpty = exprs.binary(ExprOp::eq, b.read(1, "full", 12), b.constant(0));
  b.condition(1, waits ? isEmpty : exprs.negate(isEmpty));
  if (waits)
    b.lock(1, "slot", 14), b.pending(1);
  else
    b.exit(1);
  b.start(2), b.write(2, "full", b.constant(1), 25), b.lock(2, "slot", 26), b.exit(2);
  Example example{b.build(), {}, {}};
  example.trace.threads[1].startFunction = "waiter", example.trace.threads[2].startFunction = "worker";
  if (waits)
    example.trace.failure.event = example.at(1, EventKind::lock, 14),
    example.trace.failure.location = example.trace.event(example.trace.failure.event).location;
  else
    example.trace.failure.kind = FailureKind::none;
  example.trace.failure.message = waits ? "2 of 3 threads wait for ever" : "";
  example.failing = waits ? interleave(example.trace, {{0, 3}, {1, 2}, {2, 4}, {1, 1}, {0, 1}})
                          : interleave(example.trace, {{0, 3}, {2, 4}, {1, 3}, {0, 1}});
  example.sources.add("test.c",
                      "int full;\n\n\n\n\n\n\n\n\n\nvoid *waiter(void *box) {\n  if (!full) {\n\n"
                      "    lock(&slot);\n  }\n}\n\n\n\n\n\n\n\nvoid *worker(void *box) {\n  full = 1;\n"
                      "  lock(&slot);\n}\nint main(void) { start(waiter), start(worker);\n  join(waiter);\n}\n");
  return example;
}
inline TwoRuns mailbox() {
  return twoRuns(waiter(true), waiter(false), {1, 12, "!full", "0 -> yes", "1 -> no", {20, 20, 9, 20}});
}

} // namespace symbiosis::testing
