#include "profiler/pass/outside_calls.h"
#include "profiler/pass/allocations.h"
#include "profiler/pass/numbering.h"
#include "trace/metadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace symbiosis {
namespace {

// Functions that lead to what the runtime wraps, which looks at the object itself; and the C++ runtime's own
// business.
bool leadsToWrapped(StringRef name) {
  static constexpr StringRef families[] = {"pthread_",
                                           "sem_",
                                           "mtx_",
                                           "cnd_",
                                           "thrd_",
                                           "tss_",
                                           "call_once",
                                           "__cxa_",
                                           "syscall",
                                           "_Unwind_",
                                           "__gxx_",
                                           "_ZNSt18condition_variable",
                                           "_ZNSt6thread",
                                           "_ZNSt13__future_base",
                                           "_ZNSt15__exception_ptr",
                                           "__symbiosis_",
                                           "__assert"};
  return any_of(families, [&](StringRef family) { return name.starts_with(family); });
}

// Handed to more than the calls that are made here: its address is kept somewhere, or goes to another function of
// the program.
bool isHandedOut(const AllocaInst& slot) {
  SmallVector<const Value*, 16> pending{&slot};
  SmallPtrSet<const Value*, 16> seen;
  while (!pending.empty()) {
    const Value* value = pending.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const User* user : value->users()) {
      if (const auto* store = dyn_cast<StoreInst>(user); store && store->getValueOperand() == value) return true;
      if (isa<GetElementPtrInst, BitCastInst, PHINode, SelectInst>(user)) pending.push_back(user);
      const auto* call = dyn_cast<CallBase>(user);
      if (!call) continue;
      const Function* callee = call->getCalledFunction();
      if (!callee || !callee->isDeclaration() || callee->getName() == "pthread_create") return true;
    }
  }
  return false;
}

// A variable of a library (`stdout`, `std::cout`), or what it points to.
bool isOfLibrary(const Value* object) {
  if (const auto* load = dyn_cast<LoadInst>(object)) object = getUnderlyingObject(load->getPointerOperand(), 0);
  const auto* global = dyn_cast<GlobalVariable>(object);
  return global && global->isDeclaration();
}

bool mayBeGiven(const Value* argument) {
  if (!argument->getType()->isPointerTy() || isa<ConstantPointerNull, UndefValue>(argument)) return false;
  const Value* object = getUnderlyingObject(argument, 0);
  if (isa<Function>(object) || isOfLibrary(object)) return false;
  if (const auto* slot = dyn_cast<AllocaInst>(object)) return isHandedOut(*slot);
  return mayBeShared(argument);
}

const Function* outsideFunction(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() ? callee : nullptr;
}

bool isOfStandardLibrary(StringRef name) { // namespace std, mangled
  return name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt") ||
         name.starts_with("_ZNSs") || name.starts_with("_ZNKSs") || name.starts_with("_ZNSo") ||
         name.starts_with("_ZNSi");
}

bool isOfLibc(const Function& callee) {
  static constexpr StringRef others[] = {"send",   "sendto",   "getline", "getdelim", "strtok",    "strtof",
                                         "strtod", "asprintf", "fgetc",   "regexec",  "inet_pton", "strerror_r"};
  static const TargetLibraryInfoImpl known(Triple("x86_64-unknown-linux-gnu"));
  LibFunc function;
  return known.getLibFunc(callee.getName(), function) || is_contained(others, callee.getName());
}

// Keeps the pointer, or does something else with it than to look behind it.
bool onlyKeeps(StringRef name) {
  static constexpr StringRef names[] = {"atexit", "at_quick_exit", "setbuf",  "setvbuf",
                                        "mmap",   "munmap",        "madvise", "mprotect"};
  return is_contained(names, name) || name.ends_with("EPKv") || name.ends_with("EPv");
}

// Where printf and its kin have their format; none: it is another function.
std::optional<unsigned> formatArgument(StringRef name) {
  struct Known {
    StringRef name;
    unsigned format;
  };
  static constexpr Known known[] = {
      {"printf", 0},         {"fprintf", 1}, {"dprintf", 1},      {"sprintf", 1},       {"snprintf", 2},
      {"asprintf", 1},       {"syslog", 1},  {"__printf_chk", 1}, {"__fprintf_chk", 2}, {"__sprintf_chk", 3},
      {"__snprintf_chk", 4}, {"scanf", 0},   {"fscanf", 1},       {"sscanf", 1},        {"__isoc99_sscanf", 1}};
  for (const Known& entry : known)
    if (entry.name == name) return entry.format;
  return std::nullopt;
}

// Of the arguments behind the format, those that are texts. Empty if the format is not known, or has `*` or
// positions.
SmallVector<unsigned, 4> textsOf(const CallBase& call, unsigned format) {
  StringRef text;
  SmallVector<unsigned, 4> texts;
  if (format >= call.arg_size() || !getConstantStringInfo(call.getArgOperand(format), text)) return texts;
  unsigned next = format + 1;
  for (size_t at = text.find('%'); at != StringRef::npos; at = text.find('%', at)) {
    if (++at < text.size() && text[at] == '%') {
      ++at;
      continue;
    }
    const size_t end = text.find_first_of("diouxXeEfFgGaAcspnm*$[", at);
    if (end == StringRef::npos || text[end] == '*' || text[end] == '$') return {};
    if (text[end] == 's' && next < call.arg_size()) texts.push_back(next);
    if (text[end] != 'm') ++next;
    at = end + 1;
  }
  return texts;
}

} // namespace

bool givesMemory(const CallBase& call) {
  const Function* callee = outsideFunction(call);
  if (!callee || call.isMustTailCall() || call.hasMetadata(kLookedMetadata) || leadsToWrapped(callee->getName()) ||
      allocationCall(callee->getName()))
    return false;
  return any_of(call.args(), [](const Use& argument) { return mayBeGiven(argument.get()); });
}

SmallVector<unsigned, 4> argumentsLookedAt(const CallBase& call) {
  const Function* callee = outsideFunction(call);
  SmallVector<unsigned, 4> looked;
  if (!callee || onlyKeeps(callee->getName())) return looked;
  if (!isOfStandardLibrary(callee->getName()) && !isOfLibc(*callee)) return looked;
  const std::optional<unsigned> format = formatArgument(callee->getName());
  for (unsigned i = 0; i < (format ? *format + 1 : call.arg_size()); ++i)
    if (mayBeGiven(call.getArgOperand(i)) && !call.paramHasAttr(i, Attribute::ReadNone)) looked.push_back(i);
  if (format) append_range(looked, textsOf(call, *format));
  erase_if(looked, [&](unsigned i) { return !mayBeGiven(call.getArgOperand(i)); });
  return looked;
}

} // namespace symbiosis
