#pragma once
// How events and values are said in a sentence.
#include "dsp/diagnosis.h"
#include "trace/symbolic_trace.h"
#include <string>
#include <string_view>

namespace symbiosis {

// Signed decimal; addresses (64 bits, far from 0) in hexadecimal; floats as the number that they are.
std::string formatValue(const AccessValue& value);

// What flowed.
AccessValue valueOf(const SymbolicTrace& trace, const Dataflow& flow);

// Number of characters of UTF-8 text; every byte that begins none counts as nothing.
size_t characters(std::string_view text);

// At most `most` characters: what is cut falls out of the middle, "std::vect…::push_back".
std::string shortenMiddle(std::string_view text, size_t most);

// "queue.c" of "/home/me/src/queue.c".
std::string_view fileName(std::string_view path);

// The line of an event as a reader finds it: "line 19", or "sb.cpp:19" if its file is not `file`; empty if
// unknown.
std::string placeOf(const SymbolicTrace& trace, uint32_t location, std::string_view file);

// The file of the failing check; lines in it are given without a file name. Empty if unknown.
std::string_view mainFile(const SymbolicTrace& trace, const ShownFailure& failure);

} // namespace symbiosis
