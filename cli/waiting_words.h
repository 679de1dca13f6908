#pragma once
// Of a recorded run that ended in a deadlock or a hang: which thread waits where, for what, and who has it.
#include "trace/recording.h"
#include <string>
#include <vector>

namespace symbiosis {

struct WaitingWords {
  std::string failure;            // "deadlock: T1 and T2 wait for each other"; empty: the run did not end so
  std::vector<std::string> waits; // one for each thread that waits
};

WaitingWords waitingWords(const Recording& recording);

} // namespace symbiosis
