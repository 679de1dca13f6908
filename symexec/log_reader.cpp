#include "symexec/log_reader.h"
#include "symexec/walk_context.h"
#include <cstring>
#include <fmt/format.h>

namespace symbiosis {

const uint8_t* LogReader::takeValues(uint64_t size) {
  const size_t at = nextValue_;
  nextValue_ += size;
  if (nextValue_ <= log_.values.size()) return reinterpret_cast<const uint8_t*>(log_.values.data()) + at;
  if (log_.valuesDropped)
    throw NotRecorded(fmt::format("thread {}: its values past the limit were dropped; profile again with a larger "
                                  "--value-limit, or at a lower level (--record)",
                                  log_.id));
  // Zeros follow the last byte that is not zero.
  pastEnd_.assign(size, 0);
  if (at < log_.values.size()) log_.values.copy(pastEnd_.data(), log_.values.size() - at, at);
  return reinterpret_cast<const uint8_t*>(pastEnd_.data());
}

void LogReader::takeScalars(TypeLayouts& layouts, llvm::Type* type, Scalar* out) {
  const uint8_t* bytes = takeValues(layouts.storeSize(type));
  for (const ScalarLayout& scalar : layouts.of(type)) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + scalar.offset, scalar.bytes);
    *out++ = {.bits = bits & maskOf(scalar.bits)};
  }
}

uint64_t LogReader::latestNow() const {
  for (size_t at = next_; at < log_.ops.size(); ++at)
    if (!log_.ops[at].coarse) return log_.ops[at].timestamp;
  return ~uint64_t{0};
}

bool LogReader::waitsIn(const Step& call) const {
  return path.atEnd() && !hasOperation() && log_.pending && log_.pending->result && log_.pending->site == call.site;
}

bool LogReader::mayNotHaveReturned(const Step& call) const {
  return waitsIn(call) || (path.atEnd() && !hasOperation() && !reached(points));
}

} // namespace symbiosis
