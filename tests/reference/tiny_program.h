#pragma once
// Tiny concurrent programs as data: two or three threads over a few shared integers, mutexes, condition variables
// and semaphores, in a text of one statement per line.
//
//   shared x=0 y=2          variables with their first values; an initial value of 0 may be left out
//   mutex m                 any number of names in one line
//   condition c
//   semaphore s=1
//   thread                  begins the statements of the next thread
//     r0 = x                reads; r0 to r3 are the thread's own
//     x = r0 + 1            writes a register plus a constant, either of which may be missing
//     r1 = r0 - 1           computes; nobody else sees it
//     r0 = add x 1          atomic: r0 gets the old value
//     r0 = exchange x 1     atomic: the same
//     r0 = replace x 0 1    atomic: if x is 0 it becomes 1 and r0 is 1, otherwise r0 is 0
//     lock m, unlock m, r0 = trylock m        of a try: 1 if it was had, otherwise 0
//     wait c m, signal c, broadcast c
//     post s, take s, r0 = trytake s
//     if r0 == 1 … else … end                 ==, !=, <, <=, >, >=
//     loop 3 … leave r0 != 0 … end            so often; `leave` ends the innermost loop if that holds
//     assert r0 < 2
//     exit 3                ends the process with this status
//   final x == 2            checked, in this order, when all threads have ended
//
// `#` begins a comment. Loops are unrolled when the text is read, so all jumps go forward and every run is finite.
// The text is the only thing that the reference interpreter and the executable have in common.
#include "support/result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis::reference {

inline constexpr size_t kRegisters = 4;
// Of each of them: variables, mutexes, condition variables, semaphores.
inline constexpr size_t kMostObjects = 4;
inline constexpr size_t kMostThreads = 3;

enum class OpKind : uint8_t {
  read,
  write,
  compute,
  add,
  exchange,
  replace,
  lock,
  unlock,
  tryLock,
  wait,
  signal,
  broadcast,
  post,
  take,
  tryTake,
  branch, // goes on behind itself if the condition holds, otherwise at `jump`
  jump,
  assertion,
  exit,
  end, // of the thread
};

enum class Comparison : uint8_t { equal, unequal, less, lessOrEqual, greater, greaterOrEqual };

// The value of a register, or 0, plus a constant.
struct Operand {
  int8_t from = -1; // register; -1: none
  int16_t constant = 0;
};

struct Op {
  OpKind kind = OpKind::end;
  uint8_t target = 0; // register: of what is read, computed or tried; the left side of a condition
  uint8_t object = 0; // number of the variable, mutex, condition variable or semaphore
  uint8_t mutex = 0;  // of a wait
  Comparison comparison = Comparison::equal;
  Operand operand; // what is written, added, compared with; of `replace`: what must be there; the exit status
  Operand second;  // of `replace`: what it becomes
  uint16_t jump = 0;
  uint16_t line = 0; // in the text, from 1
};

struct FinalCheck {
  uint8_t variable = 0;
  Comparison comparison = Comparison::equal;
  int16_t constant = 0;
  uint16_t line = 0;
};

struct TinyProgram {
  std::vector<std::string> variables;
  std::vector<int> initial; // by variable
  std::vector<std::string> mutexes, conditions, semaphores;
  std::vector<unsigned> tokens; // by semaphore
  std::vector<std::vector<Op>> threads;
  std::vector<FinalCheck> finals;
};

// Error: badInput, with the line.
Result<TinyProgram> parseTinyProgram(std::string_view text);

} // namespace symbiosis::reference
