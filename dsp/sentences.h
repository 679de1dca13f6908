#pragma once
// The words for what happened in one failing run: who, where, with which value, and how to keep it from
// happening.
#include "dsp/critical_sections.h"
#include "dsp/diagnosis.h"
#include "dsp/wording.h"
#include "trace/evaluated_schedule.h"

namespace symbiosis {

inline constexpr size_t kLongestHeadline = 115; // characters

struct Unguarded; // dsp/unguarded.h

class Sentences {
public:
  Sentences(const SymbolicTrace& trace, const EventOrder& failing, const ShownFailure& failure);

  std::string thread(EventRef event) const { return trace_.threads[trace_.threadOf(event)].displayName; }
  // " (line 19)", or nothing.
  std::string at(EventRef event) const { return inParentheses(trace_.event(event).location); }
  // "line 19", or the event's kind where the line is not known.
  std::string placeWord(EventRef event) const;
  // "lines 10–19", or both places if they are not lines of one file.
  std::string span(EventRef first, EventRef last) const;
  // Whether the event stands where the failing check does.
  bool samePlace(EventRef event) const;
  // What the event read or wrote in the failing run.
  std::string value(EventRef event);
  std::string source(EventRef write) const {
    return write == kNoEvent ? "the initial value" : thread(write) + at(write);
  }
  std::string variableOf(const Dataflow& flow) const;
  // Whether the access was there in the failing run (Part::guard). A number in SymbolicTrace::parts.
  bool isThere(uint32_t part) const { return failing_.touches(part); }

  // "T2's assert (line 19) fails".
  std::string failureWords() const;
  std::string atomicHint(EventRef first, EventRef last) const;
  std::string orderHint(EventRef first, EventRef second) const;
  // Both events stand in critical sections, and those have no lock in common; then which locks these are, in a
  // sentence. Empty: not so.
  std::string differentLocksHint(EventRef mine, EventRef other) const;
  // "T2 writes x (line 241, called from line 263) without m, which T1 holds when it reads it (line 248): hold m
  // there, too."
  std::string forgottenLockHint(const Unguarded& unguarded) const;

protected:
  const CriticalSections& sections() const { return sections_; }
  const SymbolicTrace& trace_;
  const ShownFailure failure_;
  EvaluatedSchedule failing_;

private:
  std::string inParentheses(uint32_t location) const;

  CriticalSections sections_;
  std::string_view file_;
};

} // namespace symbiosis
