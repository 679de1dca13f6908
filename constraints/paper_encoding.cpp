// Theory (§3.3). Locks: a critical section is the first of its mutex, or there is one right before it: no third
// one between the two. Reads: a read has the value of a write before it, and every other write is before that one
// or after the read. We add what the paper leaves out: the initial value as a write before everything, sections
// that are never released, broadcasts, and the write of an atomic read-modify-write, which its own read does not
// see.
#include "constraints/paper_encoding.h"

namespace symbiosis {

namespace {

struct Access {
  EventRef event = kNoEvent;
  const Part* part = nullptr;
};

z3::expr releasedBefore(Z3Session& session, const OrderTerms& order, const CriticalSection& a,
                        const CriticalSection& b) {
  return a.release == kNoEvent ? session.truth(false) : order.compare(a.release, b.acquire);
}

} // namespace

void encodePaperMutex(Z3Session& session, const OrderTerms& order, const MutexUse& use, const CallWatch& watch) {
  auto before = [&](size_t a, size_t b) {
    return releasedBefore(session, order, use.sections[a], use.sections[b]);
  };
  for (size_t own = 0; own < use.sections.size(); ++own) {
    z3::expr_vector any(session.context()), first(session.context());
    for (size_t other = 0; other < use.sections.size(); ++other)
      if (other != own) first.push_back(before(own, other));
    any.push_back(z3::mk_and(first));
    for (size_t previous = 0; previous < use.sections.size(); ++previous) {
      if (previous == own) continue;
      watch.check();
      z3::expr_vector all(session.context());
      all.push_back(before(previous, own));
      for (size_t third = 0; third < use.sections.size(); ++third)
        if (third != own && third != previous) all.push_back(before(own, third) || before(third, previous));
      any.push_back(z3::mk_and(all));
    }
    session.require(z3::mk_or(any));
  }
}

void encodePaperCondition(Z3Session& session, const OrderTerms& order, const ConditionUse& use) {
  std::vector<EventRef> wakes;
  for (const ConditionUse::Wait& wait : use.waits)
    if (wait.wake != kNoEvent && !wait.alone) wakes.push_back(wait.wake);
  std::vector<z3::expr_vector> mapped(wakes.size(), z3::expr_vector(session.context())); // to each wake
  auto map = [&](EventRef waker, bool mapsOne) {
    z3::expr_vector own(session.context());
    for (size_t i = 0; i < wakes.size(); ++i) {
      const z3::expr literal = session.literal("wakes");
      session.require(z3::implies(literal, order.compare(waker, wakes[i])));
      mapped[i].push_back(literal);
      own.push_back(literal);
    }
    if (mapsOne && own.size() > 1) session.require(z3::atmost(own, 1));
  };
  for (EventRef signal : use.signals) map(signal, true);
  for (EventRef broadcast : use.broadcasts) map(broadcast, false);
  for (size_t i = 0; i < wakes.size(); ++i) session.require(z3::mk_or(mapped[i]));
}

void encodePaperMemory(Z3Session& session, OrderTerms& order, ExprTerms& terms, const SymbolicTrace& trace,
                       const CallWatch& watch) {
  std::vector<std::vector<Access>> reads(trace.cells.size()), writes(trace.cells.size());
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    for (const Part& part : trace.partsOf(ref)) {
      if (part.symbol != kNone) reads[part.cell].push_back({ref, &part});
      if (part.written != kNoExpr) writes[part.cell].push_back({ref, &part});
    }
  for (uint32_t cell = 0; cell < trace.cells.size(); ++cell)
    for (const Access& read : reads[cell]) {
      const z3::expr value = terms.symbol(read.part->symbol);
      auto sees = [&](ExprId expr) { return value == resized(terms.term(expr), trace.cells[cell].size * 8u); };
      z3::expr_vector any(session.context()), initial(session.context());
      initial.push_back(sees(trace.cells[cell].initial));
      for (const Access& write : writes[cell])
        if (write.event != read.event) initial.push_back(order.compare(read.event, write.event));
      any.push_back(z3::mk_and(initial));
      for (const Access& write : writes[cell]) {
        if (write.event == read.event) continue;
        watch.check();
        z3::expr_vector all(session.context());
        all.push_back(sees(write.part->written));
        all.push_back(order.compare(write.event, read.event));
        for (const Access& other : writes[cell])
          if (other.event != write.event && other.event != read.event)
            all.push_back(order.compare(other.event, write.event) || order.compare(read.event, other.event));
        any.push_back(z3::mk_and(all));
      }
      order.require(read.event, z3::mk_or(any));
    }
}

} // namespace symbiosis
