#pragma once
// Walks one thread along its recorded path through the snapshot. Everything is computed concretely; what depends
// on shared memory is computed as an expression beside it. One path, no search, no solver.
#include "symexec/common_memory.h"
#include "symexec/names.h"
#include "symexec/observed_values.h"
#include "symexec/path_cursor.h"
#include "symexec/plan.h"
#include "symexec/symexec.h"
#include "symexec/thread_events.h"
#include "symexec/unknowns.h"
#include "trace/recording.h"
#include "llvm/IR/IntrinsicInst.h"
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace symbiosis {

// The path cannot be followed further because of our own limits; caught in this room.
struct ExecutionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The recording does not have what is needed; the message says how to record more.
struct NotRecorded : std::runtime_error {
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
  SymexecStats& stats;
  format::Level recorded = format::Level::full; // what the logs have …
  format::Level level = format::Level::full;    // … and what of it is used
  Unknowns unknowns{exprs};
  CommonMemory common{exprs};                  // level `path`
  std::map<uint64_t, uint64_t> allocated = {}; // heap blocks of all threads: address, size of the largest
  bool discovering = true;                     // first walk: note accesses; second walk: make events
  uint32_t nextSymbol = 0;
  ObservedValues observed{exprs};
  // Accesses that may be at several places of their object (offsets.cpp).
  bool pinned = false;                          // all stay where they were
  size_t selections = 0;                        // places of such accesses so far
  bool mayTouchMore = false;                    // than was known when this walk began: walk again
  std::map<uint64_t, uint64_t> stackSlots = {}; // of all threads: address, size of the largest
  // The run failed by its exit status: the one that a passing run has.
  std::optional<int> expectedExit = {};
  const format::FailureRecord* failure = nullptr; // of the recording, if it has one
  uint64_t failureTime = ~uint64_t{0};            // when its thread noted it; the others may have gone on
  const format::OpRecord* freed = nullptr;        // by which the memory that faulted was given back, if it was
  bool endsWaiting = false; // the failure is that threads wait: what they wait for becomes pending events
};

class ThreadExecutor {
public:
  ThreadExecutor(ExecutionContext& context, const ThreadLog& log);
  // Throws ExecutionError, NotRecorded.
  ThreadEvents run();
  // Or piece by piece: about one instruction, unless the walk has ended.
  void advance();
  bool ended() const { return ended_; }
  uint64_t points() const { return pointIndex_; }
  uint64_t operations() const { return nextOp_; } // of the log, that have been made
  // After the walk of a thread that a signal ended: 0 if the values that it used explain the signal, 1 if they do
  // not, 2 if it is not even seen where it came.
  unsigned doubt() const;

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
    std::vector<std::pair<uint64_t, uint64_t>> slots; // that others may reach: address, size
  };

  struct Range {
    uint64_t begin = 0, size = 0; // size 0: not known
  };

  // Where the walk was when it came to a call.
  struct CallMark {
    const Step* step = nullptr; // null: none
    uint64_t frame = 0;         // instance
    size_t events = 0, conditions = 0, unmodelled = 0;
    uint64_t pointIndex = 0;
    const llvm::DILocation* statement = nullptr; // of a report
  };

  // --- flow (executor.cpp) ---
  bool enterFromOutside();
  void enterFunction(const llvm::Function& function, std::span<const Scalar> arguments, const Step* call);
  void enterBlock(const llvm::BasicBlock* block);
  void enterBlock(uint32_t index);
  void copyPhis(const BlockPlan& target, uint32_t from);
  void leaveFunction(const Scalar* result, size_t count);
  // False: the thread was cut off there.
  bool goOnAfter(const Step& call);
  bool step(); // false: the thread's path ends here
  bool branch(const Step& step, const llvm::BranchInst& branch);
  bool switchOver(const Step& step, const llvm::SwitchInst& choice);
  bool unwind();
  bool returnToSetjmp(uint32_t site);
  // Nobody knows whether the thread got past the point that is next: no branch, operation or value (that is not
  // zero) is left in the logs, and nothing says that the thread stood behind it.
  bool exhausted() const {
    return cursor_.atEnd() && nextOp_ == log_.ops.size() && nextValue_ >= log_.values.size() &&
           !reached(pointIndex_ + 1);
  }
  // The recording says that the thread stood before this point in the end.
  bool reached(uint64_t index) const { return log_.pending && index <= log_.pending->argument; }
  bool mayNotHaveReturned(const Step& call) const;
  CallMark markHere(const Step& step) const;
  // Of this instruction or, in a library, of the call that led to it; null: unknown.
  const llvm::DILocation* statementOf(const llvm::Instruction* at, uint64_t* frame = nullptr) const;

  // --- calls (calls.cpp) ---
  bool call(const Step& step, const llvm::CallBase& call);
  bool callOutside(const Step& step, const llvm::CallBase& call);
  // `returned`: the record that proves it; null: none.
  bool finishOutsideCall(const Step& step, const llvm::CallBase& call, const format::OpRecord* returned = nullptr);
  const llvm::Function* calleeOf(const llvm::CallBase& call) const; // null: unknown
  void noteUnmodelled(const std::string& what);
  void noteUnmodelled(const Step& step, const llvm::CallBase& call);
  void noteUnmodelledName(const llvm::CallBase& call);
  // Nothing that the program does depends on what the call was given.
  bool onlyShows(const Step& step, const llvm::CallBase& call);
  const format::OpRecord* opHere(uint32_t site) const;
  bool wasCancelledIn(const format::OpRecord& record) const;
  void requestTaken(const format::OpRecord& record, const Step* step);
  bool tellsMore(const Step& step, const format::OpRecord& record) const;
  void takeOp(const format::OpRecord& record, const Step* step);
  void syncEvent(const format::OpRecord& record, const Step* step);
  void endsIn(const format::OpRecord& record, const Step* step);
  bool mutexEvent(uint64_t mutex, EventKind kind);
  void outsideWrote(const format::OpRecord& record, const Step* step);
  std::string nameOfSyncObject(uint64_t object, const Step* step);
  void failureHere(const Step& step);
  void exitHere(const Step& step, const Scalar& status);
  // The call's operation is announced before it is made, and has not been recorded yet.
  bool announces(const Step& step, const llvm::CallBase& call) const;

  // `at` and the calls that are active around it, innermost first.
  std::vector<const llvm::Instruction*> withCallers(const llvm::Instruction& at) const;

  // --- signals (crash.cpp) ---
  static constexpr unsigned kNoArgument = ~0u;
  struct Used {
    unsigned operand;
    uint64_t size;
    const char* verb; // "read of", "write of"
  };
  void noteReport(const Step& step);
  const llvm::Instruction* reportingCall(const Step* step) const;
  bool isFailing() const;   // it is this thread that the recording names
  bool crashIsNext() const; // the walk has come to the last piece of code before the signal
  std::vector<Used> memoryUsed(const Step& step);
  bool crashesHere(const Step& step);
  bool dividesBadly(const Step& step, const llvm::BinaryOperator& operation);
  bool copiesAfter(const Step& step);
  unsigned usedAsArgument(const Step& step);
  ExprId isBadAddress(const Scalar& pointer);
  void crashHere(const Step& step);
  bool usesFreed(const Step& step, const Scalar* guilty) const;
  void readLife(const Step& step, const Scalar& pointer);
  std::string describeCrash(const Step& step, const Scalar*& guilty);
  std::string describeCall(const Step& step, const llvm::CallBase& call, const Scalar*& guilty);
  void endedBySignal(const Step* step);
  void forgetSince(const CallMark& mark, RawEvent& failure);

  // --- intrinsics (intrinsics.cpp) ---
  void intrinsic(const Step& step, const llvm::IntrinsicInst& call);
  bool reduceVector(const Step& step, const llvm::IntrinsicInst& call);
  void overflowIntrinsic(const Step& step, const llvm::IntrinsicInst& call);

  // --- data (operations.cpp) ---
  void operate(const Step& step);
  void binaryOperation(const Step& step, const llvm::BinaryOperator& operation);
  Scalar compared(llvm::ICmpInst::Predicate predicate, Scalar a, Scalar b, unsigned width);
  void compareIntegers(const Step& step, const llvm::ICmpInst& compare);
  void castOperation(const Step& step, const llvm::CastInst& cast);
  void repack(const Step& step, llvm::Type* from, llvm::Type* to);
  static llvm::APInt wide(const Scalar* words, unsigned width);
  void elementPointer(const Step& step, const llvm::GetElementPtrInst& gep);
  void choose(const Step& step, const llvm::SelectInst& select);
  Scalar binary(ExprOp op, Scalar a, Scalar b, unsigned width);
  Scalar widen(Scalar value, unsigned from, unsigned to, bool isSigned);
  Scalar narrow(Scalar value, unsigned to);
  ExprId exprOf(const Scalar& value, unsigned width);
  Scalar fromExpr(ExprId expr, uint64_t bits, bool known);
  Scalar pick(const Scalar& condition, const Scalar& then, const Scalar& otherwise, unsigned width);
  // Its concrete bits; a symbolic value is fixed to them by a condition. If they were not recorded, the result of
  // the current instruction is lost.
  uint64_t concrete(const Scalar& value, unsigned width);
  // The same where there is no going on without them: addresses and sizes.
  uint64_t required(const Scalar& value);
  uint64_t requiredAddress(const Scalar& pointer);
  [[noreturn]] void addressUnknown() const;

  // --- floating point (floats.cpp) ---
  void floatOperation(const Step& step);
  void otherFloatOperation(const Step& step);
  Scalar compareFloats(llvm::FCmpInst::Predicate predicate, const Scalar& a, const Scalar& b, unsigned width);
  void castFloat(const llvm::CastInst& cast, const Scalar* value, Scalar* target);
  void castOtherFloat(const llvm::CastInst& cast, const Scalar* value, Scalar* target);
  static llvm::APFloat toFloat(const Scalar* words, llvm::Type* type);
  Scalar unaryFloat(ExprOp op, const Scalar& a, unsigned from, unsigned to, unsigned low = 0);
  Scalar fusedMultiplyAdd(const Scalar& a, const Scalar& b, const Scalar& c, unsigned width);
  bool floatIntrinsic(const Step& step, const llvm::IntrinsicInst& call);
  std::optional<Scalar> floatInstruction(const llvm::IntrinsicInst& call, const Scalar* const* x, unsigned width);
  void floatClass(const Step& step, const llvm::IntrinsicInst& call);

  // --- what was not recorded (unrecorded.cpp) ---
  Scalar unknown(unsigned width, Unknowns::Kind kind);
  void loseResult(const Step& step);
  // The bytes that were logged for a load or copy; null: none.
  const uint8_t* takeLogged(const Step& step, uint64_t size);
  void readUnlogged(RawEvent* event, uint64_t address, uint64_t size);
  void readTogether(uint64_t address, uint64_t size);
  void writeTogether(uint64_t address, uint64_t size);
  Scalar own(const Piece& piece);
  void forgetWrittenOutside(const Step& step, const llvm::CallBase& call);
  void freshMemory(uint64_t address, uint64_t size, const Step* step);
  void fillThreadLocal(const llvm::Value* variable, uint64_t address);
  static Scalar merged(const Scalar& logged, const Scalar& computed);

  // What a function outside has made of values that are symbolic.
  struct FromOutside {
    std::vector<Range> ranges; // where it may be
    std::vector<Scalar> from;
    const llvm::CallBase* call = nullptr;
    bool ofShared = false; // and of shared memory that it has read without an event
  };
  std::vector<Range> writableOutside(const Step& step, const llvm::CallBase& call);
  void addReachable(uint64_t address, unsigned depth, std::vector<Range>& ranges);
  void usedOutside(const Step& step, const llvm::CallBase& call, const format::OpRecord* returned);
  bool dependsOnShared(const Scalar& value);
  void addSymbolic(Range range, std::vector<Scalar>& values);
  void fixSources(const FromOutside& made);
  void readsFromOutside(uint64_t address, uint64_t size);
  void forgetFromOutside(Range range); // what lies in it altogether

  // --- accesses that may be at several places (offsets.cpp) ---
  struct Target {
    uint64_t address = 0;
    Scalar guard = {.bits = 1}; // the access is here
  };
  struct Targets {
    uint64_t address = 0;        // where it was in the recorded run
    std::vector<Target> several; // all of them, that one first; empty: it can only be there
  };
  Targets targetsOf(const Step& step, unsigned operand, uint64_t size, bool writes);
  struct Offset { // what moves of an address
    ExprId expr = kNoExpr;
    uint64_t observed = 0;
    uint64_t stride = 0;
  };
  std::optional<Offset> offsetOf(const Scalar& pointer);
  Range objectAt(uint64_t address) const;
  void forgetRange(Range range);
  Range privateSlotAt(uint64_t address) const;
  bool isReadable(uint64_t address, uint64_t size) const;
  bool touchesShared(const Targets& targets, uint64_t size) const;
  static void markTarget(RawPart& part, const Target& target);
  void readElsewhere(RawEvent* event, const Target& target, uint64_t size);
  // The value that the access reads. `event`: null if nothing of it is shared.
  void readTargets(RawEvent* event, const Step& step, const Targets& targets, llvm::Type* type, Scalar* out);
  void writeTargets(RawEvent* event, const Targets& targets, llvm::Type* type, const Scalar* values);

  // --- functions of libc that only read (text_functions.cpp) ---
  struct Text { // at which such a function looks
    bool compares = false, searches = false, endsAtZero = false;
    std::vector<uint64_t> begin; // one string, or two to compare
    uint64_t length = 0;         // bytes of each
    bool isWhole = false;        // it never looks further
  };
  Text textOf(const Step& step, const llvm::CallBase& call);
  std::optional<Scalar> byteAt(uint64_t address);
  void learnOperand(const Step& step);
  void lookAtText(const Step& step, const llvm::CallBase& call);

  // --- memory (accesses.cpp) ---
  void allocate(const Step& step, const llvm::AllocaInst& slot);
  void load(const Step& step, const llvm::LoadInst& load);
  void store(const Step& step, const llvm::StoreInst& store);
  void readModifyWrite(const Step& step, const llvm::AtomicRMWInst& operation);
  void compareExchange(const Step& step, const llvm::AtomicCmpXchgInst& operation);
  void copyMemory(const Step& step, const llvm::MemTransferInst& copy);
  void fillMemory(const Step& step, const llvm::MemSetInst& fill);
  uint64_t address(const Step& step, unsigned operand);
  uint32_t newSymbol(std::optional<uint64_t> observed);
  // Before the value of a possibly-shared range is used: refreshes the shared pieces with symbols, checks the rest
  // against what was logged.
  void readRange(RawEvent* event, const Step& step, uint64_t address, uint64_t size, const uint8_t* logged);
  void noteChanges(uint64_t address, uint64_t size, const uint8_t* logged);
  void changedFromOutside(const llvm::Instruction* at);
  void writtenRange(RawEvent* event, uint64_t address, uint64_t size);
  void loadScalars(llvm::Type* type, uint64_t address, Scalar* out);
  void storeScalars(llvm::Type* type, uint64_t address, const Scalar* values);
  Scalar storable(const Scalar& value, unsigned width);
  // The event of a point, if its range is shared; null otherwise. Counts the point.
  RawEvent* beginAccess(const Step& step, EventKind kind, uint64_t address, uint64_t size, bool shared);
  RawEvent* beginAccess(const Step& step, EventKind kind, const Targets& targets, uint64_t size);
  bool isTail() const { return exhausted(); }
  uint64_t latestNow() const;

  // --- helpers ---
  Frame& frame() { return frames_.back(); }
  const Scalar* operand(const Step& step, unsigned number) {
    const Frame& f = frames_.back();
    return scalarAt(f, f.plan->operands[step.operands + number]);
  }
  // `position` is numbered like FunctionPlan::operands.
  static const Scalar* scalarAt(const Frame& f, uint32_t position) {
    return position < f.plan->scalars ? &f.scalars[position] : &f.plan->constants[position - f.plan->scalars];
  }
  const Scalar* valueOf(const llvm::Value* value) const;
  static const Scalar* valueIn(const Frame& frame, const llvm::Value* value);
  Scalar* result(const Step& step) { return &frame().scalars[step.result]; }
  const std::vector<ScalarLayout>& layoutOf(llvm::Type* type) { return context_.planner.layouts.of(type); }
  const uint8_t* takeValues(uint64_t size);
  void takeScalars(llvm::Type* type, Scalar* out);
  RawEvent& addEvent(EventKind kind, const llvm::Instruction* at);
  void addCondition(ExprId expr, bool isBranch, const llvm::Instruction* at,
                    const llvm::BasicBlock* otherSide = nullptr);
  std::string nameOf(const llvm::Value* pointer, const llvm::Instruction* at, uint64_t size);
  std::string nameIn(const Frame& frame, const llvm::Value* pointer, const llvm::Instruction* at, uint64_t size);
  std::string lineOf(const llvm::Instruction* at) const;   // "at a.c:3", for people
  static std::string placeOf(const llvm::Instruction* at); // " at a.c:3 (main:  %1 = …)"
  [[noreturn]] void fail(const std::string& what, const llvm::Instruction* at) const;

  ExecutionContext& context_;
  const ThreadLog& log_;
  PathCursor cursor_;
  size_t nextOp_ = 0;
  size_t nextValue_ = 0;
  size_t nextFound_ = 0; // in what the loads found, level `path`
  std::string pastEnd_;  // zeros, for values that the log leaves out
  Memory memory_;
  std::vector<Frame> frames_;
  std::vector<std::vector<Scalar>> spareScalars_; // of frames that have been left
  std::vector<Scalar> phiValues_, arguments_;     // kept for their room only
  std::vector<size_t> live_; // stack objects of the active frames, positions in result_.stackObjects
  uint64_t frameInstances_ = 0;
  uint64_t privateTop_ = kPrivateMemory + log_.serial * kPrivateRoom;
  uint64_t pointIndex_ = 0;
  uint64_t lastTimestamp_ = 0;
  bool ended_ = false;
  bool lost_ = false;                         // the current instruction needs a value that was not recorded
  std::unordered_set<ExprId> fixed_;          // conditions that are no branches, each once
  bool exiting_ = false;                      // the process is ending with a status that is the failure
  CallMark outside_;                          // the call out of instrumented code that is under way, or was last
  CallMark report_;                           // the first call that reports the check which failed last
  CallMark thrown_;                           // the call that threw the latest exception
  CallMark exit_;                             // where the status was decided that is the failure
  std::vector<FromOutside> fromOutside_;      // that has not been read
  std::unordered_set<uint64_t> threadLocals_; // addresses that have been given their initial value
  ThreadEvents result_;
  std::vector<std::pair<uint64_t, unsigned>> held_; // mutexes and how often

  // How much of the memory behind a pointer a function outside may look at, for all that is known of it.
  static constexpr uint64_t kBehindPointer = 64;
  // Private stack slots live where no real address can be, those of each thread in a place of their own.
  static constexpr uint64_t kPrivateMemory = uint64_t{1} << 60;
  static constexpr uint64_t kPrivateRoom = uint64_t{1} << 36;
};

} // namespace symbiosis
