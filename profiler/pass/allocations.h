#pragma once
// Functions that allocate and free, by name: their calls are announced to the runtime where they are made, so that
// memory has identities and lifetimes.
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include <optional>

namespace symbiosis {

// Replaces calls of posix_memalign, whose block comes through a pointer, by aligned_alloc and a store: so the
// block is known at every level.
void spellOutAllocations(llvm::Module& module);

struct AllocationCall {
  int sizeArgument = -1;  // -1: does not allocate
  int countArgument = -1; // calloc: multiplied with the size
  int freedArgument = -1; // -1: frees nothing
};

inline std::optional<AllocationCall> allocationCall(llvm::StringRef name) {
  struct Known {
    const char* name;
    AllocationCall call;
  };
  static constexpr Known known[] = {
      {"malloc", {0, -1, -1}},
      {"calloc", {1, 0, -1}},
      {"realloc", {1, -1, 0}},
      {"aligned_alloc", {1, -1, -1}},
      {"memalign", {1, -1, -1}},
      {"valloc", {0, -1, -1}},
      {"free", {-1, -1, 0}},
      {"_Znwm", {0, -1, -1}},
      {"_Znam", {0, -1, -1}},
      {"_ZnwmSt11align_val_t", {0, -1, -1}},
      {"_ZnamSt11align_val_t", {0, -1, -1}},
      {"_ZnwmRKSt9nothrow_t", {0, -1, -1}},
      {"_ZnamRKSt9nothrow_t", {0, -1, -1}},
      {"_ZdlPv", {-1, -1, 0}},
      {"_ZdaPv", {-1, -1, 0}},
      {"_ZdlPvm", {-1, -1, 0}},
      {"_ZdaPvm", {-1, -1, 0}},
      {"_ZdlPvSt11align_val_t", {-1, -1, 0}},
      {"_ZdaPvSt11align_val_t", {-1, -1, 0}},
      {"_ZdlPvmSt11align_val_t", {-1, -1, 0}},
      {"_ZdaPvmSt11align_val_t", {-1, -1, 0}},
      {"_ZdlPvRKSt9nothrow_t", {-1, -1, 0}},
  };
  for (const Known& entry : known)
    if (name == entry.name) return entry.call;
  return std::nullopt;
}

} // namespace symbiosis
