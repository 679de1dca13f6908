// What recording costs: CPU time as a ratio to the same program built by plain clang -O2, for each level, beside
// ThreadSanitizer; and the size of the logs. Apart from that, what `--every-access` costs, and what the program
// costs that is not recorded at all. Markdown tables on standard output.
//   recording_bench [REPETITIONS [SOURCES]]
// SOURCES: what scripts/debian-sources made; without it the real programs are left out. Repetitions of all
// variants are interleaved, so that a change of the machine's load meets all of them; medians are shown.
#include "replay/record.h"
#include "replay/session.h"
#include "support/files.h"
#include "symexec/path_decoder.h"
#include "trace/recording.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <sys/resource.h>

namespace symbiosis::bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "recording_bench: {}\n", why);
  std::exit(1);
}

template <typename T> T orStop(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
}

double cpuSecondsOfChildren() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void shell(const std::string& command) {
  LaunchOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", command};
  options.quiet = true;
  options.timeoutSeconds = 1200;
  if (orStop(launch(options)) != Ending{}) stop("failed: " + command);
}

struct Build {
  const char* name;
  std::string cc, cxx;
};
const Build kBuilds[] = {
    {"plain", "clang-19", "clang++-19"},
    {"symbiosis", SYMBIOSIS_BINARY " cc", SYMBIOSIS_BINARY " c++"},
    {"tsan", "clang-19 -fsanitize=thread", "clang++-19 -fsanitize=thread"},
    {"every", SYMBIOSIS_BINARY " cc --every-access", SYMBIOSIS_BINARY " c++ --every-access"},
};

struct Program {
  std::string name;
  std::vector<std::string> arguments, smallArguments; // small: for decoding
  std::function<void(const Build&, const fs::path& out)> build;
};

class Scratch {
public:
  Scratch() : root(orStop(makeTemporaryDirectory(fs::temp_directory_path(), "symbiosis-bench-"))) {}
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  const fs::path root;
};

Program ownProgram(const char* file, const char* small) {
  const fs::path source = fs::path(SYMBIOSIS_SOURCE "/bench/recording") / file;
  return {source.stem().string(), {}, {small}, [source](const Build& build, const fs::path& out) {
            shell(fmt::format("{} -O2 '{}' -o '{}' -pthread", source.extension() == ".c" ? build.cc : build.cxx,
                              source.string(), out.string()));
          }};
}

// Compressing a text that is neither random nor trivial.
void writeText(const fs::path& file, size_t size) {
  std::string text;
  unsigned state = 7;
  while (text.size() < size) {
    state = state * 1664525u + 1013904223u;
    text += fmt::format("{} {:x}\n", state >> 20, state >> 26);
  }
  if (!writeFileAtomically(file, text)) stop("cannot write " + file.string());
}

std::vector<Program> realPrograms(const fs::path& sources, const fs::path& root) {
  writeText(root / "large.txt", 12'000'000);
  writeText(root / "small.txt", 300'000);
  auto compress = [&](const char* size) {
    return std::vector<std::string>{"-kcf", "-p2", (root / (std::string(size) + ".txt")).string()};
  };
  Program pbzip2{"pbzip2", compress("large"), compress("small"), [=](const Build& build, const fs::path& out) {
                   shell(
                       fmt::format("mkdir -p '{0}.d' && cd '{0}.d' && for f in blocksort bzlib compress "
                                   "crctable decompress huffman randtable; do {1} -O2 -w -c '{3}/bzip2/'$f.c || "
                                   "exit 1; done && ar rcs libbz2.a *.o && {2} -O2 -w -std=gnu++98 -I'{3}/bzip2' "
                                   "'{3}'/pbzip2/*.cpp libbz2.a -o '{0}' -pthread",
                                   out.string(), build.cc, build.cxx, sources.string()));
                 }};
  // gnulib of that age must be told which C library this is.
  Program lbzip2{"lbzip2",
                 {"-kcf", "-n2", compress("large")[2]},
                 {"-kcf", "-n2", compress("small")[2]},
                 [=](const Build& build, const fs::path& out) {
                   shell(fmt::format("cp -a '{}/lbzip2' '{}.d' && cd '{}.d' && ./configure CC='{}' CFLAGS='-O2 -w "
                                     "-D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100' && make && cp src/lbzip2 '{}'",
                                     sources.string(), out.string(), out.string(), build.cc, out.string()));
                 }};
  return {pbzip2, lbzip2};
}

// A session as `symbiosis profile` makes it.
fs::path makeSession(const fs::path& root, format::Level level) {
  const fs::path session = root / fmt::format("session-{}", format::levelName(level)), logs = session / "logs";
  fs::create_directories(logs);
  // The limit is the default of `symbiosis profile`.
  if (!writeSession(session, {format::recordingMode(level), logs, RecordOptions().valueLimit}))
    stop("cannot write the session");
  return session;
}

struct Measured {
  double cpuSeconds = 0;
  double valueBytes = 0;
};

// Runs with standard output thrown away; `session` empty: not recorded.
Measured runOnce(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& session) {
  LaunchOptions options;
  options.program = program;
  options.arguments = arguments;
  options.quiet = true;
  options.timeoutSeconds = 600;
  if (!session.empty()) options.environment = {sessionVariable(session)};
  const double before = cpuSecondsOfChildren();
  if (orStop(launch(options)) != Ending{}) stop(program.string() + " failed");
  Measured measured{cpuSecondsOfChildren() - before, 0};
  if (session.empty()) return measured;
  for (const fs::directory_entry& process : fs::directory_iterator(session / "logs"))
    for (const fs::directory_entry& entry : fs::directory_iterator(process))
      if (entry.path().extension() == ".drained") measured.valueBytes += double(entry.file_size());
  return measured;
}

void forgetLogs(const fs::path& session) {
  for (const fs::directory_entry& entry : fs::directory_iterator(session / "logs")) fs::remove_all(entry.path());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Of a short run: bytes of the path logs for each basic block that was executed.
double bytesPerBlock(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& session,
                     const fs::path& root) {
  runOnce(program, arguments, session);
  NewRecording made;
  made.logs = fs::directory_iterator(session / "logs")->path();
  made.executable = program;
  made.info.program = program.string();
  const fs::path kept = root / ("kept-" + program.filename().string());
  if (Result<void> saved = saveRecording(made, kept, root / "store"); !saved) stop(saved.error().message);
  forgetLogs(session);
  const Recording recording = orStop(openRecording(kept));
  const PathDecoder decoder = orStop(PathDecoder::open(recording));
  double bytes = 0, blocks = 0;
  for (const ThreadLog& thread : recording.threads) {
    bytes += double(thread.path.size() * 8);
    blocks += double(orStop(decoder.decode(thread)).blocks.size());
  }
  return bytes / blocks;
}

constexpr format::Level kLevels[] = {format::Level::path, format::Level::addresses, format::Level::full};

struct Row {
  std::vector<double> plain, tsan, levels[3];
  std::vector<double> variants[3]; // kVariants
  double valueBytes[3] = {};
  double perBlock = 0;
};

// What is measured beside the levels: a build, recorded in full or not at all.
struct Variant {
  const char* name;
  const Build& build;
  bool isRecorded;
};
const Variant kVariants[] = {{"not recorded", kBuilds[1], false},
                             {"every access, not recorded", kBuilds[3], false},
                             {"every access, full", kBuilds[3], true}};

double geometricMean(const std::vector<double>& column) {
  double sum = 0;
  for (double ratio : column) sum += std::log(ratio);
  return std::exp(sum / double(column.size()));
}
double worst(const std::vector<double>& column) { return *std::max_element(column.begin(), column.end()); }

void printVariants(const std::vector<Program>& programs, const std::vector<Row>& rows) {
  std::vector<double> ratios[std::size(kVariants)];
  fmt::print("\n| program |");
  for (const Variant& variant : kVariants) fmt::print(" {} |", variant.name);
  fmt::print("\n|---|---|---|---|\n");
  for (size_t i = 0; i < programs.size(); ++i) {
    fmt::print("| {} |", programs[i].name);
    for (size_t v = 0; v < std::size(kVariants); ++v) {
      ratios[v].push_back(median(rows[i].variants[v]) / median(rows[i].plain));
      fmt::print(" {:.2f} |", ratios[v].back());
    }
    fmt::print("\n");
  }
  fmt::print("| **geometric mean** |");
  for (const std::vector<double>& column : ratios) fmt::print(" {:.2f} |", geometricMean(column));
  fmt::print("\n| **worst** |");
  for (const std::vector<double>& column : ratios) fmt::print(" {:.2f} |", worst(column));
  fmt::print("\n");
}

void print(const std::vector<Program>& programs, const std::vector<Row>& rows) {
  fmt::print(
      "| program | plain, CPU s | path | addresses | full | ThreadSanitizer | path, B/block | values, MB per "
      "CPU s: addresses | full |\n|---|---|---|---|---|---|---|---|---|\n");
  std::vector<double> ratios[4];
  for (size_t i = 0; i < programs.size(); ++i) {
    const Row& row = rows[i];
    const double plain = median(row.plain);
    for (int l = 0; l < 3; ++l) ratios[l].push_back(median(row.levels[l]) / plain);
    ratios[3].push_back(median(row.tsan) / plain);
    fmt::print("| {} | {:.2f} |", programs[i].name, plain);
    for (const std::vector<double>& column : ratios) fmt::print(" {:.2f} |", column.back());
    fmt::print(" {:.3f} | {:.0f} | {:.0f} |\n", row.perBlock, row.valueBytes[1] / plain / 1e6,
               row.valueBytes[2] / plain / 1e6);
  }
  auto line = [&](const char* name, auto&& combine) {
    fmt::print("| {} | |", name);
    for (const std::vector<double>& column : ratios) fmt::print(" {:.2f} |", combine(column));
    fmt::print(" | | |\n");
  };
  line("**geometric mean**", geometricMean);
  line("**worst**", worst);
}

void measure(size_t repetitions, const fs::path& sources) {
  const Scratch scratch;
  std::vector<Program> programs = {
      ownProgram("hashmap.c", "20000"),          ownProgram("quicksort.c", "100000"),
      ownProgram("producer_consumer.c", "2000"), ownProgram("matrix.c", "60"),
      ownProgram("words.cpp", "200000"),         ownProgram("counters.cpp", "200000")};
  if (!sources.empty())
    for (Program& program : realPrograms(fs::canonical(sources), scratch.root))
      programs.push_back(std::move(program));
  auto built = [&](const Program& program, const Build& build) {
    return scratch.root / fmt::format("{}-{}", program.name, build.name);
  };
  for (const Program& program : programs)
    for (const Build& build : kBuilds) program.build(build, built(program, build));
  fs::path sessions[3];
  for (int l = 0; l < 3; ++l) sessions[l] = makeSession(scratch.root, kLevels[l]);
  std::vector<Row> rows(programs.size());
  for (size_t repetition = 0; repetition < repetitions; ++repetition)
    for (size_t i = 0; i < programs.size(); ++i) {
      const Program& program = programs[i];
      rows[i].plain.push_back(runOnce(built(program, kBuilds[0]), program.arguments, {}).cpuSeconds);
      for (int l = 0; l < 3; ++l) {
        const Measured measured = runOnce(built(program, kBuilds[1]), program.arguments, sessions[l]);
        rows[i].levels[l].push_back(measured.cpuSeconds);
        rows[i].valueBytes[l] = measured.valueBytes;
        forgetLogs(sessions[l]);
      }
      rows[i].tsan.push_back(runOnce(built(program, kBuilds[2]), program.arguments, {}).cpuSeconds);
      for (size_t v = 0; v < std::size(kVariants); ++v) {
        const fs::path session = kVariants[v].isRecorded ? sessions[2] : fs::path();
        rows[i].variants[v].push_back(
            runOnce(built(program, kVariants[v].build), program.arguments, session).cpuSeconds);
        if (kVariants[v].isRecorded) forgetLogs(session);
      }
    }
  for (size_t i = 0; i < programs.size(); ++i)
    rows[i].perBlock =
        bytesPerBlock(built(programs[i], kBuilds[1]), programs[i].smallArguments, sessions[0], scratch.root);
  print(programs, rows);
  printVariants(programs, rows);
}

} // namespace
} // namespace symbiosis::bench

int main(int argc, char** argv) {
  const size_t repetitions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 7;
  symbiosis::bench::measure(std::max<size_t>(repetitions, 1), argc > 2 ? argv[2] : "");
}
