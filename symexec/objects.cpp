#include "symexec/objects.h"
#include "symexec/library_names.h"
#include "trace/decision.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace llvm;

namespace symbiosis {

void ObjectTable::addHeap(const HeapLives& lives) {
  for (const Life& life : lives.all()) {
    Instance instance;
    instance.address = life.block.begin;
    instance.size = life.block.size;
    instance.begin = life.begin;
    instance.end = life.end;
    // What libraries allocate may depend on who came first: it does not count for the others.
    instance.id = fmt::format("heap:{}{}#{}", recording_.threads[life.thread].id,
                              life.allocated->inLibrary ? ":library" : "", life.ordinal);
    largest_ = std::max(largest_, instance.size);
    instances_.emplace(instance.address, std::move(instance));
  }
}

void ObjectTable::addStack(ThreadIndex thread, const std::vector<StackObject>& objects) {
  for (const StackObject& object : objects) {
    std::string name = names_.nameOfSlot(*object.slot);
    Instance instance{object.address,
                      std::max<uint64_t>(1, object.size),
                      object.notBefore,
                      object.notAfter,
                      ObjectKind::stack,
                      fmt::format("stack:{}#{}.{}", recording_.threads[thread].id, object.frame, name),
                      name,
                      object.slot,
                      kNone,
                      thread,
                      object.firstIndex,
                      object.endIndex};
    largest_ = std::max(largest_, instance.size);
    instances_.emplace(object.address, std::move(instance));
  }
}

uint32_t ObjectTable::use(Instance& instance) {
  if (instance.object == kNone) {
    instance.object = uint32_t(trace_.objects.size());
    trace_.objects.push_back({instance.kind, instance.id, instance.name, instance.size});
  }
  return instance.object;
}

ObjectTable::Place ObjectTable::find(uint64_t address, const Moment& when) {
  // Alive at the time, and of those the youngest.
  Instance* best = nullptr;
  bool bestAlive = false;
  auto at = instances_.upper_bound(address);
  while (at != instances_.begin()) {
    --at;
    if (address - at->first >= largest_) break;
    Instance& instance = at->second;
    if (address - instance.address >= instance.size) continue;
    const bool isOwn = instance.owner == when.thread;
    if (isOwn && (when.index < instance.firstIndex || when.index >= instance.endIndex)) continue;
    const bool alive = isOwn || (instance.begin <= when.notAfter && instance.end >= when.notBefore);
    if (!best || alive > bestAlive ||
        (alive == bestAlive &&
         std::pair(instance.begin, instance.firstIndex) > std::pair(best->begin, best->firstIndex))) {
      best = &instance;
      bestAlive = alive;
    }
  }
  if (best) return {use(*best), address - best->address, best->slot, nullptr};
  if (const GlobalVariable* global = addresses_.globalAt(address)) {
    auto [known, isNew] = globals_.try_emplace(global, uint32_t(trace_.objects.size()));
    if (isNew) {
      std::string name = names_.nameOfGlobal(*global);
      const uint64_t size = global->getDataLayout().getTypeAllocSize(global->getValueType());
      trace_.objects.push_back(
          {ObjectKind::global, "global:" + (global->hasName() ? global->getName().str() : name), name, size});
    }
    return {known->second, address - addresses_.addressOf(global), nullptr, global};
  }
  if (address >= format::kChannels) {
    // What was sent and what was taken are two objects.
    const uint64_t number = (address - format::kChannels) / 4096;
    const bool isTaken = address != format::placeOfChannel(number);
    auto [known, isNew] = unknown_.try_emplace(address, uint32_t(trace_.objects.size()));
    if (isNew)
      trace_.objects.push_back(
          {ObjectKind::unknown, fmt::format("{}{}{}", kChannelId, number, isTaken ? " taken" : ""), "", 8});
    return {known->second, 0, nullptr, nullptr};
  }
  // Memory of a library or of the operating system; its address is all we know. Pages keep offsets small.
  const uint64_t page = address & ~uint64_t{4095};
  auto [known, isNew] = unknown_.try_emplace(page, uint32_t(trace_.objects.size()));
  if (isNew) trace_.objects.push_back({ObjectKind::unknown, fmt::format("memory:{:#x}", page), "", 4096});
  return {known->second, address - page, nullptr, nullptr};
}

std::string ObjectTable::betterName(const std::string& name, const Place& place, bool isLibrarys) {
  if (!name.empty() && !isLibrarys && !isLibraryName(name)) return name;
  std::string better;
  if (place.slot) better = names_.nameInSlot(*place.slot, place.offset);
  if (place.global) better = names_.nameInGlobal(*place.global, place.offset);
  return better.empty() ? name : better;
}

uint32_t ObjectTable::syncObject(uint64_t address, const Moment& when, const std::string& name) {
  const Place place = find(address, when);
  auto [known, isNew] = syncObjects_.try_emplace({place.object, place.offset}, uint32_t(trace_.objects.size()));
  if (isNew) {
    const TraceObject holder = trace_.objects[place.object];
    trace_.objects.push_back(
        {holder.kind, fmt::format("{}+{}", holder.id, place.offset), betterName(name, place, false), 0});
    homes_[known->second] = betterName("", place, false);
  }
  return known->second;
}

// Threads may call one lock by different names, and different locks by one (`from.lock`): a person could not tell
// who waits for whom.
void ObjectTable::settleSyncNames() {
  std::map<uint32_t, std::set<std::string>> namesOf;
  std::map<std::string, std::set<uint32_t>> objectsOf;
  for (const Event& event : trace_.events)
    if (event.object != kNone && homes_.contains(event.object)) {
      namesOf[event.object].insert(event.variable);
      objectsOf[event.variable].insert(event.object);
    }
  std::map<uint32_t, std::string> settled;
  std::map<std::string, std::vector<uint32_t>> taken;
  for (const auto& [object, names] : namesOf) {
    const bool isClear = names.size() == 1 && objectsOf[*names.begin()].size() == 1;
    if (isClear || names.begin()->empty()) continue;
    settled[object] = homes_[object].empty() ? *names.begin() : homes_[object];
    taken[settled[object]].push_back(object);
  }
  for (const auto& [name, objects] : taken)
    for (size_t i = 0; i < objects.size() && objects.size() > 1; ++i)
      settled[objects[i]] = fmt::format("{} ({})", name, i + 1);
  for (const auto& [object, name] : settled) trace_.objects[object].name = name;
  for (Event& event : trace_.events)
    if (auto known = settled.find(event.object); known != settled.end()) event.variable = known->second;
}

} // namespace symbiosis
