#pragma once
// The fixed set of DSPs on which every view is compared with what it showed before (tests/viz/golden), and on
// which the page is tried in a browser: 2 to 40 events, 2 to 16 threads, long names, UTF-8 and missing sources.
#include "tests/viz/diagnose_example.h"
#include "tests/viz/two_runs.h"

namespace symbiosis::testing {

struct FixedDsp {
  std::string name;
  Example example;
  Diagnosis diagnosis;
};

// Each of `threads - 1` workers adds 1 to `counter` `rounds` times, in two steps. In the last `lost` rounds of the
// failing run all read before any writes.
inline Example counters(ThreadIndex threads, uint32_t rounds, uint32_t lost) {
  TraceBuilder b(threads);
  b.variable("counter", 0);
  ExprPool& exprs = b.trace.exprs;
  b.start(0);
  for (ThreadIndex t = 1; t < threads; ++t) b.fork(0, t, 11);
  for (ThreadIndex t = 1; t < threads; ++t) b.join(0, t, 12);
  const ExprId total = b.constant((threads - 1) * rounds), seen = b.read(0, "counter", 13);
  b.failure(0, {exprs.negate(exprs.binary(ExprOp::eq, seen, total))}, 13, "counter == total");
  for (ThreadIndex t = 1; t < threads; ++t) {
    b.start(t);
    for (uint32_t i = 0; i < rounds; ++i)
      b.write(t, "counter", exprs.binary(ExprOp::add, b.read(t, "counter", 5), b.constant(1)), 6);
    b.exit(t);
  }
  Example example{b.build(), {}, {}};
  for (ThreadIndex t = 1; t < threads; ++t) example.trace.threads[t].startFunction = "worker";
  example.sources.add("test.c", "int counter, total;\n\nvoid *worker(void *rounds) {\n"
                                "  for (int i = 0; i < *(int *)rounds; ++i) {\n    int seen = counter;\n"
                                "    counter = seen + 1;\n  }\n  return NULL;\n}\nint main(void) {\n"
                                "  start_all();\n  join_all();\n  assert(counter == total);\n}\n");
  std::vector<uint32_t> next(threads);
  auto take = [&](ThreadIndex t, uint32_t count) {
    for (; count > 0; --count) example.failing.push_back(example.trace.threads[t].firstEvent + next[t]++);
  };
  take(0, threads);
  for (ThreadIndex t = 1; t < threads; ++t) take(t, 1);
  for (uint32_t round = 0; round < rounds; ++round) {
    const bool isLost = round + lost >= rounds;
    for (ThreadIndex t = 1; t < threads; ++t) take(t, isLost ? 1 : 2);
    for (ThreadIndex t = 1; t < threads && isLost; ++t) take(t, 1);
  }
  for (ThreadIndex t = 1; t < threads; ++t) take(t, 1);
  take(0, threads + 1);
  return example;
}

// The same without lost rounds passes.
inline Diagnosis diagnoseCounters(const Example& example, ThreadIndex threads, uint32_t rounds) {
  Diagnosis d;
  d.program = {"./counters", {std::to_string(rounds)}};
  d.recording = ".symbiosis/counters-1";
  d.failing = example.failing;
  d.alternate.status = AlternateStatus::found;
  d.alternate.method = AlternateMethod::search;
  d.alternate.pairsTried = 3;
  d.alternate.order = counters(threads, rounds, 0).failing;
  const EventRef read = example.at(2, EventKind::read, 5), write = example.at(1, EventKind::write, 6);
  d.rootCause = {{{read, write}}, ProofStatus::tested, "for the test"};
  d.dsp = project(example.trace, d.failing, d.alternate.order);
  d.classification = classify(example.trace, d.failing, d.rootCause, d.alternate, d.dsp);
  d.certificate.failing = {20, 20};
  d.certificate.alternate = {20, 20, 19, 1, 0};
  d.certificate.whole = {20, 20};
  d.stats.events = example.trace.events.size();
  d.limits = {"external functions that may have written shared memory unseen: getrandom, sqlite3_step"};
  return d;
}
inline FixedDsp countersDsp(const std::string& name, ThreadIndex threads, uint32_t rounds, uint32_t lost) {
  Example example = counters(threads, rounds, lost);
  Diagnosis diagnosis = diagnoseCounters(example, threads, rounds);
  return {name, std::move(example), std::move(diagnosis)};
}

inline FixedDsp solvedDsp(const std::string& name, Example example) {
  Diagnosis diagnosis = diagnose(example);
  return {name, std::move(example), std::move(diagnosis)};
}

inline Example withLongNames() {
  Example example = bank();
  const std::string name = "bank::detail::Ledger<std::map<std::string, std::unique_ptr<bank::Account>>>";
  for (Event& event : example.trace.events)
    if (!event.variable.empty()) event.variable = name + "::instance()->total_amount_in_cents";
  for (ThreadIndex t : {1u, 2u})
    example.trace.threads[t].startFunction = name + "::deposit(long, std::string_view)";
  for (SourceLocation& at : example.trace.locations)
    at.file = "src/bank/detail/a_rather_long_file_name_for_a_ledger.cpp";
  std::string source;
  for (int line = 1; line <= 20; ++line)
    source +=
        "  " + name + "::instance()->total_amount_in_cents += convert(amount, " + std::to_string(line) + ");\n";
  example.sources = {};
  example.sources.add("src/bank/detail/a_rather_long_file_name_for_a_ledger.cpp", source);
  return example;
}

inline Example inUtf8() {
  Example example = runningExample();
  for (Event& event : example.trace.events)
    if (event.variable == "filled") event.variable = "größe";
  example.trace.threads[1].startFunction = example.trace.threads[2].startFunction = "消费者";
  example.sources = {};
  std::string source;
  for (int line = 1; line <= 23; ++line)
    source += line == 19 ? "\tassert(größe > 0); // 物品 ✓\n" : "\tgröße = naïve(größe, '→'); // 次の品目\n";
  example.sources.add("test.c", source);
  return example;
}

inline FixedDsp runsDsp(const std::string& name, TwoRuns runs) {
  return {name, std::move(runs.example), std::move(runs.diagnosis)};
}

inline std::vector<FixedDsp> fixedDsps() {
  std::vector<FixedDsp> all;
  all.push_back(solvedDsp("two-events-no-source", useBeforeInit()));
  all.push_back(solvedDsp("running-example", runningExample()));
  all.push_back(solvedDsp("no-alternate", alwaysFails()));
  all.push_back(solvedDsp("long-names", withLongNames()));
  all.push_back(solvedDsp("utf8", inUtf8()));
  all.push_back(countersDsp("forty-events", 3, 13, 13));
  all.push_back(countersDsp("sixteen-threads", 16, 1, 1));
  all.push_back(runsDsp("decision", tickets()));
  all.push_back(runsDsp("runs-part", ticketsRefused()));
  all.push_back(runsDsp("decision-then-wait", mailbox()));
  return all;
}

} // namespace symbiosis::testing
