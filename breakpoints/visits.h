#pragma once
// The events of a trace by the statements of the sources: which of them belong to one execution of a statement,
// and how often its thread had come to that statement. Triggers are inserted between statements, so this is as
// fine as they can be, but for the few expressions that can be taken apart.
#include "breakpoints/source_text.h"
#include "trace/source_files.h"
#include "trace/symbolic_trace.h"
#include <map>
#include <memory>

namespace symbiosis {

struct SourcePlace {
  std::string file; // as the debug information spells it
  Place place;
  auto operator<=>(const SourcePlace&) const = default;
};

// A point of a thread's run at which something can be inserted: its n-th coming to a place.
struct Coming {
  SourcePlace at;
  uint32_t nth = 1;  // from 1
  uint32_t line = 0; // for people
};

class Visits {
public:
  Visits(const SymbolicTrace& trace, const SourceFiles& sources);

  // The execution of a statement that the event is part of; equal numbers: the same. kNone: the event is in no
  // source that could be changed.
  uint32_t visitOf(EventRef event) const { return visits_[event]; }
  // The first event of the same execution of a statement.
  EventRef firstOf(EventRef event) const { return visits_[event] == kNone ? event : first_[visits_[event]]; }
  // Before the statement of the event. Error gaveUp: nothing can be inserted there, and why.
  Result<Coming> before(EventRef event) const;
  // In the middle of its statement, right before the event.
  Result<Coming> within(EventRef event) const;

  // Behind the statement of the event.
  Result<Coming> behind(EventRef event) const;

  const SourceText* textOf(const std::string& file) const;
  // "queue.c:31"
  std::string describe(EventRef event) const;

private:
  // The innermost location of the event that lies in a source of the program's own; null: there is none.
  const SourceLocation* ownLocation(EventRef event) const;
  void number(ThreadIndex thread);

  const SymbolicTrace& trace_;
  std::map<std::string, std::unique_ptr<SourceText>> texts_;
  std::vector<uint32_t> visits_; // by event
  std::vector<uint32_t> nth_;    // by visit
  std::vector<EventRef> first_;  // by visit
};

} // namespace symbiosis
