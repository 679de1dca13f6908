// Start of the process: find the session in the environment, read what is wanted, make room for the logs.
// Runs from .preinit_array, before any constructor of the program or of its libraries.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/failures.h"
#include "profiler/runtime/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" {
uint32_t __symbiosis_mode = 0;

// Made by the pass, in a section that the linker delimits: how many functions and globals, and their addresses.
struct SymbiosisModule {
  uint64_t functions, globals;
  const void* const* addresses;
};
extern const SymbiosisModule __start_symbiosis_modules[] __attribute__((weak, visibility("hidden")));
}

namespace symbiosis::runtime {
format::ProcessHeader* processHeader = nullptr;
char logDirectory[4096] = {};
uint64_t valueLimit = 0;
} // namespace symbiosis::runtime

namespace {

const char* findSession(char** environment) {
  const size_t length = sizeof format::kSessionVariable - 1;
  for (; environment && *environment; ++environment)
    if (strncmp(*environment, format::kSessionVariable, length) == 0 && (*environment)[length] == '=')
      return *environment + length + 1;
  return nullptr;
}

bool readConfig(const char* session, format::SessionConfig& config) {
  char name[4200];
  size_t at = copyText(name, sizeof name, session);
  copyText(name + at, sizeof name - at, "/config");
  const int fd = control::openFile(name, O_RDONLY);
  if (fd < 0) return false;
  const long got = control::systemCall(SYS_read, fd, reinterpret_cast<long>(&config), sizeof config);
  control::closeFile(fd);
  return got == ssize_t(sizeof config) && config.version == format::kFormatVersion &&
         memcmp(config.magic, format::kConfigMagic, sizeof config.magic) == 0;
}

// `base/pid`, or `base/pid.1` …
bool makeLogDirectory(const char* base) {
  size_t at = copyText(logDirectory, sizeof logDirectory - 24, base);
  logDirectory[at++] = '/';
  char digits[12];
  size_t count = 0;
  for (unsigned pid = unsigned(control::systemCall(SYS_getpid)); pid || count == 0; pid /= 10)
    digits[count++] = char('0' + pid % 10);
  while (count) logDirectory[at++] = digits[--count];
  logDirectory[at] = 0;
  if (mkdir(logDirectory, 0755) == 0) return true;
  // This process was another recorded program before it called exec.
  logDirectory[at++] = '.';
  logDirectory[at + 1] = 0;
  for (char again = '1'; again <= '9' && errno == EEXIST; ++again) {
    logDirectory[at] = again;
    if (mkdir(logDirectory, 0755) == 0) return true;
  }
  return false;
}

bool writeProcessFile(format::Mode mode) {
  const SymbiosisModule& module = __start_symbiosis_modules[0];
  const uint64_t addresses = module.functions + module.globals;
  const uint64_t size = sizeof(format::ProcessHeader) + addresses * sizeof(void*);
  char name[4200];
  size_t at = copyText(name, sizeof name, logDirectory);
  copyText(name + at, sizeof name - at, "/process");
  const int fd = control::openFile(name, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  void* memory = MAP_FAILED;
  if (reserve(fd, 0, size) == 0) memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  control::closeFile(fd);
  if (memory == MAP_FAILED) return false;
  processHeader = static_cast<format::ProcessHeader*>(memory);
  processHeader->version = format::kFormatVersion;
  processHeader->mode = mode;
  processHeader->functions = module.functions;
  processHeader->globals = module.globals;
  memcpy(processHeader + 1, module.addresses, addresses * sizeof(void*));
  memcpy(processHeader->magic, format::kProcessMagic, sizeof processHeader->magic);
  return true;
}

void start(int count, char** arguments, char** environment) {
  const char* session = findSession(environment);
  if (!session || !__start_symbiosis_modules) return;
  int savedErrno = errno;
  static format::SessionConfig config; // too large for a small stack
  if (readConfig(session, config) && config.mode != format::Mode::off && makeLogDirectory(config.logDirectory) &&
      writeProcessFile(config.mode) && (!format::controls(config.mode) || control::start(session))) {
    valueLimit = config.valueLimit;
    createThreadKey();
    __symbiosis_mode = uint32_t(config.mode);
    if (recording()) noteIdentity(count, arguments);
    startMainThread();
    noticeQuickExit();
    catchCrashes();
  }
  errno = savedErrno;
}

} // namespace

extern "C"
    __attribute__((section(".preinit_array"), used)) void (*const __symbiosis_start)(int, char**, char**) = start;
