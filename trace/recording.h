#pragma once
// A recording on disk: the logs of one process, the program that made them, the sources that it cites, and a
// manifest with the size and hash of every file, so that truncation and alteration are noticed. Reader and writer
// live in this one file's .cpp so that they cannot drift; docs/trace-format.md describes the bytes.
#include "support/result.h"
#include "trace/control_protocol.h"
#include "trace/source_files.h"
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace symbiosis {

inline constexpr int kRecordingVersion = 1;

enum class EndingKind {
  exited,
  signalled,
  timedOut,   // was killed because it took too long, or stood still
  deadlocked, // under control: nobody could go on
};

// How the recorded process ended.
struct Ending {
  EndingKind kind = EndingKind::exited;
  int code = 0;                         // exit status or signal number; timedOut: kStandstill, or 0
  static constexpr int kStandstill = 1; // every thread waited for another one
  bool operator==(const Ending&) const = default;
};
std::string toText(const Ending& ending); // "exit status 1", "signal 6 (Aborted)", "time-out", "deadlock"

// "assertion "x > 0" failed at queue.c:19", "SIGSEGV at address 0x8", "uncaught exception std::logic_error: what"
std::string toText(const format::FailureRecord& failure);
// "std::logic_error: what"
std::string exceptionText(const format::FailureRecord& failure);
// Makes sure that its texts end.
void closeTexts(format::FailureRecord& failure);

struct ThreadLog {
  uint32_t serial = 0, parentSerial = 0, ordinal = 0;
  // Hierarchical: "0", "0.1", "0.1.2"; "0.1.s": handlers of signals that came in the middle of 0.1's own code.
  std::string id;
  std::vector<uint64_t> path;
  std::vector<format::OpRecord> ops;
  std::optional<format::OpRecord> pending; // where it stood at the end, if that is known
  std::string values;                      // drained and buffered; zeros follow
  bool valuesDropped = false;              // past the limit: nothing is known of what follows `values`
};

struct RecordingInfo {
  std::string program; // as it was called
  std::vector<std::string> arguments;
  std::string programHash;
  format::Level level = format::Level::full; // taken from the logs
  Ending ending;
  int expectedExit = 0;
  std::string workingDirectory;             // in which it ran
  std::optional<std::string> standardInput; // what it was fed; nothing: /dev/null
  uint64_t runs = 1;                        // how many were made until this one failed
  uint64_t logBytes = 0;                    // of all logs
  uint32_t heldMegabytes = 0;               // of freed blocks that were held back at most; 0: they were not
  std::string problem; // what the controlling runtime said, a deadlock for example; empty: nothing
  std::string created; // UTC, ISO 8601
};

struct Recording {
  std::filesystem::path directory;
  RecordingInfo info;
  std::vector<uint64_t> functionAddresses, globalAddresses; // by number in the snapshot
  std::vector<ThreadLog> threads;                           // in order of creation; the main thread first
  std::optional<format::FailureRecord> failure;
  std::vector<format::ControlEntry> granted; // of a controlled run, in order; empty: the run was native
  uint32_t forked = 0;                       // children of the process, which are not recorded
  SourceFiles sources;
  std::filesystem::path program() const { return directory / "program"; }
};

// The run ended by itself, with the status that was expected of it.
bool hasPassed(const Recording& recording);

// Opens and checks everything; an error says what is wrong with which file and how to record again.
Result<Recording> openRecording(const std::filesystem::path& directory);

// The recording that DIR or, if empty, `.symbiosis/latest` names.
Result<std::filesystem::path> findRecording(const std::string& directory);

struct NewRecording {
  std::filesystem::path logs;           // what the runtime wrote
  std::filesystem::path executable;     // the program itself
  RecordingInfo info;                   // programHash and logBytes are filled in
  std::vector<std::string> sourceFiles; // as the debug information names them; unreadable ones are skipped
};
// Makes `directory` complete, or not at all. The executable is kept once per content in `store`.
Result<void> saveRecording(const NewRecording& recording, const std::filesystem::path& directory,
                           const std::filesystem::path& store);

} // namespace symbiosis
