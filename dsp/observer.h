#pragma once
// Who is told how far a diagnosis has come; the command line has the words for it.
#include <cstddef>

namespace symbiosis {

enum class Stage {
  symbolicTrace,
  failingSchedule,
  rootCause,
  alternate,
  simplerSchedule, // one that fails for one reason instead of several
  certificate,
  otherAlternate, // where none of the alternate's continuations ends well
  firstReplay,    // of a native run's failing schedule, once
  foundAgain,     // where a native run cannot be followed or repeated: its failure is looked for under control
  otherPath,      // where every schedule of the path fails: decisions are turned and run
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual void begins(Stage) {}
  // Some stages need not be computed: an earlier diagnosis of the recording has found their answers.
  virtual void goesOnFromSaved() {}
  // Before a stage that runs the program: along how many schedules, and how often in all.
  virtual void willRun(Stage, size_t /*schedules*/, size_t /*runs*/) {}
  virtual void runs(Stage, size_t /*run*/, size_t /*of*/) {}
};

} // namespace symbiosis
