#include "constraints/relevance.h"

namespace symbiosis {

namespace {

class Spread {
public:
  explicit Spread(const CompiledTrace& code)
      : code_(code), made_(code.initialValues.size(), nullptr), cellOf_(code.initialValues.size(), kNone),
        writtenTo_(code.trace.cells.size()) {
    for (const CompiledOperation& operation : code.operations) made_[operation.result] = &operation;
    for (const CompiledOperation& operation : code.late) made_[operation.result] = &operation;
    for (const CompiledPart& part : code.parts) {
      if (part.read != kNone) cellOf_[part.read] = part.cell;
      if (part.written != kNone) writtenTo_[part.cell].push_back(part.written);
    }
    found_.cells.assign(code.trace.cells.size(), false);
    found_.slots.assign(code.initialValues.size(), false);
  }

  Relevance run(std::span<const Slot> conditions) {
    for (Slot slot : conditions) reach(slot);
    for (Slot slot : code_.bug) reach(slot);
    while (!pending_.empty()) {
      const Slot slot = pending_.back();
      pending_.pop_back();
      if (const CompiledOperation* operation = made_[slot])
        for (Slot operand : {operation->a, operation->b, operation->c}) reach(operand);
      if (cellOf_[slot] != kNone) reachCell(cellOf_[slot]);
    }
    return std::move(found_);
  }

private:
  void reach(Slot slot) {
    if (found_.slots[slot]) return;
    found_.slots[slot] = true;
    pending_.push_back(slot);
  }
  void reachCell(uint32_t cell) {
    if (found_.cells[cell]) return;
    found_.cells[cell] = true;
    for (Slot written : writtenTo_[cell]) reach(written);
  }

  const CompiledTrace& code_;
  std::vector<const CompiledOperation*> made_; // by slot
  std::vector<uint32_t> cellOf_;               // by slot: the cell it is read from
  std::vector<std::vector<Slot>> writtenTo_;   // by cell
  std::vector<Slot> pending_;
  Relevance found_;
};

} // namespace

Relevance findRelevance(const CompiledTrace& code, std::span<const Slot> conditions) {
  return Spread(code).run(conditions);
}

Relevance findRelevance(const CompiledTrace& code) {
  std::vector<Slot> all;
  for (const CompiledCondition& condition : code.conditions) all.push_back(condition.slot);
  return findRelevance(code, all);
}

} // namespace symbiosis
