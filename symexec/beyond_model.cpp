// A function may be called in a program about which something is to be proved if
//   - it is an operation of synchronisation with a meaning in trace/sync_model.h all of whose outcomes are
//   decisions,
//   - or it does nothing that another thread could notice, and returns what follows from its arguments,
//   - or it allocates or frees memory (which addresses it gives is not part of a proof),
//   - or it ends the process or the thread's calls.
// Whatever reads clocks, files, channels, signals or hidden state of libc (rand, strtok) is none of these; nor is
// what reads texts (trace/text_readers.h), of which only the first bytes are events.
#include "symexec/beyond_model.h"
#include "symexec/outside_functions.h"
#include "symexec/snapshot.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <fmt/format.h>
#include <set>

using namespace llvm;

namespace symbiosis {
namespace {

constexpr StringRef kSynchronisation[] = {"pthread_create",
                                          "pthread_join",
                                          "pthread_mutex_lock",
                                          "pthread_mutex_trylock",
                                          "pthread_mutex_unlock",
                                          "pthread_mutex_init",
                                          "pthread_mutex_destroy",
                                          "pthread_cond_wait",
                                          "pthread_cond_timedwait",
                                          "pthread_cond_clockwait",
                                          "pthread_cond_signal",
                                          "pthread_cond_broadcast",
                                          "pthread_cond_init",
                                          "pthread_cond_destroy",
                                          "pthread_rwlock_rdlock",
                                          "pthread_rwlock_wrlock",
                                          "pthread_rwlock_tryrdlock",
                                          "pthread_rwlock_trywrlock",
                                          "pthread_rwlock_unlock",
                                          "pthread_rwlock_init",
                                          "pthread_rwlock_destroy",
                                          "pthread_spin_init",
                                          "pthread_spin_lock",
                                          "pthread_spin_trylock",
                                          "pthread_spin_unlock",
                                          "pthread_spin_destroy",
                                          "sem_init",
                                          "sem_post",
                                          "sem_wait",
                                          "sem_trywait",
                                          "sem_destroy",
                                          "pthread_barrier_init",
                                          "pthread_barrier_wait",
                                          "pthread_barrier_destroy",
                                          "thrd_create",
                                          "thrd_join",
                                          "mtx_init",
                                          "mtx_lock",
                                          "mtx_trylock",
                                          "mtx_unlock",
                                          "mtx_destroy",
                                          "cnd_init",
                                          "cnd_wait",
                                          "cnd_timedwait",
                                          "cnd_signal",
                                          "cnd_broadcast",
                                          "cnd_destroy",
                                          "pthread_self",
                                          "pthread_equal",
                                          "sched_yield",
                                          "thrd_yield",
                                          "thrd_current",
                                          "usleep",
                                          "sleep",
                                          "nanosleep",
                                          "thrd_sleep",
                                          "__pthread_key_create",
                                          "__gthread_active_p"};

constexpr StringRef kMemory[] = {"malloc",        "calloc",   "realloc", "free",    "posix_memalign",
                                 "aligned_alloc", "memalign", "strdup",  "strndup", "reallocarray"};

constexpr StringRef kOutput[] = {
    "printf",    "fprintf",      "vprintf",        "vfprintf",       "dprintf",         "puts",
    "fputs",     "putc",         "fputc",          "putchar",        "fwrite",          "fflush",
    "perror",    "__printf_chk", "__fprintf_chk",  "__vfprintf_chk", "snprintf",        "sprintf",
    "vsnprintf", "vsprintf",     "__snprintf_chk", "__sprintf_chk",  "__vsnprintf_chk", "__vsprintf_chk"};

constexpr StringRef kOfArguments[] = {"memcpy",
                                      "memmove",
                                      "memset",
                                      "memcmp",
                                      "memchr",
                                      "bcmp",
                                      "strlen",
                                      "strnlen",
                                      "strcmp",
                                      "strncmp",
                                      "strchr",
                                      "strcpy",
                                      "strncpy",
                                      "strcat",
                                      "strncat",
                                      "stpcpy",
                                      "getenv",
                                      "abs",
                                      "labs",
                                      "sin",
                                      "cos",
                                      "tan",
                                      "sqrt",
                                      "exp",
                                      "log",
                                      "pow",
                                      "floor",
                                      "ceil",
                                      "fabs",
                                      "fmod",
                                      "round",
                                      "trunc",
                                      "sqrtf",
                                      "__errno_location",
                                      "__ctype_b_loc",
                                      "__ctype_tolower_loc",
                                      "__ctype_toupper_loc",
                                      "tolower",
                                      "toupper",
                                      "isatty",
                                      "sysconf",
                                      "__gxx_personality_v0",
                                      "__clang_call_terminate",
                                      "_Unwind_Resume",
                                      "_Unwind_Backtrace"};

constexpr StringRef kEnds[] = {
    "exit",   "_exit",        "_Exit",         "abort",     "__assert_fail", "__stack_chk_fail",
    "atexit", "__cxa_atexit", "at_quick_exit", "quick_exit"};

// Parts of libstdc++, by how their names begin: allocation, exceptions, threads, output, strings and containers.
constexpr StringRef kFamilies[] = {"llvm.",
                                   "_Zn",
                                   "_Zd",
                                   "__cxa_allocate_exception",
                                   "__cxa_free_exception",
                                   "__cxa_throw",
                                   "__cxa_rethrow",
                                   "__cxa_begin_catch",
                                   "__cxa_end_catch",
                                   "__cxa_pure_virtual",
                                   "__cxa_init_primary_exception",
                                   "pthread_attr_",
                                   "pthread_mutexattr_",
                                   "pthread_condattr_",
                                   "_ZSt9terminatev",
                                   "_ZSt",  // std::__throw_…, operator<<, std::endl, …
                                   "_ZNSo", // std::ostream
                                   "_ZNKSo",
                                   "_ZNSt8ios_base",
                                   "_ZNKSt5ctype",
                                   "_ZNSt5ctype",
                                   "_ZNSt6thread",
                                   "_ZNSt18condition_variable",
                                   "_ZNSt5mutex",
                                   "_ZNSs",
                                   "_ZNKSs",
                                   "_ZNSt7__cxx11",
                                   "_ZNKSt7__cxx11",
                                   "_ZNSt9exception",
                                   "_ZNKSt9exception",
                                   "_ZNSt11logic_error",
                                   "_ZNSt13runtime_error",
                                   "_ZNKSt13runtime_error",
                                   "_ZNKSt11logic_error",
                                   "_ZNSt12out_of_range",
                                   "_ZNSt12system_error",
                                   "_ZNSt16invalid_argument",
                                   "_ZNSt14overflow_error",
                                   "_ZNSt12length_error",
                                   "_ZNSt8__detail"};
// … but not these of them.
constexpr StringRef kNotOfFamilies[] = {"_ZStrs", "_ZSt7getline", // input
                                        "pthread_mutexattr_setrobust"};

bool isCovered(StringRef name) {
  for (ArrayRef<StringRef> names :
       {ArrayRef<StringRef>(kSynchronisation), ArrayRef<StringRef>(kMemory), ArrayRef<StringRef>(kOutput),
        ArrayRef<StringRef>(kOfArguments), ArrayRef<StringRef>(kEnds)})
    if (is_contained(names, name)) return true;
  if (any_of(kNotOfFamilies, [&](StringRef family) { return name.starts_with(family); })) return false;
  return any_of(kFamilies, [&](StringRef family) { return name.starts_with(family); });
}

std::string placeOf(const Instruction& at) {
  const DILocation* place = at.getDebugLoc().get();
  while (place && place->getInlinedAt()) place = place->getInlinedAt();
  if (!place) return "";
  return fmt::format("{}:{}", place->getFilename().str(), place->getLine());
}

// What the instruction does that is not covered; empty: nothing.
std::string beyondIn(const Instruction& instruction, const Snapshot& snapshot) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call) return "";
  if (const auto* assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return assembly->getAsmString().empty() ? "" : "inline assembly";
  const Function* callee = call->getCalledFunction();
  if (!callee || snapshot.isInstrumented(*callee)) return "";
  const StringRef name = callee->getName();
  if (!callee->isDeclaration() && callee->hasMetadata(kExcludedMetadata)) return name.str() + " (excluded)";
  const bool isJoin = name == "pthread_join" || name == "thrd_join";
  if (isJoin && !isa<ConstantPointerNull>(call->getArgOperand(1))) return "what a thread returns to " + name.str();
  if (name == "pthread_barrier_wait" && !call->use_empty()) return "the result of pthread_barrier_wait";
  return isCovered(name) ? "" : name.str();
}

} // namespace

Result<std::vector<BeyondModel>> beyondModel(const std::filesystem::path& program) {
  Result<std::unique_ptr<Snapshot>> snapshot = Snapshot::load(program);
  if (!snapshot) return snapshot.error();
  std::set<std::string> known;
  std::vector<BeyondModel> found;
  for (const Function* function : (*snapshot)->functions())
    for (const Instruction& instruction : instructions(*function))
      if (std::string what = beyondIn(instruction, **snapshot); !what.empty() && known.insert(what).second)
        found.push_back({what, placeOf(instruction)});
  // What may be called through a pointer.
  for (const Function& function : (*snapshot)->module())
    if (function.isDeclaration() && function.hasAddressTaken() && !isCovered(function.getName()) &&
        known.insert(function.getName().str()).second)
      found.push_back({function.getName().str(), ""});
  return found;
}

} // namespace symbiosis
