#pragma once
// Why what is known of a path may not be all that its schedules can do: things that happen in it which no question
// covers. Each makes an answer about all schedules impossible.
#include "search/explored_path.h"

namespace symbiosis {

std::vector<std::string> limitsOfPath(const ExploredPath& path);

} // namespace symbiosis
