// `symbiosis dump`: any artefact as text.
#include "cli/command.h"
#include "cli/waiting_words.h"
#include "constraints/schedule_solver.h"
#include "support/files.h"
#include "symexec/path_decoder.h"
#include "symexec/symexec.h"
#include "trace/klee_export.h"
#include "trace/schedule.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace symbiosis {
namespace {

struct DumpOptions {
  std::string directory;
  bool trace = false;
  bool blocks = false;
  std::string smt2; // which formula
  std::string encoding = "order";
  bool kquery = false;
  std::string output, ktest; // files; empty: none
};

std::string opLine(const format::OpRecord& record, const PathDecoder& decoder) {
  const EventKind kind = EventKind(record.kind);
  std::string line = fmt::format("    {:<10} {:<28} path {}+{:#x}", toText(kind), decoder.placeOfSite(record.site),
                                 record.wordOffset / 8, record.word);
  if (record.object) line += fmt::format(" object {:#x}", record.object);
  if (kind == EventKind::fork || kind == EventKind::join) line += fmt::format(" thread #{}", record.argument);
  if (kind == EventKind::alloc || kind == EventKind::write) line += fmt::format(" size {}", record.argument);
  if (kind == EventKind::input) line += fmt::format(" value {}", record.argument);
  if (record.timed) line += " with a time limit";
  if (record.state == format::OpState::intent) line += " (not finished)";
  if (record.result) line += fmt::format(" result {}", record.result);
  return line + "\n";
}

// The numbers in the order of execution, then what each of them is.
Result<void> dumpBlocks(const PathDecoder& decoder, const ThreadLog& thread) {
  Result<DecodedPath> decoded = decoder.decode(thread);
  if (!decoded) return decoded.error();
  std::vector<uint32_t>& blocks = decoded->blocks;
  fmt::print("  decoded to the last bit: {} blocks\n  blocks: {}\n", blocks.size(), fmt::join(blocks, " "));
  for (const DecodedPath::Interruption& at : decoded->interruptions)
    fmt::print("    from the {}. on: a handler, when the thread was at path {}, bit {}\n", at.block + 1,
               at.position >> 6, at.position & 63);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (uint32_t number : blocks) fmt::print("    block {:<6} {}\n", number, decoder.placeOfBlock(number));
  return {};
}

Result<void> dumpRecording(const Recording& recording, bool blocks) {
  Result<PathDecoder> decoder = PathDecoder::open(recording);
  if (!decoder) return decoder.error();
  const RecordingInfo& info = recording.info;
  fmt::print("recording {} (version {})\n", recording.directory.string(), kRecordingVersion);
  fmt::print("  program  {}", info.program);
  for (const std::string& argument : info.arguments) fmt::print(" {}", argument);
  fmt::print("  (hash {})\n  created  {}, run {}\n  ended    {}\n  level    {}\n  logs     {} bytes\n",
             info.programHash, info.created, info.runs, toText(info.ending), format::levelName(info.level),
             info.logBytes);
  if (recording.failure)
    fmt::print("  failure  {}, thread #{}\n", toText(*recording.failure), recording.failure->serial);
  if (recording.forked) fmt::print("  forked   {} times; the children are not recorded\n", recording.forked);
  const WaitingWords waiting = waitingWords(recording);
  if (!waiting.failure.empty()) fmt::print("  failure  {}\n", waiting.failure);
  for (const std::string& wait : waiting.waits) fmt::print("    {}\n", wait);
  for (const ThreadLog& thread : recording.threads) {
    fmt::print("thread {} (#{})\n  path: {} words; values: {} bytes; operations: {}\n", thread.id, thread.serial,
               thread.path.size(), thread.values.size(), thread.ops.size());
    if (thread.valuesDropped) fmt::print("  values past the limit were dropped\n");
    for (const format::OpRecord& record : thread.ops) fmt::print("{}", opLine(record, *decoder));
    if (!blocks) continue;
    if (Result<void> done = dumpBlocks(*decoder, thread); !done) return done;
  }
  return {};
}

// The questions of §3.3 to §3.5 as SMT-LIB 2; those after the first need the schedules of a diagnosis.
Result<std::string> formula(const DumpOptions& options, const SymbolicTrace& trace, const Recording& recording) {
  SolverQuery query;
  query.encoding = options.encoding == "paper" ? Encoding::paper : Encoding::order;
  if (options.smt2 == "fail") return toSmtLib(trace, query);
  query.goal = Goal::passing;
  auto edgesOf = [&](const char* name) -> Result<std::vector<OrderEdge>> {
    const std::filesystem::path file = recording.directory / "report" / name;
    Result<std::string> text = readFile(file);
    if (!text)
      return badInput(
          fmt::format("{}: needed for --smt2 {}; run symbiosis diagnose first", file.string(), options.smt2));
    Result<Schedule> schedule = parseSchedule(*text, file.string());
    if (!schedule) return schedule.error();
    Result<EventOrder> order = toOrder(trace, *schedule);
    if (!order) return order.error();
    return candidateEdges(trace, *order);
  };
  Result<std::vector<OrderEdge>> edges =
      edgesOf(options.smt2 == "root" ? "failing.schedule" : "alternate.schedule");
  if (!edges) return edges.error();
  query.edges = std::move(*edges);
  return toSmtLib(trace, query);
}

// To the file, or to standard output.
Result<void> show(const std::string& text, const std::string& file) {
  if (!file.empty()) return writeFileAtomically(file, text);
  fmt::print("{}", text);
  return {};
}

Result<void> dump(const DumpOptions& options) {
  // A schedule is one file; everything else is a recording.
  if (std::filesystem::is_regular_file(options.directory)) {
    Result<std::string> text = readFile(options.directory);
    if (!text) return text.error();
    Result<Schedule> schedule = parseSchedule(*text, options.directory);
    if (!schedule) return schedule.error();
    return show(toText(*schedule), options.output);
  }
  Result<std::filesystem::path> directory = findRecording(options.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  const bool needsTrace = options.trace || !options.smt2.empty() || options.kquery || !options.ktest.empty();
  if (!needsTrace) return dumpRecording(*recording, options.blocks);
  Result<SymbolicTrace> trace = executeSymbolically(*recording);
  if (!trace) return trace.error();
  if (!options.smt2.empty() && trace->failure.kind == FailureKind::none)
    return badInput(fmt::format("{}: the recorded run passed, and the questions of --smt2 are about a failure; "
                                "--trace shows what it did",
                                recording->directory.string()));
  if (!options.smt2.empty()) {
    Result<std::string> text = formula(options, *trace, *recording);
    if (!text) return text.error();
    return show(*text, options.output);
  }
  if (!options.ktest.empty()) {
    std::vector<std::string> command{recording->info.program};
    command.insert(command.end(), recording->info.arguments.begin(), recording->info.arguments.end());
    if (Result<void> written = writeFileAtomically(options.ktest, toKtest(*trace, command)); !written)
      return written.error();
  }
  if (options.kquery) {
    const Result<std::string> text = toKQuery(*trace);
    return text ? show(*text, options.output) : text.error();
  }
  return options.trace ? show(toText(*trace), options.output) : Result<void>{};
}

} // namespace

void addDumpCommand(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<DumpOptions>();
  CLI::App* command = app.add_subcommand("dump", "Show a recording, its symbolic trace, or a schedule as text");
  command->add_option("DIR", options->directory, "Recording or schedule file (default: .symbiosis/latest)");
  command->add_flag("--trace", options->trace, "The symbolic trace: events, values, conditions");
  command->add_flag("--blocks", options->blocks, "Also the basic blocks that each thread executed");
  command
      ->add_flag("--smt2{fail}", options->smt2,
                 "A question to the solver as SMT-LIB 2. --smt2=fail: is there a failing schedule (the default); "
                 "--smt2=root: one that passes in the failing order (unsat); --smt2=alt: one that passes in the "
                 "alternate's order (sat)")
      ->check(CLI::IsMember({"fail", "root", "alt"}));
  command->add_option("--encoding", options->encoding, "Of --smt2: order or paper")
      ->capture_default_str()
      ->check(CLI::IsMember({"order", "paper"}));
  command->add_flag("--kquery", options->kquery,
                    "The path condition and the bug condition as KQuery, for KLEE's tools");
  command->add_option("--ktest", options->ktest, "Write the values that were read to this file, as KLEE's .ktest");
  command->add_option("-o,--output", options->output,
                      "Write --trace, --smt2, --kquery or a schedule to this file");
  command->callback([options, &exitCode] {
    Result<void> done = dump(*options);
    exitCode = done ? 0 : report(done.error());
  });
}

} // namespace symbiosis
