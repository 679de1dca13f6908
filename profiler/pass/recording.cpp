// What a recorded body logs, in the order in which the decoder (symexec/) reads it back:
//   path    a bit per conditional branch, an index per switch, a marker per landing pad
//   values  the address of every stack slot that may be shared, when it is created; the result of every call that
//           left instrumented code and of inline assembly; the two values of a landing pad; and, by level,
//           addresses: the value of every load, atomic and copy from possibly-shared memory that is in the address
//           slice; full: of all of them. Copies of text are logged at every level
#include "profiler/pass/recording.h"
#include "profiler/pass/address_slice.h"
#include "profiler/pass/call_sites.h"
#include "profiler/pass/control.h"
#include "profiler/pass/path_writer.h"
#include "profiler/pass/value_writer.h"
#include "trace/format.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <optional>

using namespace llvm;

namespace symbiosis {
namespace {

bool hasLoggedResult(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || call->getType()->isVoidTy() || !call->getType()->isSized()) return false;
  if (call->isInlineAsm()) return true;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(call))
    return intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address;
  return leavesInstrumentedCode(*call) && !call->getType()->isTokenTy() && !call->getType()->isMetadataTy();
}

class BodyRecorder {
public:
  BodyRecorder(Function& body, const DenseMap<const BasicBlock*, uint32_t>& blocks, RuntimeInterface& runtime,
               format::Level level)
      : body_(body), runtime_(runtime), level_(level) {
    for (BasicBlock& block : body) {
      if (block.isLandingPad()) landingPads_.push_back({&block, blocks.lookup(&block)});
      for (Instruction& instruction : block) collect(instruction);
      Instruction* end = block.getTerminator();
      if (end->hasMetadata(kRoundMetadata)) rounds_.push_back(end);
      if (auto* branch = dyn_cast<BranchInst>(end); branch && branch->isConditional()) {
        if (branch->getSuccessor(0) != branch->getSuccessor(1)) branches_.push_back(branch);
      } else if (auto* choice = dyn_cast<SwitchInst>(end)) {
        switches_.push_back(choice);
      } else if (isa<ReturnInst, ResumeInst>(end)) {
        returns_.push_back(end);
      }
    }
  }

  void control() { controlAccesses(points_, runtime_); }

  void run() {
    ownNormalDestinations(calls_);
    for (Instruction* jump : rounds_)
      if (isa<InvokeInst>(jump)) SplitEdge(jump->getParent(), cast<InvokeInst>(jump)->getNormalDest());
    storeSites();
    announceAllocations(calls_, runtime_);
    const bool jumps = any_of(calls_, [](CallBase* call) { return call->hasFnAttr(Attribute::ReturnsTwice); });
    const bool path =
        jumps || !branches_.empty() || !rounds_.empty() || !switches_.empty() || !landingPads_.empty();
    const bool values = !logged_.empty() || !copies_.empty() || !slots_.empty() || !landingPads_.empty();
    if (!path && !values) return;
    if (path) path_.emplace(body_, runtime_);
    if (values) values_.emplace(body_, runtime_);
    if (values) recordValues();
    bracketCalls();
    recordLandingPads();
    if (values)
      for (BasicBlock* block : logging_)
        if (!followsMustTail(block->getTerminator())) values_->check(block->getTerminator());
    if (values)
      for (Instruction* end : returns_)
        if (!followsMustTail(end)) saveBefore(end);
    if (path) recordBranches();
    promote();
  }

private:
  void collect(Instruction& instruction) {
    if (mayRecord(instruction)) calls_.push_back(cast<CallBase>(&instruction));
    if (auto* slot = dyn_cast<AllocaInst>(&instruction); slot && slot->hasMetadata(kStackMetadata))
      slots_.push_back(slot);
    if (hasLoggedResult(instruction)) logged_.push_back(&instruction);
    if (!instruction.hasMetadata(kPointMetadata)) return;
    points_.push_back(&instruction);
    pinAccess(instruction);
    if (!isLogged(instruction)) return;
    if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) logged_.push_back(&instruction);
    if (auto* copy = dyn_cast<MemTransferInst>(&instruction); copy && copy->hasMetadata(kLoggedMetadata))
      copies_.push_back(copy);
  }

  bool isLogged(const Instruction& point) const {
    return level_ == format::Level::full || point.hasMetadata(kTextMetadata) ||
           (level_ == format::Level::addresses && point.hasMetadata(kAddressMetadata));
  }

  static bool isMustTail(const Instruction* instruction) {
    const auto* call = dyn_cast_or_null<CallInst>(instruction);
    return call && call->isMustTailCall();
  }
  static bool followsMustTail(const Instruction* end) {
    const Instruction* before = end->getPrevNonDebugInstruction();
    return isMustTail(before) ||
           (before && isa<BitCastInst>(before) && isMustTail(before->getPrevNonDebugInstruction()));
  }

  // Each call out of instrumented code says where it leaves; when the body returns, the place from which *it* was
  // called stands there again, so that the next entry from outside is not taken for a callback of a finished call.
  void storeSites() {
    Value* before = nullptr;
    for (CallBase* call : calls_)
      if (uint32_t site = siteOf(*call)) {
        if (!before) {
          IRBuilder<> top(&body_.getEntryBlock(), body_.getEntryBlock().getFirstInsertionPt());
          before = top.CreateLoad(runtime_.i32, runtime_.siteAddress(top));
        }
        IRBuilder<> builder(call);
        builder.CreateStore(builder.getInt32(site), runtime_.siteAddress(builder));
      }
    if (!before) return;
    for (Instruction* end : returns_)
      if (!followsMustTail(end)) {
        IRBuilder<> builder(end);
        builder.CreateStore(before, runtime_.siteAddress(builder));
      }
  }

  void recordValues() {
    for (AllocaInst* slot : slots_) logAt(slot->getNextNode(), slot);
    for (Instruction* instruction : logged_) {
      IRBuilder<> builder(afterwards(instruction));
      Value* value = instruction;
      if (isa<AtomicCmpXchgInst>(instruction)) value = builder.CreateExtractValue(instruction, 0);
      // After a call the register copy of the pointer is stale; bracketCalls puts its reload before this.
      values_->log(builder, value);
      logging_.insert(builder.GetInsertBlock());
    }
    for (MemTransferInst* copy : copies_) {
      logging_.insert(copy->getParent());
      values_->copy(copy);
    }
  }

  void logAt(Instruction* at, Value* value) {
    IRBuilder<> builder(at);
    values_->log(builder, value);
    logging_.insert(builder.GetInsertBlock());
  }

  void bracketCalls() {
    for (CallBase* call : calls_) {
      if (values_) saveBefore(call);
      if (isMustTail(call)) continue;
      if (call->doesNotReturn() && !isa<InvokeInst>(call)) continue;
      IRBuilder<> builder(afterwards(call));
      if (path_) path_->reload(builder);
      if (values_) values_->reload(builder);
      // setjmp: whether it returns from itself or by a longjmp, the decoder must find the way here.
      if (call->hasFnAttr(Attribute::ReturnsTwice))
        path_->marker(&*builder.GetInsertPoint(), format::kReturnMarker, siteOf(*call));
    }
  }

  static uint32_t siteOf(const CallBase& call) {
    const MDNode* node = call.getMetadata(kSiteMetadata);
    return node ? uint32_t(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue()) : 0;
  }

  void saveBefore(Instruction* at) {
    IRBuilder<> builder(at);
    values_->save(builder);
  }

  void recordLandingPads() {
    for (auto& [block, number] : landingPads_) {
      Instruction* at = &*block->getFirstInsertionPt();
      IRBuilder<> builder(at);
      path_->reload(builder);
      values_->reload(builder);
      values_->log(builder, block->getLandingPadInst());
      logging_.insert(block);
      path_->marker(at, format::kLandingMarker, number);
    }
  }

  void recordBranches() {
    for (Instruction*& jump : rounds_)
      if (auto* invoke = dyn_cast<InvokeInst>(jump)) jump = invoke->getNormalDest()->getTerminator();
    const std::vector<BasicBlock*> needed = blocksThatNeedRoom();
    for (BranchInst* branch : branches_) path_->append(branch, branch->getCondition(), 1);
    for (SwitchInst* choice : switches_) recordSwitch(*choice);
    for (Instruction* jump : rounds_) path_->append(jump, ConstantInt::get(runtime_.i64, 1), 1);
    for (BasicBlock* block : needed) path_->makeRoom(&*block->getFirstInsertionPt());
  }

  static unsigned bitsOf(const SwitchInst& choice) {
    SmallPtrSet<const BasicBlock*, 8> targets(succ_begin(&choice), succ_end(&choice));
    return Log2_32_Ceil(targets.size());
  }

  // At whose beginning the word must not be full: where a loop goes round, before what may write to the log too,
  // and where more bits have been appended since then than there is room for. Everywhere else nobody looks.
  std::vector<BasicBlock*> blocksThatNeedRoom() {
    DenseMap<const BasicBlock*, unsigned> bits, after; // appended at the end; not yet looked at
    for (const BranchInst* branch : branches_) bits[branch->getParent()] = 1;
    for (const SwitchInst* choice : switches_) bits[choice->getParent()] = bitsOf(*choice);
    for (const Instruction* jump : rounds_) bits[jump->getParent()] = 1;
    const ReversePostOrderTraversal<Function*> order(&body_);
    SmallPtrSet<const BasicBlock*, 8> rounds; // begin a loop in which bits are left over
    std::vector<BasicBlock*> needed;
    for (bool isNew = true; isNew;) {
      isNew = false;
      needed.clear();
      after.clear();
      for (BasicBlock* block : order) {
        unsigned before = 0;
        for (const BasicBlock* from : predecessors(block)) before = std::max(before, after.lookup(from));
        const unsigned own = bits.lookup(block);
        const bool isFull = own > format::kBitsPerAppend || before + own > format::kBitsPerAppend;
        if (rounds.contains(block) || (before > 0 && (isFull || sharesTheLog(*block)))) {
          needed.push_back(block);
          before = 0;
        }
        after[block] = own > format::kBitsPerAppend ? 0 : before + own;
      }
      // What a loop leaves over for its next round is known only now.
      SmallPtrSet<const BasicBlock*, 32> passed;
      for (const BasicBlock* block : order) {
        passed.insert(block);
        for (const BasicBlock* next : successors(block))
          if (passed.contains(next) && after.lookup(block) > 0) isNew |= rounds.insert(next).second;
      }
    }
    return needed;
  }
  static bool sharesTheLog(const BasicBlock& block) {
    return isa<ReturnInst, ResumeInst>(block.getTerminator()) || any_of(block, mayRecord);
  }

  // Each distinct successor gets an edge block that appends its index.
  void recordSwitch(SwitchInst& choice) {
    SmallSetVector<BasicBlock*, 8> targets;
    for (BasicBlock* successor : successors(&choice)) targets.insert(successor);
    const unsigned count = Log2_32_Ceil(targets.size());
    if (count == 0) return;
    BasicBlock* from = choice.getParent();
    for (unsigned i = 0; i < targets.size(); ++i) {
      BasicBlock* target = targets[i];
      BasicBlock* edge = BasicBlock::Create(body_.getContext(), "", &body_, target);
      BranchInst* jump = BranchInst::Create(target, edge);
      for (PHINode& phi : target->phis()) {
        Value* value = phi.getIncomingValueForBlock(from);
        while (phi.getBasicBlockIndex(from) >= 0) phi.removeIncomingValue(from, false);
        phi.addIncoming(value, edge);
      }
      for (unsigned s = 0; s < choice.getNumSuccessors(); ++s)
        if (choice.getSuccessor(s) == target) choice.setSuccessor(s, edge);
      for (unsigned left = count; left > 0;) {
        const unsigned now = std::min(left, format::kBitsPerAppend);
        left -= now;
        path_->append(jump, ConstantInt::get(runtime_.i64, (i >> left) & ((1u << now) - 1)), now);
        if (count > format::kBitsPerAppend) path_->makeRoom(jump);
      }
    }
  }

  void promote() {
    std::vector<AllocaInst*> slots;
    if (path_) slots.insert(slots.end(), std::begin(path_->slots), std::end(path_->slots));
    if (values_) slots.push_back(values_->slot);
    DominatorTree tree(body_);
    PromoteMemToReg(slots, tree);
  }

  Function& body_;
  RuntimeInterface& runtime_;
  format::Level level_;
  std::optional<PathWriter> path_;
  std::optional<ValueWriter> values_;
  std::vector<CallBase*> calls_;
  std::vector<AllocaInst*> slots_;
  std::vector<Instruction*> points_, logged_;
  std::vector<MemTransferInst*> copies_;
  std::vector<BranchInst*> branches_;
  std::vector<SwitchInst*> switches_;
  std::vector<Instruction*> rounds_; // jumps that close a loop without decisions
  std::vector<Instruction*> returns_;
  std::vector<std::pair<BasicBlock*, uint32_t>> landingPads_;
  SetVector<BasicBlock*> logging_; // blocks that log values
};

} // namespace

void recordBody(Function& body, const DenseMap<const BasicBlock*, uint32_t>& blocks, RuntimeInterface& runtime,
                format::Level level, bool controlled) {
  BodyRecorder recorder(body, blocks, runtime, level);
  // After the recorder has seen the body's own branches, before it replaces copies.
  if (controlled) recorder.control();
  recorder.run();
  // Nobody debugs a run while it is recorded as it comes; without this the linker would write it all once per
  // level.
  if (!controlled) stripDebugInfo(body);
}

void recordEntry(IRBuilder<>& builder, Function& door, uint32_t functionNumber, RuntimeInterface& runtime) {
  // A thread that was not announced has no logs yet.
  Value* known = builder.CreateLoad(runtime.pointer, runtime.pathAddress(builder));
  auto* adopt = BasicBlock::Create(builder.getContext(), "", &door);
  auto* enter = BasicBlock::Create(builder.getContext(), "", &door);
  builder.CreateCondBr(builder.CreateIsNull(known), adopt, enter);
  builder.SetInsertPoint(adopt);
  builder.CreateCall(runtime.adopt);
  builder.CreateBr(enter);
  builder.SetInsertPoint(enter);
  writeMarker(builder, format::kEntryMarker, functionNumber, runtime);
  writeArguments(builder, door, runtime);
}

} // namespace symbiosis
