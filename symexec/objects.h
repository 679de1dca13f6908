#pragma once
// Which allocation instance an address meant, at the time at which it was used. Two lifetimes at one address are
// two objects; raw addresses are never identities (DESIGN §3).
#include "symexec/lives.h"
#include "symexec/names.h"
#include "symexec/snapshot.h"
#include "symexec/thread_events.h"
#include "trace/symbolic_trace.h"
#include <map>

namespace symbiosis {

class ObjectTable {
public:
  ObjectTable(const Recording& recording, const AddressMap& addresses, NameFinder& names, SymbolicTrace& trace)
      : recording_(recording), addresses_(addresses), names_(names), trace_(trace) {}

  void addHeap(const HeapLives& lives);
  void addStack(ThreadIndex thread, const std::vector<StackObject>& objects);

  struct Place {
    uint32_t object = 0; // in trace.objects
    uint64_t offset = 0;
    const llvm::AllocaInst* slot = nullptr;       // if it is a stack object
    const llvm::GlobalVariable* global = nullptr; // if it is a global
  };
  struct Moment {
    uint64_t notBefore = 0, notAfter = ~uint64_t{0}; // timestamps
    ThreadIndex thread = 0;                          // who used the address, at which of its points
    uint64_t index = 0;
  };
  Place find(uint64_t address, const Moment& when);
  // Inside the wrappers of a library an argument has the library's name; the variable behind it knows better.
  std::string betterName(const std::string& name, const Place& place, bool isLibrarys);
  // A sync object has an identity of its own: a struct may hold several.
  uint32_t syncObject(uint64_t address, const Moment& when, const std::string& name);
  // Once all events are there: each sync object has one name, and no other has it.
  void settleSyncNames();

private:
  struct Instance {
    uint64_t address = 0, size = 0;
    uint64_t begin = 0, end = ~uint64_t{0}; // timestamps
    ObjectKind kind = ObjectKind::heap;
    std::string id, name;
    const llvm::AllocaInst* slot = nullptr; // of a stack object
    uint32_t object = kNone;                // in trace.objects, once used
    // Of a stack object: its thread knows exactly when it was there.
    ThreadIndex owner = kNone;
    uint64_t firstIndex = 0, endIndex = ~uint64_t{0};
  };
  uint32_t use(Instance& instance);

  const Recording& recording_;
  const AddressMap& addresses_;
  NameFinder& names_;
  SymbolicTrace& trace_;
  std::multimap<uint64_t, Instance> instances_; // by address
  uint64_t largest_ = 0;                        // size of the largest instance
  std::map<const llvm::GlobalVariable*, uint32_t> globals_;
  std::map<uint64_t, uint32_t> unknown_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> syncObjects_;
  std::map<uint32_t, std::string>
      homes_; // by sync object: what the variable that it lives in calls it; empty: unknown
};

} // namespace symbiosis
