#include "dsp/failure_slice.h"
#include <algorithm>

namespace symbiosis {

FailureSlice::FailureSlice(const EvaluatedSchedule& run, Deciders deciders)
    : run_(run), trace_(run.trace()), deciders_(deciders), decisions_(trace_.threads.size()) {
  for (size_t i = 0; i < trace_.conditions.size(); ++i) {
    byEvent_.emplace(trace_.conditions[i].after, i);
    decisions_[trace_.threadOf(trace_.conditions[i].after)].push_back(i);
  }
  for (std::vector<size_t>& own : decisions_)
    std::stable_sort(own.begin(), own.end(),
                     [&](size_t a, size_t b) { return trace_.conditions[a].after > trace_.conditions[b].after; });
  for (ExprId condition : trace_.failure.bug) readsOf(condition);
  if (trace_.failure.event != kNoEvent) decisionsOf(trace_.threadOf(trace_.failure.event), kNoEvent);
  for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
    if (trace_.event(ref).pending) decisionsOf(trace_.threadOf(ref), kNoEvent);
  while (!open_.empty()) follow();
}

void FailureSlice::readsOf(ExprId expr) {
  for (uint32_t symbol : trace_.exprs.symbolsIn(expr))
    if (const EventRef read = trace_.symbols[symbol].event; read != kNoEvent) add(read);
}

// Those before an event; kNoEvent: all. Once is enough.
void FailureSlice::decisionsOf(ThreadIndex thread, EventRef until) {
  std::vector<size_t>& left = decisions_[thread];
  while (!left.empty() && trace_.conditions[left.back()].after < until) {
    readsOf(trace_.conditions[left.back()].expr);
    left.pop_back();
  }
}

void FailureSlice::add(EventRef event) {
  if (seen_.insert(event).second) open_.push_back(event);
}

// Of a read: the writes behind it; of a write: the reads that its value and its place were made from.
void FailureSlice::follow() {
  const EventRef event = open_.back();
  open_.pop_back();
  const Event& e = trace_.event(event);
  bool writes = false;
  for (uint32_t part = e.firstPart; part < e.firstPart + e.partCount; ++part) {
    cells_.insert(trace_.parts[part].cell);
    writes |= trace_.parts[part].written != kNoExpr;
    if (trace_.parts[part].written != kNoExpr) readsOf(trace_.parts[part].written);
    if (run_.isFeasible() && run_.reads(part))
      if (const EventRef source = run_.source(part); source != kNoEvent) add(source);
  }
  if (writes && deciders_ == Deciders::ofAllWriters) decisionsOf(trace_.threadOf(event), event);
  for (auto [at, end] = byEvent_.equal_range(event); at != end; ++at)
    if (trace_.conditions[at->second].kind == ConditionKind::address) readsOf(trace_.conditions[at->second].expr);
}

} // namespace symbiosis
