#pragma once
// Random tiny traces of programs that mean well: variables belong to a lock, sections check and later sections
// act, waits stand in loops. What goes wrong in them goes wrong between critical sections, or at the one access
// that forgot the lock; so a search that takes a section for harmless misses it.
#include "trace/symbolic_trace.h"
#include <ostream>
#include <random>

namespace symbiosis::testing {

enum class Discipline {
  guarded,           // one mutex for each variable
  checkThenAct,      // a section reads and tests, a later one writes
  nested,            // a lock inside another, not always in the same order
  severalVariables,  // under one mutex
  conditionVariable, // with `while` and with `if`
  readerWriter,
  semaphore, // as a lock and as a signal, besides mutexes
  mixed,     // all of these in one trace
};
inline constexpr Discipline kDisciplines[] = {
    Discipline::guarded,           Discipline::checkThenAct, Discipline::nested,    Discipline::severalVariables,
    Discipline::conditionVariable, Discipline::readerWriter, Discipline::semaphore, Discipline::mixed};
const char* toText(Discipline discipline);
inline void PrintTo(Discipline discipline, std::ostream* out) { *out << toText(discipline); }

SymbolicTrace disciplinedTrace(std::mt19937& random, Discipline discipline);

} // namespace symbiosis::testing
