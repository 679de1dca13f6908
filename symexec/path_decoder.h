#pragma once
// The blocks that the threads of a recording executed, decoded from their branch bits alone: what `dump` shows,
// and what tests compare with an independent log.
#include "support/result.h"
#include "trace/recording.h"
#include <memory>
#include <string>
#include <vector>

namespace symbiosis {

class Snapshot;

class PathDecoder {
public:
  static Result<PathDecoder> open(const Recording& recording);

  // By number in the snapshot. Decodes to the last bit, or says where the log does not fit the program.
  Result<std::vector<uint32_t>> blocks(const ThreadLog& thread) const;
  // "queue.c:19 push"; without debug information the function alone.
  std::string placeOfBlock(uint32_t number) const;
  // The call that leaves instrumented code there: "queue.c:19 push"; empty: there is none.
  std::string placeOfSite(uint32_t site) const;

private:
  explicit PathDecoder(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}
  std::shared_ptr<const Snapshot> snapshot_;
};

} // namespace symbiosis
