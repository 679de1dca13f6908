// Which program this process runs, and how it ended: a run may have many processes, started by a script or by
// make, and whoever started them does not tell us.
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/runtime.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

int createFile(const char* suffix) {
  char name[4200];
  const size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, suffix);
  return openLog(name, O_WRONLY | O_CREAT | O_TRUNC);
}

void put(int descriptor, const char* text) {
  control::systemCall(SYS_write, descriptor, reinterpret_cast<long>(text), long(strlen(text) + 1));
}

// The first function that was registered is the last to be called.
void noteExit(int status, void*) {
  if (!recording()) return;
  const int file = createFile("/exit");
  if (file < 0) return;
  control::systemCall(SYS_write, file, reinterpret_cast<long>(&status), sizeof status);
  control::closeFile(file);
}

} // namespace

namespace symbiosis::runtime {

// The file `command`: executable, working directory, arguments, each ended by a zero byte.
void noteIdentity(int count, char** arguments) {
  const int file = createFile("/command");
  if (file >= 0) {
    static char text[PATH_MAX];
    const long length = control::systemCall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                                            reinterpret_cast<long>(text), sizeof text - 1);
    text[length > 0 ? length : 0] = 0;
    put(file, text);
    const long got = control::systemCall(SYS_getcwd, reinterpret_cast<long>(text), sizeof text);
    put(file, got > 0 ? text : "");
    for (int i = 0; i < count; ++i) put(file, arguments[i]);
    control::closeFile(file);
  }
  on_exit(noteExit, nullptr);
}

} // namespace symbiosis::runtime
