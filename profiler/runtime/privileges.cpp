// A program that gives up what it may do (setuid, chroot) must still be able to write its logs: they lie in a
// directory of whoever started it. Before the rights go, the directory and what is in it are opened to everybody
// (nobody else comes near it: the directories around it are private), and a descriptor of the directory is kept,
// with a number that the program hardly meets: names are then looked up from there and not from the root. It is
// the only descriptor that the runtime ever keeps.
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/real.h"
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;
using control::systemCall;

namespace {

int directory = -1; // of the logs; -1: they are reached by their name

// The layout of SYS_getdents64.
struct Entry {
  uint64_t inode;
  int64_t next;
  uint16_t size;
  uint8_t type;
  char name[1];
};

void openToEverybody(int logs) {
  systemCall(SYS_fchmod, logs, 0777);
  systemCall(SYS_lseek, logs, 0, SEEK_SET);
  alignas(Entry) char entries[2048];
  for (;;) {
    const long got = systemCall(SYS_getdents64, logs, reinterpret_cast<long>(entries), sizeof entries);
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(entries + at);
      if (entry->name[0] != '.') systemCall(SYS_fchmodat, logs, reinterpret_cast<long>(entry->name), 0666);
      at += entry->size;
    }
  }
}

// The highest number that select() knows, or that the program may have.
int highDescriptor(int low) {
  rlimit limit = {};
  systemCall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, reinterpret_cast<long>(&limit));
  const uint64_t most = limit.rlim_cur && limit.rlim_cur < 1024 ? limit.rlim_cur : 1024;
  for (uint64_t number = most - 1; number > 2; number /= 2) {
    const long high = systemCall(SYS_fcntl, low, F_DUPFD_CLOEXEC, long(number));
    if (high >= 0) return control::closeFile(low), int(high);
  }
  return low;
}

void keepLogsReachable() {
  if (__symbiosis_mode == uint32_t(format::Mode::off)) return;
  if (directory < 0) {
    const int low = control::openFile(logDirectory, O_RDONLY | O_DIRECTORY);
    if (low >= 0) directory = highDescriptor(low);
  }
  if (directory >= 0) openToEverybody(directory);
}

} // namespace

namespace symbiosis::runtime {

int openLog(const char* name, int flags) {
  const int kept = __atomic_load_n(&directory, __ATOMIC_RELAXED);
  if (kept < 0) return control::openFile(name, flags);
  const char* inDirectory = name + strlen(logDirectory) + 1;
  return int(systemCall(SYS_openat, kept, reinterpret_cast<long>(inDirectory), flags | O_CLOEXEC, 0666));
}

} // namespace symbiosis::runtime

// All have a result of type int.
#define GIVES_UP_RIGHTS(name, parameters, ...)                                                                    \
  extern "C" int name parameters noexcept {                                                                       \
    FIND_REAL(name);                                                                                              \
    keepLogsReachable();                                                                                          \
    return real(__VA_ARGS__);                                                                                     \
  }
GIVES_UP_RIGHTS(setuid, (uid_t user), user)
GIVES_UP_RIGHTS(seteuid, (uid_t user), user)
GIVES_UP_RIGHTS(setreuid, (uid_t real_, uid_t effective), real_, effective)
GIVES_UP_RIGHTS(setresuid, (uid_t real_, uid_t effective, uid_t saved), real_, effective, saved)
GIVES_UP_RIGHTS(chroot, (const char* root), root)
