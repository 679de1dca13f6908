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

struct DecodedPath {
  std::vector<uint32_t> blocks; // by number in the snapshot, in the order of execution
  // Of each block, if wanted: where the path stood when it was entered. The index of a word and, in the lowest 6
  // bits, how many of its bits had been read.
  std::vector<uint64_t> positions;
  // In the path of handlers ("0.1.s"): each time that one came in between.
  struct Interruption {
    size_t block;      // in `blocks`: the first of this time
    uint64_t position; // of the interrupted thread's path
  };
  std::vector<Interruption> interruptions;
};

class PathDecoder {
public:
  static Result<PathDecoder> open(const Recording& recording);

  // Decodes to the last bit, or says where the log does not fit the program.
  Result<DecodedPath> decode(const ThreadLog& thread, bool wantsPositions = false) const;
  // "queue.c:19 push"; without debug information the function alone.
  std::string placeOfBlock(uint32_t number) const;
  // The call that leaves instrumented code there: "queue.c:19 push"; empty: there is none.
  std::string placeOfSite(uint32_t site) const;

private:
  explicit PathDecoder(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}
  std::shared_ptr<const Snapshot> snapshot_;
};

} // namespace symbiosis
