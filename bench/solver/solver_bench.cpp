// CPU seconds per phase of solving, over shapes and sizes, as Markdown tables on standard output; the paper's
// encoding in the same run where it still answers. CPU time, because the machines that this runs on are shared; of
// engines that run side by side it is the sum.
// `solver_bench [MOST_EVENTS [PLOT.svg]]`.
#include "constraints/schedule_solver.h"
#include "dsp/diagnosis.h"
#include "generated_traces.h"
#include "tests/constraints/lost_updates.h"
#include "time_plot.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sys/resource.h>

namespace symbiosis::bench {
namespace {

constexpr SolverLimits kLimits{.seconds = 60, .memoryGb = 4};
constexpr SolverLimits kPaperLimits{.seconds = 30, .memoryGb = 4};
constexpr size_t kMostForPaper = 250;
constexpr size_t kSizes[] = {100, 200, 1500, 10'000, 100'000, 1'200'000};

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <typename Work> double secondsOf(Work work) {
  const double begin = cpuSeconds();
  work();
  return cpuSeconds() - begin;
}

double peakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

// The best of several runs: others use the machine too.
double evaluatedPerSecond(const GeneratedTrace& made) {
  Evaluator evaluator(made.trace);
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const double seconds = secondsOf([&] { evaluator.run(made.recorded); });
    best = std::max(best, double(made.recorded.size()) / seconds);
  }
  return best;
}

std::string orGaveUp(double seconds, Answer answer) {
  return answer == Answer::unknown ? fmt::format("gave up ({:.3f})", seconds) : fmt::format("{:.3f}", seconds);
}

class SolverBench {
public:
  void run(size_t mostEvents) {
    fmt::print(
        "| program | events | hints | evaluated, M/s | failing, s | passing, s | fewer switches, s | switches | "
        "root cause, s | orderings | paper's encoding, s | peak MB |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t events : kSizes)
      for (Shape shape : kShapes)
        if (events <= mostEvents) measure(shape, events, events >= 10'000);
    measureRaces();
    measureLimits();
  }

  std::string plot() const {
    std::vector<Series> all;
    for (Shape shape : kShapes) all.push_back({toText(shape), lines_.at(toText(shape))});
    all.push_back({"racy updates", lines_.at("racy updates")});
    all.push_back({"paper's encoding", lines_.at("paper"), true});
    all.push_back({"SimTrace, as published", {{1.2e6, 592}}, true});
    return timePlot(all);
  }

private:
  void measure(Shape shape, size_t events, bool hints) {
    const GeneratedTrace made = generate(
        {.shape = shape, .events = events, .workers = 3, .seed = 1, .timestamps = hints, .observed = false});
    ScheduleSolver solver(made.trace, kLimits);
    ScheduleAnswer failing, passing;
    const double failingSeconds = secondsOf([&] { failing = solver.failing(); });
    const double passingSeconds = secondsOf([&] { passing = solver.passing({}); });
    const EventOrder& schedule = failing.answer == Answer::sat ? failing.order : made.recorded;
    EventOrder reduced;
    const double reduceSeconds =
        secondsOf([&] { reduced = reduceContextSwitches(made.trace, schedule, kLimits); });
    solver.guideBy(reduced);
    RootCause cause;
    const double causeSeconds = secondsOf([&] { cause = findRootCause(made.trace, solver, reduced); });
    fmt::print("| {} | {} | {} | {:.0f} | {} | {} | {:.3f} | {} → {} | {:.3f} | {} {} | {} | {:.0f} |\n",
               toText(shape), made.trace.events.size(), hints ? "yes" : "no", evaluatedPerSecond(made) / 1e6,
               orGaveUp(failingSeconds, failing.answer), orGaveUp(passingSeconds, passing.answer), reduceSeconds,
               contextSwitches(made.trace, schedule), contextSwitches(made.trace, reduced), causeSeconds,
               cause.orders.size(), toText(cause.status), paperSeconds(made.trace), peakMegabytes());
    std::fflush(stdout);
    lines_[toText(shape)].emplace_back(double(made.trace.events.size()),
                                       failingSeconds + passingSeconds + reduceSeconds + causeSeconds);
  }

  std::string paperSeconds(const SymbolicTrace& trace) {
    if (trace.events.size() > kMostForPaper) return "–";
    ScheduleSolver paper(trace, {.limits = kPaperLimits, .encoding = Encoding::paper, .engines = Engines::solver});
    Answer answer = Answer::unknown;
    const double seconds = secondsOf([&] { answer = paper.failing().answer; });
    paper_[trace.events.size() / 100].emplace_back(double(trace.events.size()), seconds);
    return orGaveUp(seconds, answer);
  }

  // Every update matters and nothing orders them: read, add one, write, by two threads.
  void measureRaces() {
    fmt::print("\n| racy updates | events | final value | answer | s |\n|---|---|---|---|---|\n");
    for (size_t updates : {10, 20, 40, 80, 200})
      for (size_t final : {updates / 2, 2 * updates - 2}) {
        const SymbolicTrace trace = testing::lostUpdates(2, updates, uint32_t(final));
        ScheduleAnswer answer;
        const double seconds = secondsOf([&] { answer = ScheduleSolver(trace, kLimits).failing(); });
        fmt::print("| 2 × {} | {} | {} | {} | {} |\n", updates, trace.events.size(), final,
                   answer.answer == Answer::sat ? "found" : "–", orGaveUp(seconds, answer.answer));
        std::fflush(stdout);
        if (final != updates / 2) lines_["racy updates"].emplace_back(double(trace.events.size()), seconds);
      }
    std::vector<std::pair<double, double>>& paper = lines_["paper"];
    for (const auto& [size, points] : paper_) { // the median program of each size
      std::vector<std::pair<double, double>> sorted = points;
      std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      paper.push_back(sorted[sorted.size() / 2]);
    }
  }

  // A question without an answer: how soon after the limit does it end? By the clock.
  void measureLimits() {
    fmt::print("\n| no answer in | s asked for | s taken | peak MB |\n|---|---|---|---|\n");
    struct Hopeless {
      const char* name;
      size_t threads, updates;
      uint32_t final;
    };
    for (const Hopeless& one : {Hopeless{"2 × 60 updates, one too many", 2, 60, 121},
                                Hopeless{"6 × 20 updates, one too many", 6, 20, 121},
                                Hopeless{"4 × 2000 updates, one too many", 4, 2000, 8001}})
      for (double limit : {2.0, 10.0}) {
        const SymbolicTrace trace = testing::lostUpdates(one.threads, one.updates, one.final);
        const auto begin = std::chrono::steady_clock::now();
        ScheduleSolver(trace, SolverLimits{.seconds = limit, .memoryGb = 4}).failing();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        fmt::print("| {} | {:.0f} | {:.2f} | {:.0f} |\n", one.name, limit, seconds, peakMegabytes());
        std::fflush(stdout);
      }
  }

  std::map<std::string, std::vector<std::pair<double, double>>> lines_; // by program: events, seconds
  std::map<size_t, std::vector<std::pair<double, double>>> paper_;      // of its encoding, by hundreds of events
};

} // namespace
} // namespace symbiosis::bench

int main(int argc, char** argv) {
  symbiosis::bench::SolverBench bench;
  bench.run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000);
  if (argc > 2) std::ofstream(argv[2]) << bench.plot();
}
