// What control costs, how often our wrong programs fail by themselves, and how many schedules each strategy needs
// to make them fail; Markdown tables on standard output.
//   exploration_bench [SEEDS [NATIVE_RUNS [MOST [PROGRAM]]]]   our wrong programs; NATIVE_RUNS 0: none
//   exploration_bench family [SEEDS [MOST [PROGRAM]]]          a family made for this, in growing sizes
#include "replay/explore.h"
#include "replay/portfolio.h"
#include "support/files.h"
#include "support/stopwatch.h"
#include "tests/support/program_text.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
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
  // `define`: "NAME=VALUE"; empty: none.
  fs::path compile(const fs::path& source, const std::string& define = "") const {
    LaunchOptions compiler;
    compiler.program = SYMBIOSIS_BINARY;
    const fs::path program = directory_ / (source.stem().string() + (define.empty() ? "" : " " + define));
    compiler.arguments = {source.extension() == ".c" ? "cc" : "c++",
                          "-g",
                          "-O1",
                          source.string(),
                          "-o",
                          program.string(),
                          "-pthread"};
    if (!define.empty()) compiler.arguments.push_back("-D" + define);
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

// Of the searches of one strategy in one program, one for each seed.
struct Searches {
  std::vector<uint64_t> schedules; // to the first failure, ascending; of those that found none, the most
  uint64_t missed = 0;
  double mean() const {
    return std::accumulate(schedules.begin(), schedules.end(), 0.0) / double(schedules.size());
  }
  uint64_t median() const { return schedules[schedules.size() / 2]; }
};

Searches searchesIn(const fs::path& program, const Strategies& strategies, const Options& bench) {
  Searches result;
  for (uint64_t seed = 1; seed <= bench.seeds; ++seed) {
    ExploreOptions options;
    options.launch.program = program;
    options.launch.quiet = true;
    options.launch.timeoutSeconds = 20;
    options.runs = bench.most;
    Portfolio source(strategies, seed);
    const ExploreResult found = orStop(explore(options, source));
    result.missed += !found.failure;
    result.schedules.push_back(found.failure ? found.failure->run : bench.most);
  }
  std::sort(result.schedules.begin(), result.schedules.end());
  return result;
}

struct Column {
  std::string name;
  Strategies strategies;
};

std::vector<Column> columns() {
  std::vector<Column> result;
  for (format::Strategy strategy : allStrategies()) result.push_back({toText(strategy), {strategy}});
  result.push_back({"portfolio", allStrategies()});
  return result;
}

// Of all programs: what the portfolio took, as a multiple of what the best strategy did.
class AgainstBest {
public:
  void add(const std::vector<double>& schedules) { // of each strategy, the portfolio's last
    const double best = *std::min_element(schedules.begin(), schedules.end() - 1);
    ratios_.push_back(schedules.back() / best);
  }
  void print() const {
    double logarithms = 0;
    for (double ratio : ratios_) logarithms += std::log(ratio);
    fmt::print(
        "\nPortfolio against the best single strategy of each program: geometric mean {:.2f}, worst {:.1f}.\n",
        std::exp(logarithms / double(ratios_.size())), *std::max_element(ratios_.begin(), ratios_.end()));
  }

private:
  std::vector<double> ratios_;
};

void printHead(const std::string& first, const std::vector<Column>& all) {
  std::string names, line;
  for (const Column& column : all) {
    names += fmt::format(" {} |", column.name);
    line += "---|";
  }
  fmt::print("\n| {} |{}\n|{}|{}\n", first, names, first.find('|') == std::string::npos ? "---" : "---|---", line);
}

// Prints the cells of one program.
void measureProgram(const fs::path& program, const std::vector<Column>& all, const Options& bench,
                    AgainstBest& against) {
  std::vector<double> means;
  for (const Column& column : all) {
    const Searches searches = searchesIn(program, column.strategies, bench);
    means.push_back(searches.mean());
    fmt::print(" | {:.{}f}", searches.mean(), searches.mean() < 10 ? 1 : 0);
    if (searches.missed) fmt::print(" ({} of {})", bench.seeds - searches.missed, bench.seeds);
    std::fflush(stdout);
  }
  fmt::print(" |\n");
  against.add(means);
}

void measureSearch(const Programs& programs, const Options& bench) {
  std::vector<fs::path> sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(SYMBIOSIS_SOURCE "/tests/programs/wrong"))
    if (bench.program.empty() || entry.path().stem() == bench.program) sources.push_back(entry.path());
  std::sort(sources.begin(), sources.end());
  const std::vector<Column> all = columns();
  printHead("program | native runs that fail", all);
  size_t hidden = 0;
  AgainstBest against;
  for (const fs::path& source : sources) {
    const fs::path program = programs.compile(source);
    const NativeRuns native = runNatively(program, bench.nativeRuns);
    hidden += native.failures == 0 && native.runs == bench.nativeRuns;
    fmt::print("| {} | {} of {}", program.filename().string(), native.failures, native.runs);
    measureProgram(program, all, bench, against);
  }
  if (bench.nativeRuns)
    fmt::print("\n{} of {} do not fail in {} native runs.\n", hidden, sources.size(), bench.nativeRuns);
  against.print();
}

// Programs whose difficulty grows with a number.
struct Member {
  const char *source, *define;
};
constexpr Member kFamily[] = {
    {"setters.c", "SETTERS=3"},
    {"setters.c", "SETTERS=5"},
    {"setters.c", "SETTERS=10"},
    {"setters.c", "SETTERS=20"},
    {"setters.c", "SETTERS=50"},
    {"setters.c", "SETTERS=100"},
    {"two_stages.c", "STAGES=20"},
    {"two_stages.c", "STAGES=50"},
    {"two_stages.c", "STAGES=100"},
    {"stealing.cpp", ""},
    {"counted.c", ""},
    {"silent_use.c", ""},
    {"stack_aba.cpp", ""},
};

void measureFamily(const Programs& programs, const Options& bench) {
  const std::vector<Column> all = columns();
  printHead("program", all);
  AgainstBest against;
  for (const Member& member : kFamily) {
    const std::string name = member.source;
    if (!bench.program.empty() && name.find(bench.program) != 0) continue;
    const fs::path program = programs.compile(SYMBIOSIS_SOURCE "/bench/exploration/family/" + name, member.define);
    fmt::print("| {}", program.filename().string());
    measureProgram(program, all, bench, against);
  }
  against.print();
}

} // namespace
} // namespace symbiosis::bench

int main(int argc, char** argv) {
  using namespace symbiosis::bench;
  Options options;
  const bool isFamily = argc > 1 && std::string_view(argv[1]) == "family";
  std::vector<uint64_t*> fields = {&options.seeds, &options.nativeRuns, &options.most};
  if (isFamily) fields.erase(fields.begin() + 1);
  const int first = isFamily ? 2 : 1;
  for (int i = first; i < argc && size_t(i - first) < fields.size(); ++i)
    *fields[size_t(i - first)] = std::strtoull(argv[i], nullptr, 10);
  if (const int at = first + int(fields.size()); argc > at) options.program = argv[at];
  const Programs programs;
  if (isFamily) return measureFamily(programs, options), 0;
  measureControl(programs);
  measureSearch(programs, options);
}
