#pragma once
// Walks one thread along its recorded path through the snapshot. Everything is computed concretely; what depends
// on shared memory is computed as an expression beside it. One path, no search, no solver.
#include "symexec/names.h"
#include "symexec/path_cursor.h"
#include "symexec/plan.h"
#include "symexec/thread_events.h"
#include "trace/recording.h"
#include "llvm/IR/IntrinsicInst.h"
#include <stdexcept>
#include <unordered_set>

namespace symbiosis {

// The path cannot be followed further because of our own limits; caught in this room.
struct ExecutionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What all threads of a recording have in common.
struct ExecutionContext {
  const Snapshot& snapshot;
  const AddressMap& addresses;
  Planner& planner;
  ExprPool& exprs;
  Memory& initial; // of the globals
  NameFinder& names;
  Sharing& sharing;
  bool discovering = true; // first walk: note accesses; second walk: make events
  uint32_t nextSymbol = 0;
  // The run failed by its exit status: the one that a passing run has.
  std::optional<int> expectedExit = {};
};

class ThreadExecutor {
public:
  ThreadExecutor(ExecutionContext& context, const ThreadLog& log);
  // Throws ExecutionError.
  ThreadEvents run();

private:
  struct Frame {
    const FunctionPlan* plan = nullptr;
    std::vector<Scalar> scalars;
    uint32_t block = 0;
    uint32_t step = 0;
    const Step* call = nullptr; // of the caller: receives the result; null: entered from outside
    uint64_t instance = 0;
    size_t firstStackObject = 0; // in live_
    uint64_t privateTop = 0;     // of the caller
    std::vector<Scalar> variadic;
  };

  // --- flow (executor.cpp) ---
  bool enterFromOutside();
  void enterFunction(const llvm::Function& function, std::vector<Scalar> arguments, const Step* call);
  void enterBlock(const llvm::BasicBlock* block);
  void copyPhis(const BlockPlan& target, const llvm::BasicBlock* from);
  void leaveFunction(const Scalar* result, size_t count);
  bool step(); // false: the thread's path ends here
  bool branch(const Step& step, const llvm::BranchInst& branch);
  bool switchOver(const Step& step, const llvm::SwitchInst& choice);
  bool unwind();
  bool returnToSetjmp(uint32_t site);
  bool exhausted() const { return cursor_.atEnd() && nextOp_ == log_.ops.size(); }

  // --- calls (calls.cpp) ---
  bool call(const Step& step, const llvm::CallBase& call);
  bool callOutside(const Step& step, const llvm::CallBase& call);
  bool finishOutsideCall(const Step& step, const llvm::CallBase& call);
  void noteUnmodelled(const std::string& what);
  void noteUnmodelled(const Step& step, const llvm::CallBase& call);
  void intrinsic(const Step& step, const llvm::IntrinsicInst& call);
  bool floatIntrinsic(const Step& step, const llvm::IntrinsicInst& call);
  void overflowIntrinsic(const Step& step, const llvm::IntrinsicInst& call);
  const format::OpRecord* opHere(uint32_t site) const;
  void takeOp(const format::OpRecord& record, const Step* step);
  void syncEvent(const format::OpRecord& record, const Step* step);
  bool mutexEvent(uint64_t mutex, EventKind kind);
  void outsideWrote(const format::OpRecord& record, const Step* step);
  std::string nameOfSyncObject(uint64_t object, const Step* step);
  void failureHere(const Step& step);
  void exitHere(const Step& step, const Scalar& status);

  // --- data (operations.cpp) ---
  void operate(const Step& step);
  void binaryOperation(const Step& step, const llvm::BinaryOperator& operation);
  void compareIntegers(const Step& step, const llvm::ICmpInst& compare);
  void castOperation(const Step& step, const llvm::CastInst& cast);
  void repack(const Step& step, llvm::Type* from, llvm::Type* to);
  void floatOperation(const Step& step);
  void elementPointer(const Step& step, const llvm::GetElementPtrInst& gep);
  void choose(const Step& step, const llvm::SelectInst& select);
  Scalar binary(ExprOp op, Scalar a, Scalar b, unsigned width);
  Scalar widen(Scalar value, unsigned from, unsigned to, bool isSigned);
  Scalar narrow(Scalar value, unsigned to);
  ExprId exprOf(const Scalar& value, unsigned width);
  Scalar fromExpr(ExprId expr, uint64_t bits, bool known);
  // Its concrete bits; a symbolic value is fixed to them by a condition.
  uint64_t concrete(const Scalar& value, unsigned width);

  // --- memory (accesses.cpp) ---
  void allocate(const Step& step, const llvm::AllocaInst& slot);
  void load(const Step& step, const llvm::LoadInst& load);
  void store(const Step& step, const llvm::StoreInst& store);
  void readModifyWrite(const Step& step, const llvm::AtomicRMWInst& operation);
  void compareExchange(const Step& step, const llvm::AtomicCmpXchgInst& operation);
  void copyMemory(const Step& step, const llvm::MemTransferInst& copy);
  void fillMemory(const Step& step, const llvm::MemSetInst& fill);
  uint64_t address(const Step& step, unsigned operand);
  // Before the value of a possibly-shared range is used: refreshes the shared pieces with symbols, checks the rest
  // against what was logged.
  void readRange(RawEvent* event, uint64_t address, uint64_t size, const uint8_t* logged);
  void writtenRange(RawEvent* event, uint64_t address, uint64_t size);
  void loadScalars(llvm::Type* type, uint64_t address, Scalar* out);
  void storeScalars(llvm::Type* type, uint64_t address, const Scalar* values);
  // The event of a point, if its range is shared; null otherwise. Counts the point.
  RawEvent* beginAccess(const Step& step, EventKind kind, uint64_t address, uint64_t size, bool shared);
  bool isTail() const { return exhausted(); }

  // --- helpers ---
  Frame& frame() { return frames_.back(); }
  const Scalar* operand(const Step& step, unsigned number) {
    const Frame& f = frames_.back();
    const uint32_t at = f.plan->operands[step.operands + number];
    return at < f.plan->scalars ? &f.scalars[at] : &f.plan->constants[at - f.plan->scalars];
  }
  const Scalar* valueOf(const llvm::Value* value) const;
  Scalar* result(const Step& step) { return &frame().scalars[step.result]; }
  const std::vector<ScalarLayout>& layoutOf(llvm::Type* type) { return context_.planner.layouts.of(type); }
  const uint8_t* takeValues(uint64_t size);
  void takeScalars(llvm::Type* type, Scalar* out);
  RawEvent& addEvent(EventKind kind, const llvm::Instruction* at);
  void addCondition(ExprId expr, bool isBranch, const llvm::Instruction* at,
                    const llvm::BasicBlock* otherSide = nullptr);
  std::string nameOf(const llvm::Value* pointer, const llvm::Instruction* at, uint64_t size);
  [[noreturn]] void fail(const std::string& what, const llvm::Instruction* at) const;

  ExecutionContext& context_;
  const ThreadLog& log_;
  PathCursor cursor_;
  size_t nextOp_ = 0;
  size_t nextValue_ = 0;
  std::string pastEnd_; // zeros, for values that the log leaves out
  Memory memory_;
  std::vector<Frame> frames_;
  std::vector<size_t> live_; // stack objects of the active frames, positions in result_.stackObjects
  uint64_t frameInstances_ = 0;
  uint64_t privateTop_ = kPrivateMemory;
  uint64_t pointIndex_ = 0;
  uint64_t lastTimestamp_ = 0;
  bool ended_ = false;
  std::unordered_set<ExprId> fixed_; // conditions that are no branches, each once
  bool exiting_ = false;             // the process is ending with a status that is the failure
  ThreadEvents result_;
  std::vector<std::pair<uint64_t, unsigned>> held_; // mutexes and how often

  // Private stack slots live where no real address can be.
  static constexpr uint64_t kPrivateMemory = uint64_t{1} << 60;
};

} // namespace symbiosis
