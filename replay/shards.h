#pragma once
// Exploration on several machines that know nothing of each other: what each leaves behind, and what they have
// found together. A shard writes one file into its store when it is done; one that was killed writes none, and can
// be made again.
#include "replay/explore.h"
#include "replay/portfolio.h"

namespace symbiosis {

// "2/4", from 0; or "environment": from the variables of GoogleTest, Slurm or a CI system. Error: neither.
Result<Shard> parseShard(const std::string& text);

struct ShardFailure {
  uint64_t schedule = 0;
  std::string text;      // failureText
  std::string recording; // its directory, in the store
  bool operator==(const ShardFailure&) const = default;
};

// What a shard has done; the file `shard-<index>-of-<count>.json`.
struct ShardResult {
  std::vector<std::string> command;
  std::string strategies; // as the user named them
  uint64_t seed = 1;
  Shard shard;
  uint64_t schedules = 0; // of all shards, that were asked for
  uint64_t madeBelow = 0; // all of its schedules below this one were made
  ExploreCounts counts;
  std::vector<ShardFailure> failures; // by schedule
  std::set<PlaceFlow> dataflows;
  bool countsDataflows = false;
};

Result<void> saveShard(const ShardResult& result, const std::filesystem::path& store);
Result<ShardResult> readShard(const std::filesystem::path& file);

// A failure and the store that has its recording.
struct MergedFailure : ShardFailure {
  std::filesystem::path store;
  Shard shard;
};

struct MergedShards {
  ShardResult all; // its shard: how many there should be; counts, with each one's calibration, and dataflows
  std::vector<uint64_t> missing;       // shards, by index
  std::optional<MergedFailure> winner; // the lowest schedule that fails
  std::vector<MergedFailure> others;   // that fail in other ways
  std::vector<uint64_t> unmade;        // schedules below the winner, or all that were asked for, ascending
};

// `directories`: stores, or directories that have one. Error: there is no result, or they are not of one
// exploration. Of two results of one shard the one that has come further counts.
Result<MergedShards> mergeShards(const std::vector<std::filesystem::path>& directories);

} // namespace symbiosis
