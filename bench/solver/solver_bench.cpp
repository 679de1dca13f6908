#include "constraints/schedule_solver.h"
#include "generated_traces.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
using namespace symbiosis;
using namespace symbiosis::bench;
static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
int main(int argc, char** argv) {
  size_t n = argc > 1 ? atol(argv[1]) : 200;
  int threads = argc > 2 ? atoi(argv[2]) : 3;
  bool hints = argc > 3 && atoi(argv[3]);
  int only = argc > 4 ? atoi(argv[4]) : -1;
  for (Shape shape : kShapes) {
    if (only >= 0 && int(shape) != only) continue;
    double t = now();
    GeneratedTrace g = generate({shape, n, ThreadIndex(threads), 1, hints, false});
    fmt::print("{:16} {:8} ev gen {:.3f}", toText(shape), g.trace.events.size(), now() - t);
    fflush(stdout);
    if (g.trace.events.empty()) {
      fmt::print("\n");
      continue;
    }
    {
      Evaluator e(g.trace);
      t = now();
      int k = 0;
      while (now() - t < 0.05) {
        e.run(g.recorded);
        ++k;
      }
      fmt::print(" eval {:.1f} M/s", k * double(g.trace.events.size()) / (now() - t) / 1e6);
    }
    ScheduleSolver s(g.trace, SolverLimits{20, 4});
    t = now();
    auto a = s.failing();
    fmt::print(" failing {} {:.3f}s", int(a.answer), now() - t);
    fflush(stdout);
    t = now();
    auto p = s.passing({});
    fmt::print(" passing {} {:.3f}s", int(p.answer), now() - t);
    fflush(stdout);
    EventOrder f = a.answer == Answer::sat ? a.order : g.recorded;
    t = now();
    auto edges = candidateEdges(g.trace, f);
    fmt::print(" edges {} {:.3f}s", edges.size(), now() - t);
    t = now();
    auto c = s.minimalCore(edges, 10);
    fmt::print(" core {} suff {} irr {} {:.3f}s [{} z3, {} search] {}", c.edges.size(), c.sufficient,
               c.irreducible, now() - t, s.stats().calls, s.stats().searches, c.reason);
    fflush(stdout);
    t = now();
    auto r = reduceContextSwitches(g.trace, f, {10, 4});
    fmt::print(" csr {}->{} {:.3f}s", contextSwitches(g.trace, f), contextSwitches(g.trace, r), now() - t);
    fflush(stdout);
    t = now();
    auto r2 = reduceContextSwitches(g.trace, g.recorded, {10, 4});
    fmt::print(" csr-rec {}->{} {:.3f}s\n", contextSwitches(g.trace, g.recorded), contextSwitches(g.trace, r2),
               now() - t);
    fflush(stdout);
  }
}
