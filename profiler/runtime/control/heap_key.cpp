// libc marks blocks that it keeps for the next allocation with a key that it draws at random once for each process
// (tcache_key, behind the first eight bytes of a freed block). A program that reads a freed block reads it, and would
// then do something else in every run of one schedule. Under control the key is the same each time.
#include "profiler/runtime/control/control.h"
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

namespace symbiosis::runtime::control {
namespace {

constexpr uint64_t kKey = 0x5359'4d42'494f'5349;

struct Search {
  uintptr_t libc; // an address in it
  uint64_t key;
  uint64_t* found;
  int times;
};

bool holds(const dl_phdr_info& module, uintptr_t address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    const uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz) return true;
  }
  return false;
}

int searchModule(dl_phdr_info* module, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*module, search.libc)) return 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W)) continue;
    auto* word = reinterpret_cast<uint64_t*>((module->dlpi_addr + segment.p_vaddr + 7) & ~uintptr_t{7});
    for (size_t left = segment.p_memsz / 8; left > 1; --left, ++word)
      if (*word == search.key) search.found = word, ++search.times;
  }
  return 1;
}

} // namespace

void fixHeapKey() {
  const auto allocate = reinterpret_cast<void* (*)(size_t)>(dlsym(RTLD_DEFAULT, "__libc_malloc"));
  const auto release = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "__libc_free"));
  if (!allocate || !release) return;
  auto* const block = static_cast<volatile uint64_t*>(allocate(2 * sizeof(uint64_t)));
  if (!block) return;
  release(const_cast<uint64_t*>(block));
  Search search{reinterpret_cast<uintptr_t>(allocate), block[1], nullptr, 0};
  dl_iterate_phdr(searchModule, &search);
  if (search.times == 1) *search.found = kKey;
}

} // namespace symbiosis::runtime::control
