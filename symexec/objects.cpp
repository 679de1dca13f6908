#include "symexec/objects.h"
#include "symexec/library_names.h"
#include <algorithm>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

void ObjectTable::addHeap() {
  struct Freed {
    uint64_t address, timestamp;
  };
  std::vector<Freed> frees;
  for (const ThreadLog& thread : recording_.threads) {
    uint64_t ordinal = 0;
    for (const format::OpRecord& record : thread.ops) {
      if (EventKind(record.kind) == EventKind::free && record.object)
        frees.push_back({record.object, record.timestamp});
      if (EventKind(record.kind) != EventKind::alloc) continue;
      ++ordinal;
      if (!record.object) continue; // it returned null
      Instance instance{record.object,
                        std::max<uint64_t>(1, record.argument),
                        record.timestamp,
                        ~uint64_t{0},
                        ObjectKind::heap,
                        fmt::format("heap:{}#{}", thread.id, ordinal),
                        "",
                        nullptr,
                        kNone,
                        kNone};
      largest_ = std::max(largest_, instance.size);
      instances_.emplace(record.object, std::move(instance));
    }
  }
  // The first free after the allocation ends it.
  std::sort(frees.begin(), frees.end(), [](const Freed& a, const Freed& b) { return a.timestamp < b.timestamp; });
  for (const Freed& freed : frees) {
    Instance* latest = nullptr;
    auto [from, to] = instances_.equal_range(freed.address);
    for (auto at = from; at != to; ++at)
      if (at->second.begin <= freed.timestamp && (!latest || at->second.begin > latest->begin))
        latest = &at->second;
    if (latest && latest->end == ~uint64_t{0}) latest->end = freed.timestamp;
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
  }
  return known->second;
}

} // namespace symbiosis
