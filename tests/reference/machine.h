#pragma once
// A tiny program between two steps, and what a step does.
//
// Meaning of the operations, after POSIX.1-2017:
// - lock: blocks while anybody owns the mutex, the caller included (PTHREAD_MUTEX_NORMAL). To unlock a mutex that
//   the caller does not own is undefined, and so is to wait with it.
// - wait: releases the mutex and begins to wait in one step; after having been woken, acquires it in another step.
// - signal: wakes one of those who wait, whichever; nothing happens if nobody does. broadcast: all of them.
// - exit: that two threads call it at the same time is undefined (C11 7.22.4.4).
// - threads may end with mutexes locked; nobody gets them any more.
#include "tests/reference/interpreter.h"
#include <array>
#include <optional>

namespace symbiosis::reference {

enum class Phase : uint8_t { runs, waits, reacquires };

struct ThreadState {
  uint16_t at = 0; // the next op
  Phase phase = Phase::runs;
  std::array<int, kRegisters> registers{};
  std::vector<bool> path; // how its conditions and tries went, if paths are counted
  auto operator<=>(const ThreadState&) const = default;
};

constexpr int kNobody = -1;

struct State {
  std::vector<ThreadState> threads;
  std::vector<int> shared;
  std::vector<int> owners; // by mutex: thread or kNobody
  std::vector<unsigned> tokens;
  auto operator<=>(const State&) const = default;
};

class Machine {
public:
  Machine(const TinyProgram& program, const InterpreterOptions& options) : program_(program), options_(options) {}

  State begin() const;
  std::vector<Step> possible(const State& state) const;
  // An outcome: the step, which must be possible, ended the process.
  std::optional<Outcome> make(State& state, const Step& step) const;
  // Of a state in which nothing is possible any more.
  Outcome outcomeOf(const State& state) const;
  // How they went, up to the one that failed; empty if it did not come to them.
  std::vector<bool> finalChecks(const State& state) const;

private:
  const Op& next(const State& state, size_t thread) const {
    return program_.threads[thread][state.threads[thread].at];
  }
  bool allEnded(const State& state) const;
  void note(ThreadState& self, bool what) const;
  void runAlone(State& state, size_t thread) const;
  void addSteps(const State& state, uint8_t thread, std::vector<Step>& steps) const;
  std::vector<uint8_t> waitersOf(const State& state, uint8_t condition) const;
  std::optional<Outcome> perform(State& state, const Step& step) const;
  std::optional<Outcome> synchronise(State& state, const Step& step, const Op& op) const;
  const char* waitsIn(const State& state, size_t thread) const;

  const TinyProgram& program_;
  InterpreterOptions options_;
};

} // namespace symbiosis::reference
