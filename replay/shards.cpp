#include "replay/shards.h"
#include "support/files.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace symbiosis {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kSchema = "symbiosis-shard/1";
constexpr const char* kStore = ".symbiosis";

std::optional<uint64_t> numberIn(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<uint64_t> numberOf(const char* variable) {
  const char* text = ::getenv(variable);
  return text ? numberIn(text) : std::nullopt;
}

// The variables of one system; those of Slurm and of CI systems do not count from 0.
struct ShardVariables {
  const char *index, *count, *first; // first: the variable that says where counting begins; null: see `begin`
  uint64_t begin;
};
constexpr ShardVariables kSystems[] = {
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", nullptr, 0},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", 0},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, 1},
};

Result<Shard> shardOfEnvironment() {
  for (const ShardVariables& system : kSystems) {
    const std::optional<uint64_t> index = numberOf(system.index), count = numberOf(system.count);
    if (!index || !count) continue;
    const uint64_t first = system.first ? numberOf(system.first).value_or(system.begin) : system.begin;
    if (*index < first || *index - first >= *count)
      return badInput(fmt::format("{}={} is not one of {}={}", system.index, *index, system.count, *count));
    return Shard{*index - first, *count};
  }
  return badInput(
      "--shard environment: none of GTEST_SHARD_INDEX with GTEST_TOTAL_SHARDS, SLURM_ARRAY_TASK_ID with "
      "SLURM_ARRAY_TASK_COUNT, CI_NODE_INDEX with CI_NODE_TOTAL is set");
}

fs::path fileOf(const Shard& shard) { return fmt::format("shard-{}-of-{}.json", shard.index, shard.count); }

json jsonOf(const ExploreCounts& counts) {
  return {{"runs", counts.runs},         {"passed", counts.passed},        {"failed", counts.failed},
          {"limited", counts.limited},   {"stuck", counts.stuck},          {"gaveUp", counts.gaveUp},
          {"diverged", counts.diverged}, {"unrepeated", counts.unrepeated}};
}

ExploreCounts countsOf(const json& from) {
  ExploreCounts counts;
  counts.runs = from.at("runs");
  counts.passed = from.at("passed");
  counts.failed = from.at("failed");
  counts.limited = from.at("limited");
  counts.stuck = from.at("stuck");
  counts.gaveUp = from.at("gaveUp");
  counts.diverged = from.at("diverged");
  counts.unrepeated = from.at("unrepeated");
  return counts;
}

ShardResult shardOf(const json& from) {
  ShardResult result;
  result.command = from.at("command").get<std::vector<std::string>>();
  result.strategies = from.at("strategies");
  result.seed = from.at("seed");
  result.shard = {from.at("shard"), from.at("shards")};
  result.schedules = from.at("schedules");
  result.madeBelow = from.at("madeBelow");
  result.counts = countsOf(from.at("counts"));
  for (const json& failure : from.at("failures"))
    result.failures.push_back({failure.at("schedule"), failure.at("text"), failure.at("recording")});
  result.countsDataflows = from.at("countsDataflows");
  for (const json& flow : from.at("dataflows"))
    result.dataflows.insert({flow.at(0), flow.at(1), flow.at(2).get<bool>()});
  return result;
}

// Its files, in the store or in the directory that has it.
std::vector<fs::path> filesIn(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::path& place : {directory, directory / kStore})
    for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("shard-") && name.ends_with(".json")) files.push_back(entry.path());
    }
  std::sort(files.begin(), files.end());
  return files;
}

struct Found {
  ShardResult result;
  fs::path file;
};

bool areOneExploration(const ShardResult& a, const ShardResult& b) {
  return a.command == b.command && a.strategies == b.strategies && a.seed == b.seed &&
         a.shard.count == b.shard.count && a.schedules == b.schedules;
}

Result<std::map<uint64_t, Found>> readAll(const std::vector<fs::path>& directories) {
  std::map<uint64_t, Found> shards; // by index
  std::optional<Found> first;
  for (const fs::path& directory : directories) {
    const std::vector<fs::path> files = filesIn(directory);
    if (files.empty())
      return badInput(
          fmt::format("{}: no result of a shard there (shard-<i>-of-<n>.json, or {} with it); make one "
                      "with: symbiosis profile --shard i/n",
                      directory.string(), kStore));
    for (const fs::path& file : files) {
      Result<ShardResult> result = readShard(file);
      if (!result) return result.error();
      Found found{std::move(*result), file};
      if (!first) first = found;
      if (!areOneExploration(first->result, found.result))
        return badInput(
            fmt::format("{} and {} are not of one exploration: program, arguments, --schedule, --seed, "
                        "--runs and the number of shards must be the same",
                        first->file.string(), file.string()));
      auto [known, isNew] = shards.try_emplace(found.result.shard.index, found);
      if (!isNew && found.result.madeBelow > known->second.result.madeBelow) known->second = std::move(found);
    }
  }
  return shards;
}

void addTo(ExploreCounts& all, const ExploreCounts& more) {
  all.runs += more.runs;
  all.passed += more.passed;
  all.failed += more.failed;
  all.limited += more.limited;
  all.stuck += more.stuck;
  all.gaveUp += more.gaveUp;
  all.diverged += more.diverged;
  all.unrepeated += more.unrepeated;
}

// By schedule; of failures that are alike the lowest.
void collectFailures(MergedShards& merged, const std::map<uint64_t, Found>& shards) {
  std::vector<MergedFailure> all;
  for (const auto& [index, found] : shards)
    for (const ShardFailure& failure : found.result.failures)
      all.push_back({failure, found.file.parent_path(), found.result.shard});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.schedule < b.schedule; });
  std::set<std::string> texts;
  for (MergedFailure& failure : all) {
    if (!texts.insert(failure.text).second) continue;
    if (!merged.winner)
      merged.winner = std::move(failure);
    else
      merged.others.push_back(std::move(failure));
  }
}

} // namespace

Result<Shard> parseShard(const std::string& text) {
  if (text == "environment") return shardOfEnvironment();
  const std::string_view all = text;
  const size_t slash = std::min(all.find('/'), all.size());
  const uint64_t index = numberIn(all.substr(0, slash)).value_or(0);
  const uint64_t count = numberIn(all.substr(std::min(slash + 1, all.size()))).value_or(0);
  if (!numberIn(all.substr(0, slash)) || index >= count)
    return badInput(fmt::format("--shard {}: not a shard; the first of four is 0/4, the last 3/4", text));
  return Shard{index, count};
}

Result<void> saveShard(const ShardResult& result, const fs::path& store) {
  json failures = json::array(), flows = json::array();
  for (const ShardFailure& failure : result.failures)
    failures.push_back({{"schedule", failure.schedule}, {"text", failure.text}, {"recording", failure.recording}});
  for (const PlaceFlow& flow : result.dataflows) flows.push_back({flow.from, flow.to, flow.betweenThreads});
  const json out = {{"schema", kSchema},
                    {"command", result.command},
                    {"strategies", result.strategies},
                    {"seed", result.seed},
                    {"shard", result.shard.index},
                    {"shards", result.shard.count},
                    {"schedules", result.schedules},
                    {"madeBelow", result.madeBelow},
                    {"counts", jsonOf(result.counts)},
                    {"failures", failures},
                    {"countsDataflows", result.countsDataflows},
                    {"dataflows", flows}};
  std::error_code error;
  fs::create_directories(store, error);
  return writeFileAtomically(store / fileOf(result.shard), out.dump(1) + "\n");
}

Result<ShardResult> readShard(const fs::path& file) {
  Result<std::string> text = readFile(file);
  if (!text) return text.error();
  const json parsed = json::parse(*text, nullptr, false);
  if (!parsed.is_object()) return badInput(fmt::format("{}: not the result of a shard", file.string()));
  if (parsed.value("schema", json()) != kSchema)
    return badInput(fmt::format("{}: made by another version of symbiosis ({} expected)", file.string(), kSchema));
  try {
    ShardResult result = shardOf(parsed);
    if (result.shard.index >= result.shard.count)
      return badInput(fmt::format("{}: shard {} of {}", file.string(), result.shard.index, result.shard.count));
    return result;
  } catch (const json::exception& error) {
    return badInput(fmt::format("{}: altered or cut off: {}", file.string(), error.what()));
  }
}

Result<MergedShards> mergeShards(const std::vector<fs::path>& directories) {
  Result<std::map<uint64_t, Found>> shards = readAll(directories);
  if (!shards) return shards.error();
  MergedShards merged;
  const ShardResult& any = shards->begin()->second.result;
  merged.all.command = any.command;
  merged.all.strategies = any.strategies;
  merged.all.seed = any.seed;
  merged.all.shard = {0, any.shard.count};
  merged.all.schedules = any.schedules;
  merged.all.countsDataflows = true;
  for (const auto& [index, found] : *shards) {
    addTo(merged.all.counts, found.result.counts);
    merged.all.dataflows.insert(found.result.dataflows.begin(), found.result.dataflows.end());
    merged.all.countsDataflows &= found.result.countsDataflows;
  }
  collectFailures(merged, *shards);
  const uint64_t end = merged.winner ? merged.winner->schedule : any.schedules + 1;
  for (uint64_t index = 0; index < any.shard.count; ++index) {
    const auto found = shards->find(index);
    if (found == shards->end()) merged.missing.push_back(index);
    const uint64_t madeBelow =
        found == shards->end() ? Portfolio::kCalibrations + 1 : found->second.result.madeBelow;
    for (uint64_t schedule = Portfolio::kCalibrations + 1 + index; schedule < end; schedule += any.shard.count)
      if (schedule >= madeBelow) merged.unmade.push_back(schedule);
  }
  std::sort(merged.unmade.begin(), merged.unmade.end());
  return merged;
}

} // namespace symbiosis
