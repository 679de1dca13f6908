#pragma once
// Everything that a tiny program can do: the reference against which what the product says about programs is
// tested. Written from POSIX and C11 (sequentially consistent), with nothing of the product's own semantics.
#include "tests/reference/tiny_program.h"
#include <map>

namespace symbiosis::reference {

enum class OutcomeKind {
  ends,      // all threads have ended and all final checks hold; the text has the final state
  fails,     // an assertion or a final check
  exits,     // by an `exit`
  deadlock,  // nobody can go on
  undefined, // the program does what C or POSIX forbid, such as to unlock what it does not hold
};

// Two runs have the same outcome if and only if their texts are equal:
// "ends x=1 y=0", "fails at line 7", "exit 3", "deadlock: T1 lock, T2 wait", "undefined at line 4".
struct Outcome {
  OutcomeKind kind = OutcomeKind::ends;
  std::string text;
  auto operator<=>(const Outcome&) const = default;
};

inline constexpr uint8_t kNoWaiter = 0xff;

// One thread makes its next shared access or sync operation, and goes on to the one behind it.
struct Step {
  uint8_t thread = 0;         // from 0
  uint8_t waiter = kNoWaiter; // of a signal: the thread that it wakes, if any waits
  bool spurious = false;      // the thread leaves its wait though nobody has signalled
  auto operator<=>(const Step&) const = default;
};
using Steps = std::vector<Step>;

// "1 1 2 1>3 2": thread 1 twice, thread 2, thread 1 waking thread 3; "~2": thread 2 wakes by itself.
std::string toText(const Steps& steps);

struct InterpreterOptions {
  bool spuriousWakes = false; // may happen, and need not
  bool countPaths = false;
  uint64_t limit = 100'000; // interleavings
};

struct Possibilities {
  std::map<Outcome, Steps> outcomes; // each with one schedule that shows it
  uint64_t interleavings = 0;
  // If they were to be counted: in how many ways all conditions and tries of all threads together can go.
  uint64_t paths = 0;

  bool canPass() const;
  bool canFail() const; // or deadlock, or exit with a status
};

// Error: gaveUp, if there are more interleavings than the limit.
Result<Possibilities> interleave(const TinyProgram& program, const InterpreterOptions& options = {});

// Each of them by itself, without spurious wakes. Error: gaveUp, as above.
Result<std::vector<Steps>> allInterleavings(const TinyProgram& program, uint64_t limit);

// Error: badInput, if a step cannot be made or the run has not come to an end with the last one.
Result<Outcome> runAlong(const TinyProgram& program, const Steps& steps);

bool isPassing(const Outcome& outcome);

} // namespace symbiosis::reference
