// Theory (§3.3, "Read-write constraints"). A read r of a cell is matched to a write w of that cell, or to the
// initial value. The match says: r's symbol has w's value, w is before r, and every other write x of the cell
// is before w or after r. Which x and w come into question is cut down by the must-order: per thread, the
// writes of a cell are a list in program order, and those surely before r (surely after r) are a prefix (a
// suffix) of it. From the prefix only the last can be read; the suffix never.
#include "constraints/memory_encoding.h"
#include <algorithm>
#include <unordered_map>

namespace symbiosis {

namespace {

struct Access {
  EventRef event = kNoEvent;
  const Part* part = nullptr;
};

struct CellUse {
  std::vector<Access> reads;
  std::vector<std::vector<Access>> writes; // one list for each thread that writes, in program order
};

std::vector<CellUse> accessesByCell(const SymbolicTrace& trace) {
  std::vector<CellUse> cells(trace.cells.size());
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    for (const Part& part : trace.partsOf(ref)) {
      CellUse& cell = cells[part.cell];
      if (part.symbol != kNone) cell.reads.push_back({ref, &part});
      if (part.written == kNoExpr) continue;
      if (cell.writes.empty() || trace.threadOf(cell.writes.back().back().event) != trace.threadOf(ref))
        cell.writes.emplace_back();
      cell.writes.back().push_back({ref, &part});
    }
  return cells;
}

class MemoryEncoder {
public:
  MemoryEncoder(Z3Session& session, OrderTerms& order, ExprTerms& terms, const SymbolicTrace& trace,
                const CallWatch& watch)
      : session_(session), order_(order), must_(order.must()), terms_(terms), trace_(trace), watch_(watch) {}

  void encodeRead(const Access& read, const CellUse& cell) {
    session_.about(Fact{Fact::Kind::read, read.event});
    std::vector<z3::expr> matches;
    if (mayReadInitial(read, cell)) matches.push_back(matchInitial(read, cell));
    for (const std::vector<Access>& writes : cell.writes)
      for (const Access& write : readable(writes, read))
        if (!surelyOverwritten(write, read, cell)) matches.push_back(matchWrite(read, write, cell));
    requireOne(read.event, matches);
  }

private:
  using Writes = std::span<const Access>;

  // How many of a thread's writes are surely before `event`.
  size_t countBefore(Writes writes, EventRef event) const {
    return size_t(std::partition_point(writes.begin(), writes.end(),
                                       [&](const Access& w) { return must_.before(w.event, event); }) -
                  writes.begin());
  }
  // How many are not surely after it.
  size_t countNotAfter(Writes writes, EventRef event) const {
    return size_t(std::partition_point(writes.begin(), writes.end(),
                                       [&](const Access& w) { return !must_.before(event, w.event); }) -
                  writes.begin());
  }
  Writes readable(Writes writes, const Access& read) const {
    const size_t first = countBefore(writes, read.event), end = countNotAfter(writes, read.event);
    return writes.subspan(first > 0 ? first - 1 : 0, end - (first > 0 ? first - 1 : 0));
  }

  // The first of a thread's writes of which it must be said that it does not lie between: of those surely before
  // the read, the last speaks for the others.
  size_t firstBetween(Writes writes, const Access& write, const Access& read) const {
    const size_t beforeWrite = countBefore(writes, write.event), beforeRead = countBefore(writes, read.event);
    return std::max(beforeWrite, beforeRead > 0 ? beforeRead - 1 : 0);
  }

  bool mayReadInitial(const Access& read, const CellUse& cell) const {
    return std::none_of(cell.writes.begin(), cell.writes.end(), [&](const std::vector<Access>& writes) {
      return must_.before(writes.front().event, read.event);
    });
  }
  // Also true of a read-modify-write's own write, which its read cannot see.
  bool surelyOverwritten(const Access& write, const Access& read, const CellUse& cell) const {
    if (write.event == read.event) return true;
    return std::any_of(cell.writes.begin(), cell.writes.end(), [&](const std::vector<Access>& writes) {
      const size_t before = countBefore(writes, read.event);
      return before > 0 && must_.before(write.event, writes[before - 1].event);
    });
  }

  z3::expr matchInitial(const Access& read, const CellUse& cell) {
    z3::expr_vector parts(session_.context());
    parts.push_back(valueOf(read) == cellValue(trace_.cells[read.part->cell].initial, read));
    for (const std::vector<Access>& writes : cell.writes)
      if (writes.front().event != read.event) parts.push_back(order_.before(read.event, writes.front().event));
    return z3::mk_and(parts);
  }

  z3::expr matchWrite(const Access& read, const Access& write, const CellUse& cell) {
    watch_.check();
    z3::expr_vector parts(session_.context());
    parts.push_back(valueOf(read) == cellValue(write.part->written, read));
    parts.push_back(order_.before(write.event, read.event));
    for (const std::vector<Access>& writes : cell.writes) {
      const size_t end = countNotAfter(writes, read.event);
      for (size_t i = firstBetween(writes, write, read); i < end; ++i) {
        const EventRef other = writes[i].event;
        if (other == write.event || other == read.event) continue;
        parts.push_back(order_.before(other, write.event) || order_.before(read.event, other));
        if (trace_.threadOf(other) == trace_.threadOf(write.event)) break; // the rest comes later still
      }
    }
    return z3::mk_and(parts);
  }

  void requireOne(EventRef read, const std::vector<z3::expr>& matches) {
    if (matches.size() == 1) return order_.require(read, matches[0]);
    z3::expr_vector any(session_.context());
    for (const z3::expr& match : matches) {
      z3::expr chosen = session_.literal("match");
      session_.require(z3::implies(chosen, match));
      any.push_back(chosen);
    }
    order_.require(read, z3::mk_or(any));
  }

  z3::expr valueOf(const Access& read) { return terms_.symbol(read.part->symbol); }
  z3::expr cellValue(ExprId expr, const Access& read) {
    return resized(terms_.term(expr), trace_.cells[read.part->cell].size * 8u);
  }

  Z3Session& session_;
  OrderTerms& order_;
  const MustOrder& must_;
  ExprTerms& terms_;
  const SymbolicTrace& trace_;
  const CallWatch& watch_;
};

} // namespace

void encodeMemory(Z3Session& session, OrderTerms& order, ExprTerms& terms, const SymbolicTrace& trace,
                  const std::vector<bool>& relevantCells, const CallWatch& watch) {
  MemoryEncoder encoder(session, order, terms, trace, watch);
  const std::vector<CellUse> cells = accessesByCell(trace);
  for (size_t i = 0; i < cells.size(); ++i)
    for (const Access& read : cells[i].reads)
      if (relevantCells[i]) encoder.encodeRead(read, cells[i]);
  session.about({});
}

} // namespace symbiosis
