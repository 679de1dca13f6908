#pragma once
// The sentences under the picture; all of it is printable text.
#include "dsp/diagnosis.h"
#include <string>

namespace symbiosis {

// "assertion "filled > 0" at test.c:19 in thread T2".
// "takes a", "signals c"; of a pending event, what becomes of it in a run in which `proceeded` went on (kNoEvent:
// nobody): "waits for a for ever", "gets a". Empty: nothing to say.
std::string syncWords(const SymbolicTrace& trace, EventRef event, EventRef proceeded);
// "allocates p, 32 bytes", "frees p"; of a use, `isAlive` or not: "finds p gone". Empty: the event is about no
// life.
std::string lifeWords(const SymbolicTrace& trace, EventRef event, bool isAlive);
std::string failureWords(const SymbolicTrace& trace);
// "test.c:19"; empty if unknown.
std::string fileAndLine(const SymbolicTrace& trace, uint32_t location);
// "0.2:14": the thread and its event, stable between runs; "0.2:14a" if only an alternate on another path has it.
std::string eventId(const Diagnosis& diagnosis, const SymbolicTrace& trace, EventRef event);
// "T1 line 20".
std::string eventWords(const Diagnosis& diagnosis, const SymbolicTrace& trace, EventRef event);
// "1 ordering forces the failure (minimal: proved): T1 line 20 before T2 line 19."
std::string causeWords(const Diagnosis& diagnosis, const SymbolicTrace& trace);
// Threads wait for ever in every run, as far as is known: an order only decides which.
bool isInEveryRun(const Diagnosis& diagnosis, const SymbolicTrace& trace);
// "none of 50 such runs ends well": of an alternate that gets past the check and fails all the same.
std::string alwaysLaterWords(const Diagnosis& diagnosis);
// How the alternate was found, or that there is none and what was tried.
std::string alternativeWords(const Diagnosis& diagnosis, const SymbolicTrace& trace);
// The causes and alternates beyond the first, a sentence each.
std::vector<std::string> otherWords(const Diagnosis& diagnosis, const SymbolicTrace& trace);
// "T2 line 14, left > 0: 1 -> yes; in the passing run 0 -> no". Of a diagnosis with another path that has a
// decision.
std::string decisionWords(const Diagnosis& diagnosis, const SymbolicTrace& trace);
// "turned: 20/20 pass · control: 0/20 pass"
std::string contrastWords(const Contrast& contrast);
// "failing schedule 20/20 failed; alternate …", or "not validated: " and why.
std::string certificateWords(const Diagnosis& diagnosis);

} // namespace symbiosis
