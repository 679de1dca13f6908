#pragma once
// What is known of functions that are not instrumented, by their names.
#include "trace/event_kind.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace symbiosis {

// The runtime wraps the function: the kind of record after which it has returned.
std::optional<EventKind> lastRecordOf(const llvm::CallBase& call);
// With its argument as the status.
bool endsTheProcess(llvm::StringRef name);
// It makes a text of its arguments, and the record says where it has put it.
bool formats(const llvm::Function* callee);
// It writes nothing but objects of its own (locks, threads, files) through the pointers that it gets.
bool keepsToItself(const llvm::Function* callee);
// Waits and wakes in the kernel's terms: what libstdc++ builds latches, barriers and atomic waits on. The values
// that they wait for are read and written by instrumented code around it.
bool isFutexWaitOrWake(const llvm::CallBase& call);
// Nothing, through its pointers, that instrumented code could read.
bool writesNothing(const llvm::CallBase& call, const llvm::Function* callee);
// `stream << value` in one of its forms: returns the stream, its first argument.
bool isInsertion(const llvm::Function* callee);
bool isStandardStream(const llvm::GlobalVariable* global); // for output

} // namespace symbiosis
