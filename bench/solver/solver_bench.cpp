// Seconds per phase of solving, over shapes and sizes, as a Markdown table on standard output; the paper's
// encoding in the same run where it is small enough to answer. `solver_bench [MOST_EVENTS]`.
#include "constraints/schedule_solver.h"
#include "generated_traces.h"
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>

namespace symbiosis::bench {
namespace {

constexpr SolverLimits kLimits{.seconds = 20, .memoryGb = 4};
constexpr size_t kMostForPaper = 200;
constexpr double kCoreSeconds = 10;

template <typename Work> double secondsOf(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double peakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

double evaluatedPerSecond(const GeneratedTrace& made) {
  Evaluator evaluator(made.trace);
  size_t events = 0;
  const double seconds = secondsOf([&] {
    for (int i = 0; i < 20; ++i, events += made.recorded.size()) evaluator.run(made.recorded);
  });
  return double(events) / seconds;
}

std::string orGaveUp(double seconds, Answer answer) {
  return answer == Answer::unknown ? fmt::format("gave up ({:.3f})", seconds) : fmt::format("{:.3f}", seconds);
}

std::string paperSeconds(const SymbolicTrace& trace) {
  if (trace.events.size() > kMostForPaper + kMostForPaper / 4) return "–";
  ScheduleSolver paper(trace, {.limits = kLimits, .encoding = Encoding::paper, .engines = Engines::solver});
  Answer answer = Answer::unknown;
  const double seconds = secondsOf([&] { answer = paper.failing().answer; });
  return orGaveUp(seconds, answer);
}

void measure(Shape shape, size_t events, bool hints) {
  const GeneratedTrace made = generate(
      {.shape = shape, .events = events, .workers = 3, .seed = 1, .timestamps = hints, .observed = false});
  ScheduleSolver solver(made.trace, kLimits);
  ScheduleAnswer failing, passing;
  const double failingSeconds = secondsOf([&] { failing = solver.failing(); });
  const double passingSeconds = secondsOf([&] { passing = solver.passing({}); });
  const EventOrder& schedule = failing.answer == Answer::sat ? failing.order : made.recorded;
  EventOrder reduced;
  const double reduceSeconds = secondsOf([&] { reduced = reduceContextSwitches(made.trace, schedule, kLimits); });
  solver.guideBy(reduced);
  RootCauseCore cause;
  const double causeSeconds =
      secondsOf([&] { cause = solver.minimalCore(candidateEdges(made.trace, reduced), kCoreSeconds); });
  fmt::print("| {} | {} | {} | {:.0f} | {} | {} | {:.3f} | {} → {} | {:.3f} | {} {} | {} | {:.0f} |\n",
             toText(shape), made.trace.events.size(), hints ? "yes" : "no", evaluatedPerSecond(made) / 1e6,
             orGaveUp(failingSeconds, failing.answer), orGaveUp(passingSeconds, passing.answer), reduceSeconds,
             contextSwitches(made.trace, schedule), contextSwitches(made.trace, reduced), causeSeconds,
             cause.edges.size(),
             !cause.sufficient   ? "tested"
             : cause.irreducible ? "proved"
                                 : "sufficient",
             paperSeconds(made.trace), peakMegabytes());
  std::fflush(stdout);
}

} // namespace
} // namespace symbiosis::bench

int main(int argc, char** argv) {
  using namespace symbiosis::bench;
  const size_t most = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
  fmt::print(
      "| program | events | hints | evaluated, M/s | failing, s | passing, s | fewer switches, s | switches | "
      "root cause, s | orderings | paper's encoding, s | peak MB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t events = 100; events <= most; events *= 10)
    for (Shape shape : kShapes) measure(shape, events, events >= 10'000);
}
