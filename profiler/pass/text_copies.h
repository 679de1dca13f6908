#pragma once
// Functions of libc that copy text: strcpy, strcat, strdup and their kin, also the checked ones of
// _FORTIFY_SOURCE.
#include "llvm/IR/Module.h"

namespace symbiosis {

// Replaces each call by what it is made of: strlen or strnlen, a copy of that many bytes, and the zero behind
// them. These are points, so no access to shared memory stays hidden in the call. A text that changes meanwhile
// becomes what it may become when it is copied byte by byte: a mixture, but one with an end.
void spellOutTextCopies(llvm::Module& module);

} // namespace symbiosis
