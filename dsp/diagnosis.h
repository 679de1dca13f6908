#pragma once
// The room `dsp`: from a failing schedule to its explanation: root cause (§3.4), alternate (§3.5), differential
// schedule projection (§3.6), classification. Algorithms over data; questions about schedules go to constraints/.
// It promises that everything in a Diagnosis has been evaluated, and says `proved` only where the solver did.
#include "constraints/schedule_solver.h"
#include "dsp/joined_runs.h"
#include "search/contrast.h"
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace symbiosis {

enum class ProofStatus {
  proved, // sufficient and irreducible, by the solver
  tested, // sufficient or irreducible only as far as was tried
  unknown,
};
const char* toText(ProofStatus status);

// A minimal set of orderings that, with the program's paths and synchronisation, forces the failure.
struct RootCause {
  std::vector<OrderEdge> orders;
  ProofStatus status = ProofStatus::unknown;
  std::string note; // why not `proved`; empty otherwise
};

enum class AlternateStatus {
  found,
  noneProved, // every schedule of this path fails, by the solver
  noneFound,  // no inversion passes and the search was not complete
  unknown,    // a limit was reached
};
const char* toText(AlternateStatus status);
enum class AlternateMethod { inversion, search };
const char* toText(AlternateMethod method);

struct Alternate {
  AlternateStatus status = AlternateStatus::unknown;
  AlternateMethod method = AlternateMethod::inversion;
  size_t pairsTried = 0;
  bool losesUpdate = false;          // passes with an update lost that the failing schedule keeps
  bool addressesMatter = false;      // none: with other addresses than the recorded ones some schedule may pass
  std::optional<OrderEdge> inverted; // inversion: the pair, in its failing order
  EventOrder order;                  // found: evaluated, outcome `passing`
  std::string note;
};

// A decision as it is shown: what was asked, and which way each run went.
struct ShownDecision {
  EventRef event = kNoEvent;      // the read that decides, or the operation whose outcome does
  uint32_t location = kNone;      // of the decision in the source
  std::string condition;          // "left > 0"; of an address: what is read, "head"
  std::string failing, alternate; // "1 -> yes", "0 -> no"
};

// Events of one thread that must not be interleaved with the intruders.
struct AtomicRegion {
  EventRef first = kNoEvent, last = kNoEvent; // of one thread, in program order
  std::vector<EventRef> intruders;            // stand between them in the failing schedule only
};

// The alternate is a run of its own, on another path. Index 0: the failing run; 1: the alternate.
struct OtherPath {
  SymbolicTrace runs[2];
  EventOrder orders[2]; // each in events of its own trace
  JoinedRuns joined;
  std::filesystem::path recording; // of the alternate
  ShownDecision decision;          // in events of the joined trace
  Contrast contrast;
  bool isDecisive = false; // the contrast is significant; otherwise it is a run that passes, and no more
  bool isDelayed = false;  // the failing run does not have what the alternate waited for
  // The decision is no branch: what it reads is written back, and another thread's write in between is lost. In
  // events of the joined trace.
  std::optional<AtomicRegion> lostUpdate;
};

// Value that flows from a write to a read through one cell.
struct Dataflow {
  EventRef from = kNoEvent; // kNoEvent: the initial value
  EventRef to = kNoEvent;   // a read; or, for a final value that differs, kNoEvent
  uint32_t cell = 0;
  uint64_t value = 0;
  unsigned width = 0; // bits
  bool operator==(const Dataflow&) const = default;
};

// What differs between the failing and the alternate schedule, and nothing else.
struct Dsp {
  std::vector<EventRef> failingEvents;      // the events shown, in failing order
  std::vector<EventRef> alternateEvents;    // the same events, in alternate order
  std::vector<Dataflow> failingDataflows;   // those that the alternate does not have
  std::vector<Dataflow> alternateDataflows; // those that the failing schedule does not have
  // Of a deadlock or hang: the wait that ends in the alternate; kNoEvent: there is none.
  EventRef proceeds = kNoEvent;
};

// Where the report shows the failure: where the trace says or, of a deadlock or hang, at the wait that ends in the
// alternate.
struct ShownFailure {
  EventRef event = kNoEvent; // kNoEvent: no event of its own
  uint32_t location = kNone;
};
ShownFailure shownFailure(const SymbolicTrace& trace, const Dsp& dsp);

enum class BugClass {
  atomicityViolation,
  lostUpdate,
  orderViolation,
  multiVariable, // several variables must change together
  deadlock,
  lostWakeup,   // a signal came before the wait that needed it
  hang,         // somebody waits for ever, and others do not
  checkThenAct, // what was tested has changed when it is acted upon
  ifForWhile,   // what was waited for is not tested again when the wait returns
  doubleClaim,  // two threads take the same thing
  stalePointer, // what a pointer names has changed
  testThenWait, // a flag is tested before a wait, and set in between
  other,
};
const char* toText(BugClass bugClass);

struct Classification {
  BugClass bugClass = BugClass::other;
  std::string variable; // the one that the sentence is about; may be empty
  std::string headline; // who saw what, who changed it, who fails; one sentence
  std::string hint;     // what to make atomic, or which must come first; one sentence
  std::optional<AtomicRegion> region;
};

struct Certificate {
  struct Failing {
    size_t runs = 0, reproduced = 0;
  } failing;
  // How the alternate goes on behind its last entry, which is for the program to say; of one on another path, its
  // replays.
  struct Passing {
    size_t runs = 0, passedFailurePoint = 0, completedOk = 0, failedLater = 0, diverged = 0;
  } alternate;
  // The first of these that came to a good end, from beginning to end as it was.
  struct Whole {
    size_t runs = 0, repeated = 0;
  } whole;
  std::string note; // why it is not complete; empty if it is
  bool complete() const {
    return failing.runs > 0 && failing.reproduced == failing.runs && whole.runs > 0 &&
           whole.repeated == whole.runs;
  }
  // The alternate gets past the check, or out of the wait, and fails all the same.
  bool neverEndsWell() const { return alternate.runs > 0 && alternate.completedOk == 0; }
};

// Every schedule of the recorded path fails: do other paths, with the same input, fail as well?
struct Confirmation {
  size_t runs = 0, failed = 0; // runs == 0: not asked
  size_t undecided = 0;        // ended by a limit
  size_t turned = 0;           // decisions of the failing path that were turned, and failed all the same
  std::string note;            // why it could not be asked
  bool alwaysFails() const { return runs > 0 && failed == runs; }
  size_t passed() const { return runs - failed - undecided; }
};

// What each stage took; one that was not computed took nothing.
struct StageSeconds {
  double symexec = 0, failing = 0, rootCause = 0, alternate = 0, csr = 0, replay = 0, total = 0;
  StageSeconds& operator+=(const StageSeconds& other);
};

struct DiagnosisStats {
  uint64_t recordedBytes = 0;
  size_t events = 0, sharedAccesses = 0;
  SolverStats solver;
  StageSeconds seconds;
};

struct ProgramInfo {
  std::string path;
  std::vector<std::string> args;
};

// Everything that the views show. Events are those of the SymbolicTrace beside it.
struct Diagnosis {
  ProgramInfo program;
  std::string recording; // directory, for the commands that the report prints
  EventOrder failing;    // after context-switch reduction: the one shown and certified
  size_t originalSwitches = 0, originalPreemptions = 0; // before the reduction
  RootCause rootCause;
  std::vector<RootCause> otherCauses; // --all-causes
  Alternate alternate;
  std::vector<Alternate> otherAlternates; // --all-alternates
  Dsp dsp;
  Classification classification;
  Certificate certificate;
  Confirmation confirmation; // where there is no alternate on the failing path
  std::shared_ptr<const OtherPath>
      otherPath; // the alternate is on another path; null: on the same, or there is none
  DiagnosisStats stats;
  std::vector<std::string> limits; // what the reader should know: unmodelled externals, assumptions
};

// --- the algorithms, one file each ---

RootCause findRootCause(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing);
// Up to `most` minimal causes, the simplest first; at least one.
struct RootCauses {
  std::vector<RootCause> causes;
  bool complete = true; // there are no others
};
RootCauses findRootCauses(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                          size_t most);

Alternate findAlternate(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                        const RootCause& rootCause);
// Up to `most` alternates in which the reads take their values from different writes, the nearest first; at least
// one, which may say that there is none. Only the first may come from a search.
std::vector<Alternate> findAlternates(const SymbolicTrace& trace, ScheduleSolver& solver,
                                      const EventOrder& failing, const RootCause& rootCause, size_t most);

// Every dataflow of a schedule, in the order of the reads.
std::vector<Dataflow> dataflows(const SymbolicTrace& trace, const EventOrder& order);
// `inverted`: the pair that was turned round, if there is one; its events are shown too.
Dsp project(const SymbolicTrace& trace, const EventOrder& failing, const EventOrder& alternate,
            const std::optional<OrderEdge>& inverted = {});
// The projection that fits how the trace ends and whether there is an alternate.
Dsp project(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
            const Alternate& alternate);
// Without an alternate: the events of the root cause and of the failing check, and where the check's values came
// from.
Dsp projectFailing(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause);
Classification classify(const SymbolicTrace& trace, const EventOrder& failing, const RootCause& rootCause,
                        const Alternate& alternate, const Dsp& dsp);

// What the reader of a diagnosis should know about its trace, a sentence each.
std::vector<std::string> limitsOf(const SymbolicTrace& trace);

} // namespace symbiosis
