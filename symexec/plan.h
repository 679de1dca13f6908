#pragma once
// A function prepared for execution: values numbered, operands resolved, so that a step costs array look-ups only.
//
// Every LLVM value is a row of scalars: an integer of up to 64 bits, a pointer, a float or a double is one scalar;
// wider integers and floats are several words; vectors, arrays and structs are their elements in order.
#include "symexec/memory.h"
#include "symexec/snapshot.h"
#include <array>
#include <unordered_map>

namespace symbiosis {

// One scalar of a type: how wide it is, and where it lies in memory.
struct ScalarLayout {
  uint8_t bits = 64;   // 1..64
  uint8_t bytes = 8;   // in memory, 1..8
  uint64_t offset = 0; // from the beginning of the value in memory
};

// Null if a type cannot be held (scalable vectors, vectors of bits in memory).
class TypeLayouts {
public:
  explicit TypeLayouts(const llvm::DataLayout& layout) : layout_(layout) {}
  const std::vector<ScalarLayout>& of(llvm::Type* type) { return known(type).scalars; }
  uint64_t storeSize(llvm::Type* type) { return known(type).storeSize; }
  uint64_t allocSize(llvm::Type* type) const { return layout_.getTypeAllocSize(type); }

private:
  void append(llvm::Type* type, uint64_t offset, std::vector<ScalarLayout>& out);
  struct Known {
    std::vector<ScalarLayout> scalars;
    uint64_t storeSize = 0;
  };
  const Known& known(llvm::Type* type) {
    auto& [latestType, latest] = latest_[reinterpret_cast<uintptr_t>(type) / 8 % latest_.size()];
    if (latestType != type) latest = &look(type), latestType = type;
    return *latest;
  }
  const Known& look(llvm::Type* type);
  const llvm::DataLayout& layout_;
  std::unordered_map<llvm::Type*, Known> known_;
  std::array<std::pair<llvm::Type*, const Known*>, 64>
      latest_{}; // by address: few types are used most of the time
};

struct Step {
  const llvm::Instruction* instruction = nullptr;
  uint32_t result = 0;   // first scalar in the frame
  uint32_t operands = 0; // first entry in FunctionPlan::operands
  uint32_t site = 0;     // 0: stays in instrumented code
  uint32_t targets = 0;  // of a terminator: first entry in FunctionPlan::targets
  uint8_t opcode = 0;    // of the instruction
  // Bits of its only result and of its first operand, if each is one integer or pointer; 0: it is something else.
  uint8_t width = 0, operandWidth = 0;
  bool point = false;
  bool given = false;    // a call that is given memory of the program: a point before all that happens in it
  bool inSlice = false;  // its value is logged at level `addresses`
  bool isText = false;   // part of a copy of text: its value is logged at every level
  bool isReport = false; // a call that is made only for a check that has failed (test_reports.h)
  bool round = false;    // a jump that logs a bit, though nothing is decided
};

// What the phis of a block copy if one comes from a certain block.
struct PhiMoves {
  uint32_t from = 0;                                  // number of that block
  std::vector<std::pair<uint32_t, uint32_t>> scalars; // of an operand, numbered like `operands`, to a result
};

struct BlockPlan {
  const llvm::BasicBlock* block = nullptr;
  uint32_t firstStep = 0;      // behind the phis
  std::vector<PhiMoves> moves; // empty: no phis
};

struct FunctionPlan {
  const llvm::Function* function = nullptr;
  uint32_t scalars = 0;   // size of a frame
  uint32_t arguments = 0; // the first of them
  std::vector<Step> steps;
  // Per instruction operand: its first scalar in the frame, or, from `scalars` on, in `constants`.
  std::vector<uint32_t> operands;
  std::vector<Scalar> constants;
  std::vector<BlockPlan> blocks;
  std::vector<uint32_t> targets; // numbers of the blocks that terminators lead to
  std::unordered_map<const llvm::BasicBlock*, uint32_t> blockIndex;
  std::unordered_map<const llvm::Value*, uint32_t> scalarOf; // numbered like `operands`
};

class Planner {
public:
  Planner(const Snapshot& snapshot, const AddressMap& addresses)
      : snapshot_(snapshot), addresses_(addresses), layouts(snapshot.layout()) {}

  const FunctionPlan& plan(const llvm::Function& function);
  // The scalars of a constant; undefined parts are zero.
  std::vector<Scalar> constant(const llvm::Constant* value);

private:
  uint32_t operand(FunctionPlan& plan, const llvm::Value* value);
  Step makeStep(FunctionPlan& plan, const llvm::Instruction& instruction);
  void addMoves(FunctionPlan& plan, BlockPlan& block);
  void appendConstant(const llvm::Constant* value, std::vector<Scalar>& out);

  const Snapshot& snapshot_;
  const AddressMap& addresses_;
  std::unordered_map<const llvm::Function*, std::unique_ptr<FunctionPlan>> plans_;

public:
  TypeLayouts layouts;
};

} // namespace symbiosis
