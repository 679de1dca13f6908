#pragma once
// Builds symbolic traces by hand, for tests: variables are 32-bit globals, mutexes are globals, threads are forked
// in order. The builder takes events thread by thread.
#include "trace/symbolic_trace.h"
#include <fmt/format.h>
#include <map>
#include <string>

namespace symbiosis::testing {

class TraceBuilder {
public:
  explicit TraceBuilder(size_t threads) {
    trace.threads.resize(threads);
    perThread_.resize(threads);
    for (size_t t = 1; t < threads; ++t) trace.threads[t].id = fmt::format("0.{}", t);
    trace.threads[0].startFunction = "main";
  }

  // A 32-bit variable with an initial value.
  void variable(const std::string& name, uint32_t initial) {
    uint32_t object = objectNamed(name, 4);
    trace.cells.push_back({object, 0, 4, trace.exprs.constant(initial, 32)});
    cellOf_[name] = uint32_t(trace.cells.size() - 1);
  }

  // `line` gives each event its place in the file "test.c".
  ExprId read(ThreadIndex thread, const std::string& variable, uint32_t line) {
    Pending& event = add(thread, EventKind::read, variable, line);
    const uint32_t value = symbol(32);
    event.parts.push_back({.cell = cellOf_.at(variable), .symbol = value, .written = kNoExpr});
    return trace.exprs.symbol(value, 32);
  }
  void write(ThreadIndex thread, const std::string& variable, ExprId value, uint32_t line) {
    add(thread, EventKind::write, variable, line)
        .parts.push_back({.cell = cellOf_.at(variable), .symbol = kNone, .written = value});
  }
  // An atomic read-modify-write; `update` turns what was read into what is written.
  template <typename Update>
  ExprId rmw(ThreadIndex thread, const std::string& variable, Update update, uint32_t line) {
    const ExprId before = read(thread, variable, line);
    Pending& event = perThread_[thread].back();
    event.event.kind = EventKind::rmw;
    event.parts.back().written = update(before);
    return before;
  }
  // An access of any shape; `variable` names the object. Cells and symbols are made with `cell` and `symbol`.
  void access(ThreadIndex thread, EventKind kind, const std::string& variable, std::vector<Part> parts,
              uint32_t line) {
    add(thread, kind, variable, line).parts = std::move(parts);
  }
  uint32_t cell(const std::string& object, uint64_t offset, uint8_t size, uint64_t initial) {
    trace.cells.push_back({objectNamed(object, 0), offset, size, trace.exprs.constant(initial, size * 8u)});
    return uint32_t(trace.cells.size() - 1);
  }
  uint32_t symbol(uint8_t width) {
    trace.symbols.push_back({.width = width, .event = kNoEvent, .observed = {}});
    return uint32_t(trace.symbols.size() - 1);
  }
  void lock(ThreadIndex thread, const std::string& mutex, uint32_t line) {
    objectNamed(mutex, 40);
    add(thread, EventKind::lock, mutex, line);
  }
  void unlock(ThreadIndex thread, const std::string& mutex, uint32_t line, bool synthetic = false) {
    objectNamed(mutex, 40);
    add(thread, EventKind::unlock, mutex, line).event.synthetic = synthetic;
  }
  void trylock(ThreadIndex thread, const std::string& mutex, bool acquired, uint32_t line) {
    objectNamed(mutex, 40);
    add(thread, EventKind::trylock, mutex, line).event.outcome = acquired ? 0 : 16; // EBUSY
  }
  void start(ThreadIndex thread) { add(thread, EventKind::start, "", 1); }
  void exit(ThreadIndex thread) { add(thread, EventKind::exit, "", 1); }
  void fork(ThreadIndex thread, ThreadIndex child, uint32_t line) {
    add(thread, EventKind::fork, "", line).event.peer = child;
  }
  void join(ThreadIndex thread, ThreadIndex child, uint32_t line) {
    add(thread, EventKind::join, "", line).event.peer = child;
  }
  // The condition holds after the latest event of the thread.
  void condition(ThreadIndex thread, ExprId expr) { perThread_[thread].back().conditions.push_back(expr); }
  // The latest event of the thread may not have happened.
  void tail(ThreadIndex thread) { perThread_[thread].back().event.tail = true; }
  // The latest event of the thread is what it waits for at the end.
  void pending(ThreadIndex thread, bool bystander = false) {
    perThread_[thread].back().event.pending = true;
    perThread_[thread].back().event.bystander = bystander;
    trace.failure.kind = FailureKind::deadlock;
  }
  // The failing check: fails if all of `bug` hold.
  void failure(ThreadIndex thread, std::vector<ExprId> bug, uint32_t line, std::string message = "check") {
    add(thread, EventKind::failure, "", line).isFailure = true;
    trace.failure.bug = std::move(bug);
    trace.failure.message = std::move(message);
  }
  ExprId constant(uint32_t value) { return trace.exprs.constant(value, 32); }

  SymbolicTrace build() {
    for (ThreadIndex t = 0; t < perThread_.size(); ++t)
      for (size_t i = 0; i < perThread_[t].size(); ++i) {
        Pending& pending = perThread_[t][i];
        EventRef ref = EventRef(trace.events.size());
        pending.event.id = {t, i};
        pending.event.firstPart = uint32_t(trace.parts.size());
        pending.event.partCount = uint32_t(pending.parts.size());
        for (Part& part : pending.parts) {
          if (part.symbol != kNone) trace.symbols[part.symbol].event = ref;
          trace.parts.push_back(part);
        }
        for (ExprId expr : pending.conditions)
          trace.conditions.push_back({expr, ref, ConditionKind::branch, pending.event.location});
        if (pending.isFailure) {
          trace.failure.event = ref;
          trace.failure.location = pending.event.location;
        }
        trace.events.push_back(pending.event);
      }
    finishThreads(trace);
    return std::move(trace);
  }

  SymbolicTrace trace;

private:
  struct Pending {
    Event event;
    std::vector<Part> parts;
    std::vector<ExprId> conditions;
    bool isFailure = false;
  };

  uint32_t objectNamed(const std::string& name, uint64_t size) {
    auto [at, isNew] = objects_.try_emplace(name, uint32_t(trace.objects.size()));
    if (isNew) trace.objects.push_back({ObjectKind::global, "global:" + name, name, size});
    return at->second;
  }
  Pending& add(ThreadIndex thread, EventKind kind, const std::string& variable, uint32_t line) {
    Pending pending;
    pending.event.kind = kind;
    pending.event.variable = variable;
    if (!variable.empty()) pending.event.object = objects_.at(variable);
    pending.event.location = uint32_t(trace.locations.size());
    trace.locations.push_back({"test.c", line, 1, thread == 0 ? "main" : fmt::format("worker{}", thread)});
    perThread_[thread].push_back(std::move(pending));
    return perThread_[thread].back();
  }

  std::vector<std::vector<Pending>> perThread_;
  std::map<std::string, uint32_t> objects_, cellOf_;
};

} // namespace symbiosis::testing
