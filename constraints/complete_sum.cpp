// Theory. Let every write of a cell be v + c, where v is what its thread read from the cell before and c is a
// constant of the write, and let all c have the same sign. What a read sees is the initial value and the sum of a
// chain: of the write that it reads from, of the write which that one's read reads from, and so on. If the check
// fails for every smaller sum than that of all writes, then in a passing schedule the chain of the read that is
// checked has all of them, each after the read of the next: between the read and the write of one there is no
// other.
//
//   T1: r1 = x; x = r1 + 1      T2: r2 = x; x = r2 + 1      T0, after both: assert(x == 2)
//
// Plain writes are allowed where they come before everything else: the last of them then is the initial value.
// What the counter is compared with may be in memory, too, if it is written before.
#include "constraints/complete_sum.h"
#include "constraints/must_order.h"
#include "constraints/sync_structure.h"
#include <numeric>
#include <optional>
#include <set>

namespace symbiosis {

namespace {

class SumFinder {
public:
  explicit SumFinder(const CompiledTrace& code) : trace_(code.trace) {}

  std::vector<Update> run() {
    if (!findChecked() || !readWrites() || !orderPlainWrites() || !onlyAllPass()) return {};
    return std::move(updates_);
  }

private:
  // The bug condition is about one read of one cell, and about reads that see the same in every schedule.
  bool findChecked() {
    std::set<uint32_t> symbols;
    for (ExprId conjunct : trace_.failure.bug)
      for (uint32_t symbol : trace_.exprs.symbolsIn(conjunct)) symbols.insert(symbol);
    for (uint32_t symbol : symbols) {
      if (trace_.symbols[symbol].event == kNoEvent) return false;
      if (const std::optional<uint64_t> value = sureValue(symbol))
        known_.emplace_back(symbol, *value);
      else if (checked_ == kNone)
        checked_ = symbol;
      else
        return false;
    }
    if (checked_ == kNone) return false;
    checkedAt_ = trace_.symbols[checked_].event;
    cell_ = cellOf(checked_);
    return cell_ != kNone && trace_.exprs.isConstant(trace_.cells[cell_].initial);
  }

  uint32_t cellOf(uint32_t symbol) const {
    for (const Part& part : trace_.partsOf(trace_.symbols[symbol].event))
      if (part.symbol == symbol) return part.cell;
    return kNone;
  }

  // Whatever is written to the cell is a constant, in one thread, before the read.
  std::optional<uint64_t> sureValue(uint32_t symbol) {
    const uint32_t cell = cellOf(symbol);
    if (cell == kNone || !trace_.exprs.isConstant(trace_.cells[cell].initial)) return {};
    ExprId value = trace_.cells[cell].initial;
    EventRef last = kNoEvent;
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      for (const Part& part : trace_.partsOf(ref)) {
        if (part.cell != cell || part.written == kNoExpr) continue;
        const bool isPlain = part.guard == kNoExpr && trace_.exprs.isConstant(part.written);
        if (!isPlain || (last != kNoEvent && trace_.threadOf(last) != trace_.threadOf(ref))) return {};
        last = ref;
        value = part.written;
      }
    if (last != kNoEvent && !must().before(last, trace_.symbols[symbol].event)) return {};
    return trace_.exprs.constantValue(value);
  }

  const MustOrder& must() {
    if (!must_) must_.emplace(trace_, analyseSync(trace_).must);
    return *must_;
  }

  bool readWrites() {
    std::vector<bool> isUsed(trace_.symbols.size(), false); // by an update
    base_ = trace_.exprs.constantValue(trace_.cells[cell_].initial);
    width_ = trace_.exprs.width(trace_.cells[cell_].initial);
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      for (const Part& part : trace_.partsOf(ref)) {
        if (part.cell != cell_) continue;
        if (part.guard != kNoExpr) return false;
        if (part.written == kNoExpr) continue;
        if (trace_.exprs.width(part.written) != width_) return false;
        if (trace_.exprs.isConstant(part.written)) {
          if (!plain_.empty() && trace_.threadOf(plain_.back()) != trace_.threadOf(ref)) return false;
          plain_.push_back(ref);
          base_ = trace_.exprs.constantValue(part.written);
          continue;
        }
        uint32_t symbol = kNone;
        int64_t amount = 0;
        if (!isUpdate(part.written, symbol, amount) || isUsed[symbol]) return false;
        isUsed[symbol] = true;
        const EventRef read = trace_.symbols[symbol].event;
        if (read == kNoEvent || trace_.threadOf(read) != trace_.threadOf(ref) || read > ref ||
            !readsCell(read, symbol))
          return false;
        reads_.push_back(read);
        const bool isTooLate = trace_.threadOf(read) == trace_.threadOf(checkedAt_) && read >= checkedAt_;
        if (isTooLate || amount == 0) continue;
        if (!count(amount)) return false;
        if (read != ref) updates_.push_back({read, ref});
      }
    return updates_.size() > 1;
  }

  // v + c or v - c.
  bool isUpdate(ExprId expr, uint32_t& symbol, int64_t& amount) const {
    const ExprNode& node = trace_.exprs.node(expr);
    if (node.op != ExprOp::add && node.op != ExprOp::sub) return false;
    ExprId value = node.a, constant = node.b;
    if (node.op == ExprOp::add && trace_.exprs.isConstant(value)) std::swap(value, constant);
    if (!trace_.exprs.isConstant(constant) || trace_.exprs.node(value).op != ExprOp::symbol) return false;
    symbol = uint32_t(trace_.exprs.node(value).value);
    const uint64_t bits = trace_.exprs.constantValue(constant);
    amount = signExtend(node.op == ExprOp::sub ? (0 - bits) & maskOf(width_) : bits, width_);
    return true;
  }
  bool readsCell(EventRef event, uint32_t symbol) const {
    for (const Part& part : trace_.partsOf(event))
      if (part.symbol == symbol) return part.cell == cell_;
    return false;
  }

  // False: not all of one sign, or so much that the sum could be had in other ways.
  bool count(int64_t amount) {
    constexpr uint64_t kMost = uint64_t{1} << 40;
    if ((amount < 0) != (sign_ < 0) && sign_ != 0) return false;
    sign_ = amount < 0 ? -1 : 1;
    const uint64_t size = amount < 0 ? 0 - uint64_t(amount) : uint64_t(amount);
    if (size > kMost || (total_ += size) > std::min(kMost, maskOf(width_))) return false;
    step_ = std::gcd(step_, size);
    return true;
  }

  bool orderPlainWrites() {
    if (plain_.empty()) return true;
    if (!must().before(plain_.back(), checkedAt_)) return false;
    return std::all_of(reads_.begin(), reads_.end(),
                       [&](EventRef read) { return must().before(plain_.back(), read); });
  }

  // Does the check fail for every sum but that of all?
  bool onlyAllPass() const {
    constexpr uint64_t kMostSums = 1'000'000;
    if (total_ / step_ > kMostSums) return false;
    ExprEvaluator values(trace_.exprs);
    for (uint64_t sum = 0; sum < total_; sum += step_) {
      values.reset();
      for (const auto& [symbol, value] : known_) values.assign(symbol, value);
      values.assign(checked_, (sign_ < 0 ? base_ - sum : base_ + sum) & maskOf(width_));
      for (ExprId conjunct : trace_.failure.bug)
        if (values.value(conjunct) == 0) return false;
    }
    return true;
  }

  const SymbolicTrace& trace_;
  std::optional<MustOrder> must_;                    // when it is first needed
  std::vector<std::pair<uint32_t, uint64_t>> known_; // symbols of the bug condition, and what they are
  uint32_t checked_ = kNone, cell_ = kNone;
  EventRef checkedAt_ = kNoEvent;
  uint64_t base_ = 0, total_ = 0, step_ = 0;
  unsigned width_ = 0;
  int sign_ = 0;
  std::vector<EventRef> plain_, reads_; // writes of constants, in one thread; reads of updates
  std::vector<Update> updates_;
};

} // namespace

std::vector<Update> updatesNotToLose(const CompiledTrace& code) { return SumFinder(code).run(); }

} // namespace symbiosis
