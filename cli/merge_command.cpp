// `symbiosis merge`: what the shards of an exploration have found together.
#include "cli/command.h"
#include "replay/shards.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace symbiosis {

namespace {

// The first of them; the others are as many as they are.
std::string someOf(const std::vector<uint64_t>& numbers) {
  constexpr size_t kMost = 20;
  const std::vector<uint64_t> shown(numbers.begin(), numbers.begin() + ptrdiff_t(std::min(kMost, numbers.size())));
  const size_t rest = numbers.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), rest ? fmt::format(" and {} more", rest) : "");
}

void printFailure(const MergedFailure& failure, uint64_t seed) {
  const std::filesystem::path recording = failure.store / failure.recording;
  fmt::print("symbiosis: schedule {} of seed {} fails (shard {}/{}): {}\n", failure.schedule, seed,
             failure.shard.index, failure.shard.count, failure.text);
  fmt::print("  recorded in {}\n", recording.string());
}

Result<void> merge(const std::vector<std::filesystem::path>& directories) {
  const Result<MergedShards> merged = mergeShards(directories);
  if (!merged) return merged.error();
  const ShardResult& all = merged->all;
  const uint64_t there = all.shard.count - merged->missing.size();
  fmt::print("symbiosis: {} of {} shards, {} runs of seed {} ({}): {} finished, {} failed\n", there,
             all.shard.count, all.counts.runs, all.seed, all.strategies, all.counts.passed + all.counts.failed,
             all.counts.failed);
  if (all.countsDataflows) fmt::print("  {} different dataflows\n", all.dataflows.size());
  if (!merged->missing.empty()) fmt::print("  no result of shard {}\n", someOf(merged->missing));
  if (merged->winner) printFailure(*merged->winner, all.seed);
  for (const MergedFailure& other : merged->others) printFailure(other, all.seed);
  if (!merged->unmade.empty())
    fmt::print("  {} schedules {} were not made: {}\n", merged->unmade.size(),
               merged->winner ? "below it" : "that were asked for", someOf(merged->unmade));
  if (merged->winner) {
    fmt::print("symbiosis: next: symbiosis diagnose {}\n",
               (merged->winner->store / merged->winner->recording).string());
    return {};
  }
  if (!merged->unmade.empty() || all.counts.uncounted() > 0)
    return gaveUp(
        fmt::format("incomplete: no run is known to fail, but {} were not made and of {} nobody knows whether "
                    "they would have failed; make the shards that are missing again",
                    merged->unmade.size(), all.counts.uncounted()));
  return nothingFound(fmt::format("{} schedules, and none failed", all.schedules));
}

} // namespace

void addMergeCommand(CLI::App& app, int& exitCode) {
  auto directories = std::make_shared<std::vector<std::filesystem::path>>();
  CLI::App* command = app.add_subcommand(
      "merge",
      "Join what `symbiosis profile --shard i/n` has left on several machines: the lowest schedule that fails");
  command
      ->add_option("DIR", *directories,
                   "Directories with results of shards: .symbiosis, or where it is (default: .)")
      ->check(CLI::ExistingDirectory);
  command->callback([directories, &exitCode] {
    if (directories->empty()) directories->push_back(".");
    const Result<void> done = merge(*directories);
    exitCode = done ? 0 : report(done.error());
  });
}

} // namespace symbiosis
