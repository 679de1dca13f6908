#include "replay/session.h"
#include "support/files.h"
#include <cstring>
#include <fmt/format.h>

namespace symbiosis {

Result<void> writeSession(const std::filesystem::path& session, const SessionOrders& orders) {
  format::SessionConfig config = {};
  std::memcpy(config.magic, format::kConfigMagic, sizeof config.magic);
  config.version = format::kFormatVersion;
  config.mode = orders.mode;
  config.valueLimit = orders.valueLimit;
  const std::string logs = orders.logs.string();
  if (logs.size() >= sizeof config.logDirectory)
    return badInput(fmt::format("{}: the path is too long; work in, or set TMPDIR to, a shorter one", logs));
  logs.copy(config.logDirectory, logs.size());
  return writeFileAtomically(session / "config",
                             std::string_view(reinterpret_cast<const char*>(&config), sizeof config));
}

std::pair<std::string, std::string> sessionVariable(const std::filesystem::path& session) {
  return {format::kSessionVariable, session.string()};
}

} // namespace symbiosis
