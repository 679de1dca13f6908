// Theory (§3.3, "Synchronization constraints"). fork/start and exit/join are must-edges and need nothing
// here. Two critical sections of one mutex do not overlap: one is released before the other is acquired. This
// says per pair what the paper says per triple; both have the same models. A trylock that fails proves that
// somebody else holds the mutex: it lies inside a section of another thread. Reader-writer locks are the same with
// sections that may overlap.
//
// A wake that was signalled is matched to one signal or broadcast between its wait-begin and itself; a signal
// matches at most one wait, and none only if nobody is waiting whom nothing has reached; a broadcast matches all
// of these. A taken token of a semaphore is matched to one that was added before; a try that found none lies where
// all tokens added before have been taken before. Arrivals at a barrier fall into rounds, one after the other,
// each full but the last; who has left has seen his round full.
//
// Where not everything is looked at, all this is asked of events that happen only (order_terms.h). A pending event
// that happens must be possible then; if all others have happened and it has not, it must be impossible, which for
// most operations program order alone decides: a mutex is held if its last section was never left.
#include "constraints/sync_encoding.h"
#include "constraints/paper_encoding.h"
#include <algorithm>
#include <set>

namespace symbiosis {

namespace {

class SyncEncoder {
public:
  SyncEncoder(Z3Session& session, OrderTerms& order, const SymbolicTrace& trace)
      : session_(session), order_(order), trace_(trace), everything_(TraceEnd(trace).looksAtEverything()),
        blocked_(session.context()) {}

  z3::expr blocked() const { return z3::mk_and(blocked_); }

  void encodeMust(const SyncStructure& sync) {
    for (const OrderEdge& edge : sync.mustIfHappens)
      order_.require(edge.after, order_.before(edge.before, edge.after));
    for (EventRef event : sync.neverHappen) session_.require(!order_.happens(event));
    for (const JoinUse& use : sync.pendingJoins) {
      const bool exits = use.exit != kNoEvent;
      order_.require(use.join, exits ? order_.before(use.exit, use.join) : session_.truth(false));
      blocked_.push_back(session_.truth(!exits));
    }
  }

  void encodeStart(const StartAfterAny& any) {
    z3::expr_vector created(session_.context());
    for (EventRef fork : any.forks) created.push_back(order_.before(fork, any.start));
    order_.require(any.start, z3::mk_or(created));
  }

  void encodeSections(const MutexUse& use, const CallWatch& watch) {
    for (size_t i = 0; i < use.sections.size(); ++i) {
      watch.check();
      for (size_t j = i + 1; j < use.sections.size(); ++j) exclude(use.sections[i], use.sections[j]);
    }
  }
  void encodePendingLocks(const MutexUse& use) {
    const bool isHeld = isHeldAtEnd(use.sections, [](const auto&) { return true; });
    for (EventRef waiting : use.pending) {
      order_.require(waiting, isFree(waiting, use.sections, [](const auto&) { return true; }));
      if (isHeld) heldAtEnd_.insert(waiting);
      if (trace_.event(waiting).kind == EventKind::lock) blocked_.push_back(session_.truth(isHeld));
    }
  }
  void encodeBusyTrylocks(const MutexUse& use) {
    for (EventRef trylock : use.busyTrylocks) encodeBusy(trylock, use.sections, [](const auto&) { return true; });
  }

  void encodeRwLock(const RwLockUse& use, const CallWatch& watch) {
    for (size_t i = 0; i < use.holds.size(); ++i) {
      watch.check();
      for (size_t j = i + 1; j < use.holds.size(); ++j)
        if (use.holds[i].writes || use.holds[j].writes) exclude(use.holds[i], use.holds[j]);
    }
    for (EventRef reader : use.busyReaders)
      encodeBusy(reader, use.holds, [](const auto& hold) { return hold.writes; });
    for (EventRef writer : use.busyWriters) encodeBusy(writer, use.holds, [](const auto&) { return true; });
    encodePendingHolds(use.pendingReaders, use, [](const auto& hold) { return hold.writes; });
    encodePendingHolds(use.pendingWriters, use, [](const auto&) { return true; });
  }

  void encodeCondition(const ConditionUse& use) {
    std::vector<EventRef> wakers = use.signals;
    wakers.insert(wakers.end(), use.broadcasts.begin(), use.broadcasts.end());
    // matched[w][i]: waker w reaches wait i
    std::vector<std::vector<z3::expr>> matched(wakers.size());
    for (size_t w = 0; w < wakers.size(); ++w)
      for (const ConditionUse::Wait& wait : use.waits) matched[w].push_back(match(wakers[w], wait));
    for (size_t i = 0; i < use.waits.size(); ++i) {
      z3::expr_vector by(session_.context());
      for (size_t w = 0; w < wakers.size(); ++w) by.push_back(matched[w][i]);
      if (by.size() > 1) session_.require(z3::atmost(by, 1));
      if (use.waits[i].wake == kNoEvent || use.waits[i].alone) continue;
      order_.require(use.waits[i].wake, z3::mk_or(by));
      if (!use.waits[i].pending) continue;
      z3::expr_vector missed(session_.context());
      for (const z3::expr& one : by) missed.push_back(!one);
      blocked_.push_back(heldAtEnd_.count(use.waits[i].wake) ? session_.truth(true) : z3::mk_and(missed));
    }
    for (size_t w = 0; w < wakers.size(); ++w) {
      const bool isSignal = w < use.signals.size();
      z3::expr_vector reached(session_.context());
      for (const z3::expr& one : matched[w]) reached.push_back(one);
      if (isSignal && reached.size() > 1) session_.require(z3::atmost(reached, 1));
      for (size_t i = 0; i < use.waits.size(); ++i) {
        z3::expr_vector excused(session_.context());
        if (isSignal)
          excused.push_back(z3::mk_or(reached));
        else
          excused.push_back(matched[w][i]);
        excused.push_back(order_.before(wakers[w], use.waits[i].begin));
        if (use.waits[i].alone) excused.push_back(order_.before(use.waits[i].wake, wakers[w]));
        for (size_t other = 0; other < wakers.size(); ++other)
          if (other != w) excused.push_back(matched[other][i] && order_.before(wakers[other], wakers[w]));
        order_.require(wakers[w], z3::mk_or(excused));
      }
    }
  }

  void encodeSemaphore(const SemaphoreUse& use) {
    std::vector<EventRef> takes = use.takes;
    takes.insert(takes.end(), use.pending.begin(), use.pending.end());
    size_t added = 0;
    for (const SemaphoreUse::Source& source : use.sources) added += source.tokens;
    for (size_t i = 0; i < use.pending.size(); ++i) blocked_.push_back(session_.truth(added <= use.takes.size()));
    // taken[s][i]: take i takes token s; of a source no more tokens than can be told apart
    std::vector<EventRef> tokens;
    for (const SemaphoreUse::Source& source : use.sources)
      tokens.insert(tokens.end(), std::min<size_t>(source.tokens, takes.size() + 1), source.event);
    std::vector<std::vector<z3::expr>> taken(tokens.size());
    for (size_t s = 0; s < tokens.size(); ++s)
      for (EventRef take : takes) {
        taken[s].push_back(session_.literal("token"));
        session_.require(z3::implies(taken[s].back(), order_.before(tokens[s], take)));
      }
    for (size_t i = 0; i < takes.size(); ++i) {
      z3::expr_vector one(session_.context());
      for (size_t s = 0; s < tokens.size(); ++s) one.push_back(taken[s][i]);
      order_.require(takes[i], z3::mk_or(one));
      if (one.size() > 1) session_.require(z3::atmost(one, 1));
    }
    for (size_t s = 0; s < tokens.size(); ++s) {
      z3::expr_vector one(session_.context());
      for (const z3::expr& literal : taken[s]) one.push_back(literal);
      if (one.size() > 1) session_.require(z3::atmost(one, 1));
      for (EventRef failed : use.failedTries) {
        z3::expr_vector gone(session_.context());
        gone.push_back(order_.before(failed, tokens[s]));
        for (size_t i = 0; i < takes.size(); ++i) gone.push_back(taken[s][i] && order_.before(takes[i], failed));
        order_.require(failed, z3::mk_or(gone));
      }
    }
  }

  void encodeBarrier(const BarrierUse& use) {
    const size_t visits = use.visits.size(), rounds = (visits + use.participants - 1) / use.participants;
    std::vector<std::vector<z3::expr>> in(rounds); // in[r][i]: visit i is of round r
    for (size_t r = 0; r < rounds; ++r)
      for (size_t i = 0; i < visits; ++i) in[r].push_back(session_.literal("round"));
    for (size_t i = 0; i < visits; ++i) {
      z3::expr_vector one(session_.context());
      for (size_t r = 0; r < rounds; ++r) one.push_back(in[r][i]);
      session_.require(z3::mk_or(one));
      if (one.size() > 1) session_.require(z3::atmost(one, 1));
    }
    for (size_t r = 0; r < rounds; ++r) {
      z3::expr_vector all(session_.context());
      for (const z3::expr& literal : in[r]) all.push_back(literal);
      session_.require(z3::atmost(all, use.participants));
      const bool isFull = (r + 1) * use.participants <= visits;
      if (isFull) session_.require(z3::atleast(all, use.participants));
      for (size_t i = 0; i < visits; ++i)
        for (size_t j = 0; j < visits; ++j) encodeRound(use, in, r, i, j, isFull);
    }
    const bool lastIsOpen = visits % use.participants != 0;
    for (size_t i = 0; i < visits; ++i)
      if (use.visits[i].pending) blocked_.push_back(lastIsOpen ? in.back()[i] : session_.truth(false));
  }

  // Who stands in the queue stays there if every wake came before he did.
  void encodeFutex(const FutexUse& use) {
    for (const FutexUse::Wait& wait : use.waits) {
      z3::expr_vector woken(session_.context()), missed(session_.context());
      for (EventRef wake : use.wakes) {
        woken.push_back(order_.before(wait.begin, wake) && order_.before(wake, wait.woken));
        missed.push_back(order_.before(wake, wait.begin));
      }
      order_.require(wait.woken, z3::mk_or(woken));
      blocked_.push_back(z3::mk_and(missed));
    }
  }

  void encodeOnce(const OnceUse& use) {
    auto isDone = [&](EventRef event) {
      z3::expr_vector done(session_.context());
      for (EventRef end : use.ends) done.push_back(order_.before(end, event));
      return z3::mk_or(done);
    };
    for (size_t i = 0; i < use.begins.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        session_.require(!order_.happens(use.begins[i]) || !order_.happens(use.begins[j]));
    for (EventRef pass : use.passes) order_.require(pass, isDone(pass));
    for (EventRef waiting : use.pending) {
      z3::expr_vector never(session_.context());
      for (EventRef begin : use.begins) never.push_back(order_.before(waiting, begin));
      order_.require(waiting, z3::mk_and(never) || isDone(waiting));
      blocked_.push_back(session_.truth(!use.begins.empty() && use.ends.empty()));
    }
  }

private:
  z3::expr match(EventRef waker, const ConditionUse::Wait& wait) {
    if (wait.alone && everything_) return session_.truth(false);
    z3::expr literal = session_.literal("wakes");
    session_.require(z3::implies(literal, order_.before(wait.begin, waker)));
    if (wait.alone)
      session_.require(z3::implies(literal, !order_.happens(wait.wake)));
    else if (wait.wake != kNoEvent)
      session_.require(z3::implies(literal, order_.before(waker, wait.wake)));
    return literal;
  }

  void encodeRound(const BarrierUse& use, const std::vector<std::vector<z3::expr>>& in, size_t r, size_t i,
                   size_t j, bool isFull) {
    const BarrierUse::Visit &visit = use.visits[i], &other = use.visits[j];
    if (i != j && r + 1 < in.size())
      session_.require(z3::implies(in[r][i] && in[r + 1][j], order_.before(visit.arrive, other.arrive)));
    if (visit.leave == kNoEvent) return;
    if (!isFull) return order_.require(visit.leave, !in[r][i]);
    if (i != j)
      order_.require(visit.leave, z3::implies(in[r][i] && in[r][j], order_.before(other.arrive, visit.leave)));
  }

  void exclude(const CriticalSection& a, const CriticalSection& b) {
    if (a.thread == b.thread || precedesSurely(a, b) || precedesSurely(b, a)) return;
    const z3::expr apart = precedes(a, b) || precedes(b, a);
    if (everything_)
      session_.require(apart);
    else
      session_.require(apart || !order_.happens(a.acquire) || !order_.happens(b.acquire));
  }
  bool precedesSurely(const CriticalSection& a, const CriticalSection& b) const {
    return a.release != kNoEvent && order_.must().before(a.release, b.acquire);
  }
  z3::expr precedes(const CriticalSection& a, const CriticalSection& b) {
    return a.release == kNoEvent ? session_.truth(false) : order_.before(a.release, b.acquire);
  }

  template <typename Section, typename Counts>
  void encodeBusy(EventRef trylock, const std::vector<Section>& sections, Counts counts) {
    z3::expr_vector inside(session_.context());
    for (const Section& section : sections) {
      if (section.thread == trace_.threadOf(trylock) || !counts(section)) continue;
      z3::expr held = order_.before(section.acquire, trylock);
      if (section.release != kNoEvent) held = held && order_.before(trylock, section.release);
      inside.push_back(held);
    }
    order_.require(trylock, z3::mk_or(inside));
  }

  // --- pending events ---

  template <typename Section, typename Counts>
  static bool isHeldAtEnd(const std::vector<Section>& sections, Counts counts) {
    return std::any_of(sections.begin(), sections.end(),
                       [&](const Section& section) { return section.release == kNoEvent && counts(section); });
  }
  // Each section that counts is over, or not yet begun.
  template <typename Section, typename Counts>
  z3::expr isFree(EventRef event, const std::vector<Section>& sections, Counts counts) {
    z3::expr_vector free(session_.context());
    for (const Section& section : sections) {
      if (!counts(section)) continue;
      z3::expr away = order_.before(event, section.acquire);
      if (section.release != kNoEvent) away = away || order_.before(section.release, event);
      free.push_back(away);
    }
    return z3::mk_and(free);
  }
  template <typename Counts>
  void encodePendingHolds(const std::vector<EventRef>& pending, const RwLockUse& use, Counts counts) {
    for (EventRef waiting : pending) {
      order_.require(waiting, isFree(waiting, use.holds, counts));
      blocked_.push_back(session_.truth(isHeldAtEnd(use.holds, counts)));
    }
  }

  Z3Session& session_;
  OrderTerms& order_;
  const SymbolicTrace& trace_;
  const bool everything_;        // is looked at, so it happens
  z3::expr_vector blocked_;      // one for each pending event
  std::set<EventRef> heldAtEnd_; // returns from waits whose mutex is
};

} // namespace

z3::expr encodeSync(Z3Session& session, OrderTerms& order, const SymbolicTrace& trace, const SyncStructure& sync,
                    Encoding encoding, const CallWatch& watch) {
  SyncEncoder encoder(session, order, trace);
  // The paper's formulas take it that everything happens.
  const bool isPaper = encoding == Encoding::paper && TraceEnd(trace).looksAtEverything();
  encoder.encodeMust(sync);
  for (const StartAfterAny& any : sync.starts) encoder.encodeStart(any);
  auto about = [&](const auto& use) { session.about(Fact{Fact::Kind::object, use.object}); };
  for (const MutexUse& use : sync.mutexes) {
    about(use);
    if (isPaper)
      encodePaperMutex(session, order, use, watch);
    else
      encoder.encodeSections(use, watch);
    encoder.encodeBusyTrylocks(use);
    encoder.encodePendingLocks(use);
  }
  for (const RwLockUse& use : sync.rwlocks) about(use), encoder.encodeRwLock(use, watch);
  for (const ConditionUse& use : sync.conditions) {
    about(use);
    if (isPaper)
      encodePaperCondition(session, order, use);
    else
      encoder.encodeCondition(use);
  }
  for (const SemaphoreUse& use : sync.semaphores) about(use), encoder.encodeSemaphore(use);
  for (const BarrierUse& use : sync.barriers) about(use), encoder.encodeBarrier(use);
  for (const FutexUse& use : sync.futexes) about(use), encoder.encodeFutex(use);
  session.about({});
  for (const OnceUse& use : sync.initialisers) encoder.encodeOnce(use);
  return encoder.blocked();
}

} // namespace symbiosis
