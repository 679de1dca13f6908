// What control costs, how often our wrong programs fail by themselves, and how many schedules each strategy needs
// to make them fail; Markdown tables on standard output. `exploration_bench [SEEDS [NATIVE_RUNS [MOST
// [PROGRAM]]]]`.
#include "replay/explore.h"
#include "replay/guest_strategies.h"
#include "support/files.h"
#include "support/stopwatch.h"
#include "tests/support/program_text.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>

namespace symbiosis::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  uint64_t seeds = 20, nativeRuns = 1000, most = 1000; // schedules until a search gives up
  std::string program;                                 // only this one; empty: all
};

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "exploration_bench: {}\n", why);
  std::exit(1);
}

template <typename T> T orStop(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
}

class Programs {
public:
  Programs() : directory_(orStop(makeTemporaryDirectory(fs::temp_directory_path(), "symbiosis-bench-"))) {}
  Programs(const Programs&) = delete;
  ~Programs() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  fs::path compile(const fs::path& source) const {
    LaunchOptions compiler;
    compiler.program = SYMBIOSIS_BINARY;
    const fs::path program = directory_ / source.stem();
    compiler.arguments = {source.extension() == ".c" ? "cc" : "c++",
                          "-g",
                          "-O1",
                          source.string(),
                          "-o",
                          program.string(),
                          "-pthread"};
    if (std::optional<std::string> flags = testing::saidIn(orStop(readFile(source)), "flags"))
      compiler.arguments.push_back(*flags);
    if (orStop(launch(compiler)) != Ending{}) stop("cannot compile " + source.string());
    return program;
  }

private:
  fs::path directory_;
};

double cpuSecondsOfChildren() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Cost {
  double cpuSeconds = 0;
  uint64_t points = 0, switches = 0;
};

// The best of five.
Cost costOf(const fs::path& program, format::Strategy strategy, uint32_t meanRun, const std::string& times) {
  Cost best;
  for (int i = 0; i < 5; ++i) {
    ControlledRun run;
    run.launch.program = program;
    run.launch.arguments = {times};
    run.strategy = strategy;
    run.parameters.meanRun = meanRun;
    const double before = cpuSecondsOfChildren();
    const ControlReport report = orStop(runControlled(run));
    const Cost cost{cpuSecondsOfChildren() - before, report.points, report.switches};
    if (i == 0 || cost.cpuSeconds < best.cpuSeconds) best = cost;
  }
  return best;
}

void measureControl(const Programs& programs) {
  const fs::path program = programs.compile(SYMBIOSIS_SOURCE "/bench/exploration/points.c");
  const Cost start = costOf(program, format::Strategy::stay, 1, "1");
  fmt::print(
      "| schedule | points | switches | M points per CPU second | µs per switch |\n|---|---|---|---|---|\n");
  const Cost still = costOf(program, format::Strategy::stay, 1, "20000000");
  const double perPoint = (still.cpuSeconds - start.cpuSeconds) / double(still.points);
  auto row = [&](const char* name, const Cost& cost) {
    const double seconds = cost.cpuSeconds - start.cpuSeconds;
    const bool few = cost.switches < 100;
    fmt::print(
        "| {} | {} | {} | {:.1f} | {} |\n", name, cost.points, cost.switches, double(cost.points) / seconds / 1e6,
        few ? "–"
            : fmt::format("{:.2f}", (seconds - perPoint * double(cost.points)) / double(cost.switches) * 1e6));
  };
  row("one thread after the other", still);
  row("random, 4 % switches", costOf(program, format::Strategy::randomWalk, 12, "500000"));
  row("random, every point may switch", costOf(program, format::Strategy::randomWalk, 1, "100000"));
  std::fflush(stdout);
}

struct NativeRuns {
  uint64_t runs = 0, failures = 0;
};

// Programs that sleep or hang make fewer runs: nobody waits half an hour for a deadlock that always comes.
NativeRuns runNatively(const fs::path& program, uint64_t runs) {
  constexpr double kMostSeconds = 60;
  LaunchOptions options;
  options.program = program;
  options.quiet = true;
  options.timeoutSeconds = 2; // a deadlock
  NativeRuns made;
  for (const Stopwatch watch; made.runs < runs && watch.seconds() < kMostSeconds; ++made.runs)
    made.failures += orStop(launch(options)) != Ending{};
  return made;
}

// The median number of schedules to the first failure; of searches that found none, the most is counted.
std::string schedulesToFailure(const fs::path& program, const Strategies& strategies, const Options& bench) {
  std::vector<uint64_t> schedules;
  uint64_t missed = 0;
  for (uint64_t seed = 1; seed <= bench.seeds; ++seed) {
    ExploreOptions options;
    options.launch.program = program;
    options.launch.quiet = true;
    options.launch.timeoutSeconds = 20;
    options.runs = bench.most;
    GuestStrategies source(strategies, seed);
    const ExploreResult result = orStop(explore(options, source));
    missed += !result.failure;
    schedules.push_back(result.failure ? result.failure->run : bench.most);
  }
  std::sort(schedules.begin(), schedules.end());
  const std::string median = fmt::format("{}", schedules[schedules.size() / 2]);
  return missed ? fmt::format("{} ({} of {} found it)", median, bench.seeds - missed, bench.seeds)
                : fmt::format("{} (≤ {})", median, schedules.back());
}

void measureSearch(const Programs& programs, const Options& bench) {
  std::vector<fs::path> sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(SYMBIOSIS_SOURCE "/tests/programs/wrong"))
    if (bench.program.empty() || entry.path().stem() == bench.program) sources.push_back(entry.path());
  std::sort(sources.begin(), sources.end());
  std::vector<Strategies> columns;
  std::string names, line;
  for (format::Strategy strategy : portfolio()) {
    columns.push_back({strategy});
    names += fmt::format(" {} |", toText(strategy));
    line += "---|";
  }
  columns.push_back(portfolio());
  fmt::print("\n| program | native runs that fail |{} portfolio |\n|---|---|{}---|\n", names, line);
  std::vector<fs::path> compiled;
  for (const fs::path& source : sources) compiled.push_back(programs.compile(source));
  size_t hidden = 0;
  for (const fs::path& program : compiled) {
    const NativeRuns native = runNatively(program, bench.nativeRuns);
    hidden += native.failures == 0 && native.runs == bench.nativeRuns;
    fmt::print("| {} | {} of {}", program.filename().string(), native.failures, native.runs);
    for (const Strategies& strategies : columns)
      fmt::print(" | {}", schedulesToFailure(program, strategies, bench));
    fmt::print(" |\n");
    std::fflush(stdout);
  }
  fmt::print("\n{} of {} do not fail in {} native runs.\n", hidden, compiled.size(), bench.nativeRuns);
}

} // namespace
} // namespace symbiosis::bench

int main(int argc, char** argv) {
  using namespace symbiosis::bench;
  Options options;
  uint64_t* const fields[] = {&options.seeds, &options.nativeRuns, &options.most};
  for (int i = 1; i < argc && i <= 3; ++i) *fields[i - 1] = std::strtoull(argv[i], nullptr, 10);
  if (argc > 4) options.program = argv[4];
  const Programs programs;
  measureControl(programs);
  measureSearch(programs, options);
}
