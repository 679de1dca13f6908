#pragma once
// What is asked of a path so that no path is missed. Some execution that nobody has seen follows explored paths
// for a while; then one thread decides otherwise than all of these. Take the explored path of the lowest number
// that the execution has followed so far: on that path there is a schedule in which
//   - this thread comes to this decision and decides otherwise,
//   - each other thread has come so far, counted in its deciding events,
// and no other explored path that agrees with all of this goes the way that the thread goes now. So one question
// for each decision, each other way that it can go and each progress of the others is enough, and all progresses
// that have not been dealt with are asked at once, as areas (open_areas.h). One question per decision is not
// enough: where the decision was turned with the others at one place, it may lead elsewhere with the others at
// another.
#include "constraints/schedule_solver.h"
#include "search/explored_path.h"
#include "search/open_areas.h"
#include "trace/cut.h"
#include <memory>

namespace symbiosis {

using ExploredPaths = std::vector<std::unique_ptr<ExploredPath>>;

// One other way that a decision of a path can go.
struct PathQuestion {
  ThreadIndex thread = 0;
  Decision decision;
  std::optional<uint32_t> outcome; // of an event that has several; nothing: a condition does not hold
};

// The decisions of a thread, latest first. Without `wakesAlone` nobody wakes up from a wait who was not signalled.
std::vector<PathQuestion> questionsOf(const ExploredPath& path, ThreadIndex thread, bool wakesAlone);

// Where the question has not been dealt with by the explored paths. Error gaveUp: a way that another path goes
// cannot be said in terms of this one.
Result<std::vector<OpenArea>> openAreas(ExploredPath& path, const PathQuestion& question, const ExploredPaths& all,
                                        Partings& partings);

struct PathAnswer {
  Answer answer = Answer::unknown;
  std::string reason;           // unknown
  Schedule prefix;              // sat: up to and with the decision
  std::vector<size_t> progress; // sat: by thread, of the others: deciding events in the prefix
};

PathAnswer ask(const ExploredPath& path, const PathQuestion& question, const OpenArea& area,
               const SolverLimits& limits);

// Whether `found`, which was sent along the answer's prefix, went where it was sent.
bool wentThere(const ExploredPath& path, const PathQuestion& question, const PathAnswer& answer,
               const ExploredPath& found);

} // namespace symbiosis
