#pragma once
// What an instrumented process is told when it begins: a directory, named by an environment variable, with the
// file `config`; one that is controlled finds its orders beside it (controlled_run.cpp).
#include "support/result.h"
#include "trace/format.h"
#include <filesystem>
#include <string>
#include <utility>

namespace symbiosis {

struct SessionOrders {
  format::Mode mode = format::Mode::off;
  std::filesystem::path logs; // each process makes a directory of its own there
  uint64_t valueLimit = 0;    // bytes of values that a process may log; 0: any
};

// Writes `config` into the directory `session`.
Result<void> writeSession(const std::filesystem::path& session, const SessionOrders& orders);

// The environment variable that brings a process into the session.
std::pair<std::string, std::string> sessionVariable(const std::filesystem::path& session);

} // namespace symbiosis
