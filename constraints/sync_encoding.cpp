// Theory (§3.3, "Synchronization constraints"). fork/start and exit/join are must-edges and need nothing
// here. Two critical sections of one mutex do not overlap: one is released before the other is acquired. This
// says per pair what the paper says per triple; both have the same models. A trylock that fails proves that
// somebody else holds the mutex: it lies inside a section of another thread.
#include "constraints/sync_encoding.h"

namespace symbiosis {

namespace {

class SyncEncoder {
public:
  SyncEncoder(Z3Session& session, OrderTerms& order, const SymbolicTrace& trace)
      : session_(session), order_(order), trace_(trace) {}

  void encodeStart(const StartAfterAny& any) {
    z3::expr_vector created(session_.context());
    for (EventRef fork : any.forks) created.push_back(order_.before(fork, any.start));
    session_.require(z3::mk_or(created));
  }

  void encodeMutex(const MutexUse& use, const CallWatch& watch) {
    for (size_t i = 0; i < use.sections.size(); ++i) {
      watch.check();
      for (size_t j = i + 1; j < use.sections.size(); ++j) exclude(use.sections[i], use.sections[j]);
    }
    for (EventRef trylock : use.busyTrylocks) encodeBusy(trylock, use);
  }

private:
  void exclude(const CriticalSection& a, const CriticalSection& b) {
    if (a.thread == b.thread || precedesSurely(a, b) || precedesSurely(b, a)) return;
    session_.require(precedes(a, b) || precedes(b, a));
  }
  bool precedesSurely(const CriticalSection& a, const CriticalSection& b) const {
    return a.release != kNoEvent && order_.must().before(a.release, b.acquire);
  }
  z3::expr precedes(const CriticalSection& a, const CriticalSection& b) {
    return a.release == kNoEvent ? session_.truth(false) : order_.before(a.release, b.acquire);
  }

  void encodeBusy(EventRef trylock, const MutexUse& use) {
    z3::expr_vector inside(session_.context());
    for (const CriticalSection& section : use.sections) {
      if (section.thread == trace_.threadOf(trylock)) continue;
      z3::expr held = order_.before(section.acquire, trylock);
      if (section.release != kNoEvent) held = held && order_.before(trylock, section.release);
      inside.push_back(held);
    }
    session_.require(z3::mk_or(inside));
  }

  Z3Session& session_;
  OrderTerms& order_;
  const SymbolicTrace& trace_;
};

} // namespace

void encodeSync(Z3Session& session, OrderTerms& order, const SymbolicTrace& trace, const SyncStructure& sync,
                const CallWatch& watch) {
  SyncEncoder encoder(session, order, trace);
  for (const StartAfterAny& any : sync.starts) encoder.encodeStart(any);
  for (const MutexUse& use : sync.mutexes) encoder.encodeMutex(use, watch);
}

} // namespace symbiosis
