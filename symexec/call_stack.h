#pragma once
// The functions that a thread is in, with the values of their instructions; and how people call what is there:
// places in the source, and names of variables.
#include "symexec/log_reader.h"
#include "symexec/walk_context.h"
#include <span>

namespace symbiosis {

struct Frame {
  const FunctionPlan* plan = nullptr;
  std::vector<Scalar> scalars;
  uint32_t block = 0;
  uint32_t step = 0;
  const Step* call = nullptr; // of the caller: receives the result; null: entered from outside
  uint64_t instance = 0;
  size_t firstStackObject = 0; // of this frame, in ThreadMemory
  uint64_t privateTop = 0;     // of the caller
  std::vector<Scalar> variadic;
  std::vector<Range> slots;     // that others may reach
  const Step* passed = nullptr; // the call whose point has been passed (Step::given); null: none

  const Step& current() const { return plan->steps[step]; }
};

class CallStack {
public:
  CallStack(WalkContext& context, const LogReader& logs) : context_(context), logs_(logs) {}

  // --- frames ---
  bool empty() const { return frames_.empty(); }
  size_t depth() const { return frames_.size(); }
  Frame& top() { return frames_.back(); }
  const Frame& top() const { return frames_.back(); }
  Frame& operator[](size_t depth) { return frames_[depth]; } // 0: the outermost
  const Frame& operator[](size_t depth) const { return frames_[depth]; }
  Frame& push(const llvm::Function& function, std::span<const Scalar> arguments, const Step* call);
  Frame pop(); // its values are gone
  void clear() { frames_.clear(); }

  // The top frame stands before the point of this call, or is still to be counted as there.
  bool isBeforePoint(const Step& step) const { return step.given && top().passed != &step; }

  // --- values ---
  const Scalar* operand(const Step& step, unsigned number) const {
    const Frame& f = frames_.back();
    return scalarAt(f, f.plan->operands[step.operands + number]);
  }
  Scalar* result(const Step& step) { return &frames_.back().scalars[step.result]; }
  // `position` is numbered like FunctionPlan::operands.
  static const Scalar* scalarAt(const Frame& f, uint32_t position) {
    return position < f.plan->scalars ? &f.scalars[position] : &f.plan->constants[position - f.plan->scalars];
  }
  const Scalar* valueOf(const llvm::Value* value) const { return valueIn(frames_.back(), value); } // null: none
  const std::vector<ScalarLayout>& layoutOf(llvm::Type* type) const { return context_.planner.layouts.of(type); }
  uint64_t sizeOf(llvm::Type* type) const { return context_.planner.layouts.storeSize(type); } // in memory
  // Null: unknown.
  const llvm::Function* calleeOf(const llvm::CallBase& call) const;

  // --- places and names ---
  const llvm::Instruction* instruction() const { return frames_.back().current().instruction; }
  // The calls that are active, outermost first.
  std::vector<const llvm::Instruction*> callers() const;
  // `at` and the calls that are active around it, innermost first.
  std::vector<const llvm::Instruction*> withCallers(const llvm::Instruction& at) const;
  // Of this instruction or, in a library, of the call that led to it; null: unknown.
  const llvm::DILocation* statementOf(const llvm::Instruction* at, uint64_t* frame = nullptr) const;
  std::string lineOf(const llvm::Instruction* at) const;   // "at a.c:3", for people
  static std::string placeOf(const llvm::Instruction* at); // " at a.c:3 (main:  %1 = …)"
  // Of the memory that `pointer` points to, as the instruction sees it.
  std::string nameOf(const llvm::Value* pointer, const llvm::Instruction* at, uint64_t size) const;
  // "memcpy"; "a function called through a pointer at a.c:3"
  std::string nameOfCallee(const llvm::CallBase& call) const;
  const std::string& threadId() const { return logs_.id(); }
  // Throws ExecutionError.
  [[noreturn]] void fail(const std::string& what, const llvm::Instruction* at) const;

private:
  // In code of a library: of the object that the program's own code called it for; empty: unknown.
  std::string nameOfOwner(const llvm::Instruction* at) const;
  std::string nameOfReceiver(size_t depth) const;
  IndexValue indexIn(const Frame& frame) const;
  static const Scalar* valueIn(const Frame& frame, const llvm::Value* value);
  std::string nameIn(const Frame& frame, const llvm::Value* pointer, const llvm::Instruction* at,
                     uint64_t size) const;

  WalkContext& context_;
  const LogReader& logs_;
  std::vector<Frame> frames_;
  std::vector<std::vector<Scalar>> spareScalars_; // of frames that have been left
  uint64_t instances_ = 0;
};

} // namespace symbiosis
