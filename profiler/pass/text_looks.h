#pragma once
// Texts that functions of libc read (strtol, atoi, sscanf …; trace/text_readers.h) where other threads may write
// them.
#include "llvm/IR/Module.h"

namespace symbiosis {

// Before such a call the thread itself reads what the function is about to read, so that the read is an event; the
// call is then no point (`!symbiosis.looked`), and under control both see the same. Before anything is numbered.
void lookAtTexts(llvm::Module& module);

} // namespace symbiosis
