#include "trace/recording.h"
#include "support/files.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <cxxabi.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;
using nlohmann::json;

static constexpr const char* kFormatName = "symbiosis-recording";
static constexpr const char* kAgain = "record again with: symbiosis profile -- PROGRAM";

bool hasPassed(const Recording& recording) {
  return !recording.failure && recording.info.ending == Ending{EndingKind::exited, recording.info.expectedExit};
}

std::string toText(const Ending& ending) {
  switch (ending.kind) {
  case EndingKind::exited: return fmt::format("exit status {}", ending.code);
  case EndingKind::signalled: return fmt::format("signal {} ({})", ending.code, ::strsignal(ending.code));
  case EndingKind::timedOut:
    return ending.code == Ending::kStandstill ? "every thread waits for another one" : "time-out";
  case EndingKind::deadlocked: return "deadlock";
  }
  return "?";
}

std::string exceptionText(const format::FailureRecord& failure) {
  int status = 0;
  char* name = abi::__cxa_demangle(failure.exceptionType, nullptr, nullptr, &status);
  std::string text = name ? name : failure.exceptionType;
  std::free(name);
  if (*failure.what) text += fmt::format(": {}", failure.what);
  return text;
}

static const char* misuseName(format::HeapMisuse misuse) {
  switch (misuse) {
  case format::HeapMisuse::none: break;
  case format::HeapMisuse::useAfterFree: return "use after free";
  case format::HeapMisuse::doubleFree: return "double free";
  case format::HeapMisuse::useAfterDestroy: return "use after destroy";
  case format::HeapMisuse::invalidFree: return "invalid free";
  }
  return "?";
}

std::string toText(const format::FailureRecord& failure) {
  if (failure.cause == format::FailureCause::assertion)
    return fmt::format("assertion \"{}\" failed at {}:{}", failure.expression,
                       fs::path(failure.file).filename().string(), failure.line);
  if (failure.misuse != format::HeapMisuse::none)
    return fmt::format("{} at address {:#x}", misuseName(failure.misuse), failure.address);
  if (*failure.exceptionType) return fmt::format("uncaught exception {}", exceptionText(failure));
  std::string text = toText(Ending{EndingKind::signalled, failure.signal});
  if (failure.signal == SIGTRAP) text += ", perhaps a failed check of GoogleTest,"; // replay/launch.cpp
  if (*failure.what) text += fmt::format(", \"{}\",", failure.what);
  const bool hasAddress = failure.signal == SIGSEGV || failure.signal == SIGBUS;
  if (hasAddress && failure.code > 0) text += fmt::format(" at address {:#x}", failure.address);
  return text;
}

void closeTexts(format::FailureRecord& failure) {
  for (auto [text, size] :
       std::initializer_list<std::pair<char*, size_t>>{{failure.expression, sizeof failure.expression},
                                                       {failure.file, sizeof failure.file},
                                                       {failure.function, sizeof failure.function},
                                                       {failure.exceptionType, sizeof failure.exceptionType},
                                                       {failure.what, sizeof failure.what}})
    text[size - 1] = 0;
}
static constexpr std::pair<EndingKind, const char*> kEndings[] = {{EndingKind::exited, "exited"},
                                                                  {EndingKind::signalled, "signalled"},
                                                                  {EndingKind::timedOut, "timed-out"},
                                                                  {EndingKind::deadlocked, "deadlocked"}};

static const char* kindName(EndingKind kind) {
  for (const auto& [known, name] : kEndings)
    if (known == kind) return name;
  return "?";
}

// --- writing ---

namespace {

// Of the record that begins there.
size_t slotBytes(const std::string& ops, size_t at) {
  const bool wide = at < ops.size() && format::hasArgument(uint8_t(ops[at]));
  return sizeof(format::OpSlot) * (wide ? 2 : 1);
}

// How much of `N.drained` counts, by what stands behind the buffer of `N.values`.
size_t drainedBytes(const fs::path& values) {
  constexpr size_t kAt = format::kValueBuffer + format::kValueSlack;
  Result<std::string> bytes = readFile(values);
  format::ValueTrailer trailer = {};
  if (bytes && bytes->size() >= kAt + sizeof trailer) std::memcpy(&trailer, bytes->data() + kAt, sizeof trailer);
  return trailer.drained;
}

// What the runtime mapped is longer than what it wrote: cut the logs at their first empty word or record.
std::string trimmedLog(const std::string& suffix, std::string bytes) {
  if (suffix == "path") {
    size_t end = 0;
    for (; end + 8 <= bytes.size(); end += 8) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + end, 8);
      if (word == 0) break;
    }
    bytes.resize(end);
  } else if (suffix == "ops") {
    size_t end = 0;
    while (end + slotBytes(bytes, end) <= bytes.size() && bytes[end] != 0) end += slotBytes(bytes, end);
    bytes.resize(end);
  } else if (suffix == "values") {
    bytes.resize(std::min<size_t>(bytes.size(), format::kValueBuffer + format::kValueSlack));
    while (!bytes.empty() && bytes.back() == 0) bytes.pop_back(); // zeros follow by definition
  }
  return bytes;
}

// One copy per content in `store`, linked into the recording where the file system can.
Result<void> keepProgram(const fs::path& executable, const std::string& hash, const fs::path& directory,
                         const fs::path& store) {
  std::error_code error;
  fs::create_directories(store, error);
  const fs::path kept = store / hash;
  if (!fs::exists(kept))
    if (Result<void> copied = copyFile(executable, kept); !copied) return copied;
  fs::create_hard_link(kept, directory / "program", error);
  return error ? copyFile(kept, directory / "program") : Result<void>();
}

template <typename Header> bool takeHeader(const std::string& bytes, const char (&magic)[8], Header& header) {
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.magic, magic, sizeof magic) == 0;
}

Result<format::Level> levelOfLogs(const fs::path& logs) {
  Result<std::string> bytes = readFile(logs / "process");
  if (!bytes) return bytes.error();
  format::ProcessHeader header;
  if (!takeHeader(*bytes, format::kProcessMagic, header))
    return badInput(fmt::format("{}: not a process log", (logs / "process").string()));
  return format::levelOf(header.mode);
}

json keepSources(const std::vector<std::string>& files, const fs::path& directory) {
  json kept = json::object();
  constexpr size_t kLargest = 4 << 20;
  for (const std::string& file : files) {
    Result<std::string> text = readFile(file);
    if (!text || text->size() > kLargest) continue;
    std::string name = fmt::format("sources/{}-{}", kept.size(), fs::path(file).filename().string());
    if (writeFileAtomically(directory / name, *text)) kept[file] = name;
  }
  return kept;
}

} // namespace

// Into `building`.
static Result<void> writeRecording(const NewRecording& recording, const fs::path& building,
                                   const fs::path& store) {
  std::error_code error;
  fs::create_directories(building / "sources", error);
  if (error) return badInput(fmt::format("{}: cannot create: {}", building.string(), error.message()));
  Result<std::string> hash = hashFile(recording.executable);
  if (!hash) return hash.error();
  if (Result<void> kept = keepProgram(recording.executable, *hash, building, store); !kept) return kept;

  Result<format::Level> level = levelOfLogs(recording.logs);
  if (!level) return level.error();
  json files = json::object();
  uint64_t logBytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(recording.logs, error)) {
    std::string name = entry.path().filename().string();
    Result<std::string> bytes = readFile(entry.path());
    if (!bytes) return bytes.error();
    const std::string suffix = name.substr(name.find('.') + 1);
    if (suffix == "drained") {
      const size_t counts = drainedBytes(fs::path(entry.path()).replace_extension("values"));
      bytes->resize(std::min(bytes->size(), counts));
    }
    std::string content = trimmedLog(suffix, std::move(*bytes));
    if (Result<void> written = writeFileAtomically(building / name, content); !written) return written;
    files[name] = {{"size", content.size()}, {"hash", contentHash(content)}};
    logBytes += content.size();
  }
  if (recording.info.standardInput) {
    const std::string& content = *recording.info.standardInput;
    if (Result<void> written = writeFileAtomically(building / "stdin", content); !written) return written;
    files["stdin"] = {{"size", content.size()}, {"hash", contentHash(content)}};
  }
  json sources = keepSources(recording.sourceFiles, building);
  const RecordingInfo& info = recording.info;
  json manifest = {
      {"format", kFormatName},
      {"version", kRecordingVersion},
      {"program", {{"path", info.program}, {"args", info.arguments}, {"hash", *hash}}},
      {"level", format::levelName(*level)},
      {"ending", {{"kind", kindName(info.ending.kind)}, {"code", info.ending.code}}},
      {"expectedExit", info.expectedExit},
      {"workingDirectory", info.workingDirectory},
      {"runs", info.runs},
      {"logBytes", logBytes},
      {"created", info.created},
      {"problem", info.problem},
      {"heldMegabytes", info.heldMegabytes},
      {"files", files},
      {"sources", sources},
  };
  // Names and arguments need not be UTF-8.
  std::string text = manifest.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  return writeFileAtomically(building / "manifest.json", text);
}

Result<void> saveRecording(const NewRecording& recording, const fs::path& directory, const fs::path& store) {
  std::error_code error;
  const fs::path building = directory.string() + ".partial";
  fs::remove_all(building, error);
  Result<void> written = writeRecording(recording, building, store);
  if (written) {
    fs::rename(building, directory, error);
    if (!error) return {};
    written = badInput(fmt::format("{}: cannot rename into place: {}", directory.string(), error.message()));
  }
  fs::remove_all(building, error); // a disk that is full should not become fuller
  return written;
}

// --- reading ---

Result<fs::path> findRecording(const std::string& directory) {
  fs::path path = directory.empty() ? fs::path(".symbiosis/latest") : fs::path(directory);
  if (fs::exists(path / "manifest.json")) return path;
  if (directory.empty())
    return badInput(
        "no recording here (.symbiosis/latest does not exist); make one with: symbiosis profile -- PROGRAM");
  return badInput(fmt::format("{}: not a recording (no manifest.json); {}", directory, kAgain));
}

namespace {

// `path`: of the same thread; `clock`: when it began.
format::OpRecord unpackOp(const format::OpSlot& slot, const std::vector<uint64_t>& path, uint64_t clock) {
  format::OpRecord record;
  record.kind = uint8_t(slot.head);
  const uint8_t flags = uint8_t(slot.head >> 8);
  record.state = format::OpState(flags & 3);
  record.coarse = flags & format::kOpCoarse;
  record.timed = flags & format::kOpTimed;
  record.object = slot.head >> 16;
  record.site = uint32_t(slot.where >> format::kOpBits) | uint32_t(slot.when >> format::kOpBits & 0xFF) << 16;
  const uint64_t index = (slot.where & format::kOpMask) >> 6, bits = slot.where & 63;
  record.wordOffset = index * 8;
  // The first bits of the word as it is now, behind the leading one.
  const uint64_t word = index < path.size() ? path[index] : 0;
  const unsigned has = word ? 63 - unsigned(__builtin_clzll(word)) : 0;
  record.word = has >= bits ? word >> (has - bits) : 0;
  const uint8_t result = uint8_t(slot.when >> 56);
  record.result = result == format::kMinusOne ? -1 : result;
  // The nearest time with these last bits.
  constexpr unsigned kRest = 64 - format::kOpBits;
  record.timestamp = clock + uint64_t(int64_t((slot.when - clock) << kRest) >> kRest);
  const bool marked = flags & format::kOpMarked;
  if (record.kind == uint8_t(EventKind::lock)) record.argument = marked;
  if (record.kind == uint8_t(EventKind::write)) record.channel = marked;
  if (record.kind == format::kPending) record.result = marked;
  record.moves = flags & format::kOpMoves && record.kind == uint8_t(EventKind::free);
  record.inLibrary =
      marked && (record.kind == uint8_t(EventKind::alloc) || record.kind == uint8_t(EventKind::free));
  return record;
}

std::vector<format::OpRecord> unpackOps(const std::string& bytes, const std::vector<uint64_t>& path,
                                        uint64_t clock) {
  std::vector<format::OpRecord> records;
  for (size_t at = 0; at + slotBytes(bytes, at) <= bytes.size(); at += slotBytes(bytes, at)) {
    format::OpSlot slot;
    std::memcpy(&slot, bytes.data() + at, sizeof slot);
    if (uint8_t(slot.head) == format::kSkip) continue;
    format::OpRecord record = unpackOp(slot, path, clock);
    if (format::hasArgument(record.kind)) {
      format::OpArgument argument;
      std::memcpy(&argument, bytes.data() + at + sizeof slot, sizeof argument);
      record.argument = record.kind == format::kPending ? argument.argument >> 8 : argument.argument;
    }
    clock = record.timestamp;
    records.push_back(record);
  }
  return records;
}

class Reader {
public:
  explicit Reader(fs::path directory) : directory_(std::move(directory)) {}

  Result<Recording> read() {
    recording_.directory = directory_;
    for (auto step : {&Reader::readManifest, &Reader::checkProgram, &Reader::readProcess, &Reader::readThreads,
                      &Reader::readFailure, &Reader::readGranted, &Reader::readInput, &Reader::readSources})
      if (Result<void> done = (this->*step)(); !done) return done.error();
    return std::move(recording_);
  }

private:
  Error wrong(const std::string& file, const std::string& what) const {
    return badInput(fmt::format("{}: {}; {}", (directory_ / file).string(), what, kAgain));
  }

  Result<void> readManifest() {
    Result<std::string> text = readFile(directory_ / "manifest.json");
    if (!text) return text.error();
    manifest_ = json::parse(*text, nullptr, false);
    if (manifest_.is_discarded()) return wrong("manifest.json", "not valid JSON (truncated or altered)");
    try {
      if (manifest_.at("format") != kFormatName) return wrong("manifest.json", "not a recording of symbiosis");
      if (int version = manifest_.at("version"); version != kRecordingVersion)
        return wrong("manifest.json", fmt::format("recording version {}, but this symbiosis reads version {}",
                                                  version, kRecordingVersion));
      RecordingInfo& info = recording_.info;
      info.program = manifest_.at("program").at("path");
      info.arguments = manifest_.at("program").at("args").get<std::vector<std::string>>();
      info.programHash = manifest_.at("program").at("hash");
      const std::string kind = manifest_.at("ending").at("kind");
      info.ending.kind = EndingKind::timedOut;
      for (const auto& [known, name] : kEndings)
        if (kind == name) info.ending.kind = known;
      info.ending.code = manifest_.at("ending").at("code");
      info.expectedExit = manifest_.at("expectedExit");
      info.workingDirectory = manifest_.at("workingDirectory");
      info.runs = manifest_.at("runs");
      info.logBytes = manifest_.at("logBytes");
      info.created = manifest_.at("created");
      info.problem = manifest_.at("problem");
      info.heldMegabytes = manifest_.value("heldMegabytes", 0u); // older ones held nothing back
    } catch (const json::exception& problem) {
      return wrong("manifest.json", fmt::format("a field is missing or of the wrong type ({})", problem.what()));
    }
    return {};
  }

  Result<void> checkProgram() {
    Result<std::string> hash = hashFile(recording_.program());
    if (!hash) return wrong("program", "the recording's own copy of the program is missing or unreadable");
    if (*hash != recording_.info.programHash)
      return wrong("program", "the recording's own copy of the program has been altered");
    return {};
  }

  // The file as the manifest describes it.
  Result<std::string> checked(const std::string& name) {
    const json& files = manifest_["files"];
    if (!files.is_object() || !files.contains(name)) return wrong(name, "not listed in the manifest");
    Result<std::string> bytes = readFile(directory_ / name);
    if (!bytes) return wrong(name, "missing or unreadable");
    const json& entry = files[name];
    if (!entry.is_object() || !entry.contains("size") || !entry.contains("hash") ||
        !entry["size"].is_number_unsigned() || !entry["hash"].is_string())
      return wrong("manifest.json", fmt::format("the entry of {} is malformed", name));
    if (bytes->size() < entry["size"].get<uint64_t>())
      return wrong(name, fmt::format("truncated: {} bytes of {}", bytes->size(), entry["size"].get<uint64_t>()));
    if (contentHash(*bytes) != entry["hash"].get<std::string>())
      return wrong(name, "altered: its contents do not match the manifest");
    return bytes;
  }

  Result<void> readProcess() {
    Result<std::string> bytes = checked("process");
    if (!bytes) return bytes.error();
    format::ProcessHeader header;
    if (!takeHeader(*bytes, format::kProcessMagic, header)) return wrong("process", "not a process log");
    if (header.version != format::kFormatVersion)
      return wrong("process", fmt::format("log version {}, but this symbiosis reads version {}", header.version,
                                          format::kFormatVersion));
    if (header.recordingFailed) {
      header.problem[sizeof header.problem - 1] = 0;
      return wrong("process", fmt::format("the recording is incomplete: {}", header.problem));
    }
    const uint64_t room = (bytes->size() - sizeof header) / 8;
    if (header.functions > room || header.globals > room - header.functions)
      return wrong("process", "the address table is shorter than it says");
    auto copyTable = [&](std::vector<uint64_t>& out, uint64_t first, uint64_t count) {
      out.resize(count);
      if (count) std::memcpy(out.data(), bytes->data() + sizeof header + first * 8, count * 8);
    };
    copyTable(recording_.functionAddresses, 0, header.functions);
    copyTable(recording_.globalAddresses, header.functions, header.globals);
    threadCount_ = header.threads;
    recording_.forked = header.forked;
    if (!format::records(header.mode) || header.mode > format::Mode::controlFull)
      return wrong("process", "its mode records nothing");
    recording_.info.level = format::levelOf(header.mode);
    return {};
  }

  Result<void> readThreads() {
    for (uint32_t serial = 0; serial < threadCount_; ++serial) {
      std::string prefix = std::to_string(serial);
      // A thread that was announced but never ran, or was killed while its logs were made, has not all its files.
      if (!hasBegun(prefix)) continue;
      Result<void> done = readThread(serial, prefix);
      if (!done) return done;
    }
    if (recording_.threads.empty()) return wrong("process", "no thread was recorded");
    return {};
  }

  bool hasBegun(const std::string& prefix) const {
    const json& files = manifest_["files"];
    if (!files.is_object()) return false;
    for (const char* suffix : {".thread", ".path", ".ops", ".values"})
      if (!files.contains(prefix + suffix)) return false;
    const json& ops = files[prefix + ".ops"];
    return !ops.is_object() || !ops.contains("size") || ops["size"] != 0;
  }

  static std::string childId(const std::string& parent, uint32_t ordinal) {
    return ordinal == format::kHandlerOrdinal ? parent + ".s" : fmt::format("{}.{}", parent, ordinal);
  }

  Result<void> readThread(uint32_t serial, const std::string& prefix) {
    ThreadLog log;
    Result<std::string> header = checked(prefix + ".thread");
    if (!header) return header.error();
    format::ThreadHeader thread;
    if (!takeHeader(*header, format::kThreadMagic, thread) || thread.version != format::kFormatVersion ||
        thread.serial != serial)
      return wrong(prefix + ".thread", "not a thread log of this version");
    log.serial = serial;
    log.parentSerial = thread.parentSerial;
    log.ordinal = thread.ordinal;
    log.id = "0";
    if (thread.parentSerial != serial)
      for (const ThreadLog& parent : recording_.threads)
        if (parent.serial == thread.parentSerial) log.id = childId(parent.id, thread.ordinal);
    if (thread.parentSerial != serial && log.id == "0")
      return wrong(prefix + ".thread", "its parent thread is not in the recording");
    Result<std::string> path = checked(prefix + ".path");
    if (!path) return path.error();
    log.path.resize(path->size() / 8);
    if (!log.path.empty()) std::memcpy(log.path.data(), path->data(), log.path.size() * 8);
    Result<std::string> ops = checked(prefix + ".ops");
    if (!ops) return ops.error();
    log.ops = unpackOps(*ops, log.path, thread.clock);
    if (!log.ops.empty() && log.ops.back().kind == format::kPending) {
      log.pending = log.ops.back();
      log.ops.pop_back();
    }
    if (manifest_["files"].contains(prefix + ".drained")) {
      Result<std::string> drained = checked(prefix + ".drained");
      if (!drained) return drained.error();
      log.values = std::move(*drained);
    }
    Result<std::string> values = checked(prefix + ".values");
    if (!values) return values.error();
    log.valuesDropped = manifest_["files"].contains(prefix + ".dropped");
    if (!log.valuesDropped) log.values += *values;
    recording_.threads.push_back(std::move(log));
    return {};
  }

  Result<void> readFailure() {
    if (!manifest_["files"].contains("failure")) return {};
    Result<std::string> bytes = checked("failure");
    if (!bytes) return bytes.error();
    format::FailureRecord record;
    if (!takeHeader(*bytes, format::kFailureMagic, record) || record.version != format::kFormatVersion)
      return wrong("failure", "not a failure record of this version");
    closeTexts(record);
    recording_.failure = record;
    return {};
  }

  Result<void> readGranted() {
    if (!manifest_["files"].contains("schedule")) return {};
    Result<std::string> bytes = checked("schedule");
    if (!bytes) return bytes.error();
    recording_.granted.resize(bytes->size() / sizeof(format::ControlEntry));
    if (!recording_.granted.empty())
      std::memcpy(recording_.granted.data(), bytes->data(),
                  recording_.granted.size() * sizeof recording_.granted[0]);
    return {};
  }

  Result<void> readInput() {
    if (!manifest_["files"].contains("stdin")) return {};
    Result<std::string> bytes = checked("stdin");
    if (!bytes) return bytes.error();
    recording_.info.standardInput = std::move(*bytes);
    return {};
  }

  Result<void> readSources() {
    if (!manifest_.contains("sources") || !manifest_["sources"].is_object()) return {};
    for (auto& [name, file] : manifest_["sources"].items())
      if (file.is_string())
        if (Result<std::string> text = readFile(directory_ / file.get<std::string>()))
          recording_.sources.add(name, *text);
    return {};
  }

  fs::path directory_;
  json manifest_;
  Recording recording_;
  uint32_t threadCount_ = 0;
};

} // namespace

Result<Recording> openRecording(const fs::path& directory) { return Reader(directory).read(); }

} // namespace symbiosis
