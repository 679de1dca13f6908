#pragma once
// What one run shows of the program, if its every point was logged: which places threads contend at, which belong
// to one variable, who takes values from whom. Exploration learns from it where schedules differ at all.
//
// A *place* is a point in the program or an operation on a lock (format::placeOf), the same in every run. It is
// contended if there was something at which two threads met, one of them changing it. A *dataflow* is a place that
// wrote and one that read what was written; of locks and the like, one operation and the next on the same object.
#include "replay/controlled_run.h"
#include <set>

namespace symbiosis {

struct PlaceUse {
  bool reads = false, writes = false; // a sync operation does both
};

struct PlaceFlow {
  uint64_t from = 0, to = 0; // places; 0: as it was when the program began
  bool betweenThreads = false;
  auto operator<=>(const PlaceFlow&) const = default;
};

struct RunLessons {
  std::map<uint64_t, PlaceUse> contended;
  std::set<std::pair<uint64_t, uint64_t>> together;   // contended places at which the same was accessed
  std::set<PlaceFlow> flows;                          // into contended places
  std::set<std::pair<uint64_t, uint64_t>> neighbours; // contended places that a thread passed one after the other
  std::vector<format::ControlThread> threads;         // by serial; and of each …
  std::vector<std::map<uint64_t, uint64_t>> visits;   // … how often it passed each contended place, …
  std::vector<uint64_t> operations;                   // … and how many operations it made in all
};

// Nothing: not everything was logged.
std::optional<RunLessons> lessonsOf(const ControlReport& report);

// Whether threads of the run ever touched the same memory or lock.
bool threadsMet(const ControlReport& report);

} // namespace symbiosis
