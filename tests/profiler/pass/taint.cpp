#include "tests/profiler/pass/taint.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>

using namespace llvm;

namespace symbiosis::testing {
namespace {

class Taint {
public:
  explicit Taint(const Snapshot& snapshot) : snapshot_(snapshot) {}

  std::set<std::string> run() {
    for (Function* function : snapshot_.functions())
      if (snapshot_.isInstrumented(*function))
        for (Instruction& instruction : instructions(*function)) addSource(instruction);
    while (!pending_.empty()) {
      const Value* value = pending_.front();
      pending_.pop_front();
      for (const Use& use : value->uses()) arrive(use);
    }
    return violations_;
  }

private:
  void taint(const Value* value) {
    if (tainted_.insert(value).second) pending_.push_back(value);
  }

  void addSource(const Instruction& instruction) {
    if (!instruction.hasMetadata(kPointMetadata) || instruction.hasMetadata(kAddressMetadata)) return;
    if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) taint(&instruction);
    if (const auto* copy = dyn_cast<MemTransferInst>(&instruction); copy && copy->hasMetadata(kLoggedMetadata))
      taintSlot(copy->getRawDest());
  }

  // Something tainted is stored at `address`. Only private stack slots are read back without a point.
  void taintSlot(const Value* address) {
    std::set<const Value*> seen;
    std::deque<const Value*> back{address};
    for (; !back.empty(); back.pop_front()) {
      const Value* pointer = back.front();
      if (!seen.insert(pointer).second) continue;
      if (const auto* slot = dyn_cast<AllocaInst>(pointer); slot && !slot->hasMetadata(kStackMetadata))
        taintContents(slot);
      if (isa<GetElementPtrInst, BitCastInst, PHINode>(pointer))
        for (const Value* operand : cast<Instruction>(pointer)->operand_values()) back.push_back(operand);
      if (const auto* select = dyn_cast<SelectInst>(pointer)) {
        back.push_back(select->getTrueValue());
        back.push_back(select->getFalseValue());
      }
    }
  }
  void taintContents(const AllocaInst* slot) {
    if (!slots_.insert(slot).second) return;
    std::set<const Value*> seen;
    std::deque<const Value*> forward{slot};
    for (; !forward.empty(); forward.pop_front()) {
      const Value* pointer = forward.front();
      if (!seen.insert(pointer).second) continue;
      for (const User* user : pointer->users()) {
        if (isa<GetElementPtrInst, BitCastInst, PHINode, SelectInst>(user)) forward.push_back(user);
        if (isa<LoadInst>(user) && !cast<LoadInst>(user)->hasMetadata(kPointMetadata)) taint(user);
        if (const auto* copy = dyn_cast<MemTransferInst>(user);
            copy && copy->getRawSource() == pointer && !copy->hasMetadata(kLoggedMetadata))
          taintSlot(copy->getRawDest());
      }
    }
  }

  void arrive(const Use& use) {
    const auto* user = cast<Instruction>(use.getUser());
    const unsigned number = use.getOperandNo();
    if (isa<LoadInst, AllocaInst>(user)) return violate(*user);
    if (const auto* store = dyn_cast<StoreInst>(user))
      return number == StoreInst::getPointerOperandIndex() ? violate(*user)
                                                           : taintSlot(store->getPointerOperand());
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user) && number == 0) return violate(*user);
    if (isa<AtomicRMWInst>(user)) return; // what it yields was in memory before
    if (isa<AtomicCmpXchgInst>(user)) {
      if (number == 1) taint(user);
      return;
    }
    if (isa<BranchInst, SwitchInst, ResumeInst>(user)) return; // the path says where it went
    if (isa<ReturnInst>(user)) return returnFrom(*user->getFunction());
    if (const auto* call = dyn_cast<CallBase>(user)) return arriveAtCall(*call, use);
    taint(user);
  }

  void returnFrom(const Function& function) {
    for (const Use& use : function.uses())
      if (const auto* call = dyn_cast<CallBase>(use.getUser());
          call && call->isCallee(&use) && !call->hasMetadata(kSiteMetadata))
        taint(call);
  }

  void arriveAtCall(const CallBase& call, const Use& use) {
    if (const auto* memory = dyn_cast<MemIntrinsic>(&call)) {
      const bool isFilling = isa<MemSetInst>(memory) && use.getOperandNo() == 1;
      return isFilling ? taintSlot(memory->getRawDest()) : violate(call);
    }
    if (isa<IntrinsicInst>(call)) return taint(&call);
    if (call.isInlineAsm()) return; // its result is logged
    if (call.hasMetadata(kSiteMetadata)) {
      bool makesSomething = call.isCallee(&use) || !call.use_empty();
      for (const Use& argument : call.args()) makesSomething |= argument->getType()->isPointerTy();
      if (makesSomething) violate(call);
      return;
    }
    if (!call.isArgOperand(&use)) return;
    const unsigned number = call.getArgOperandNo(&use);
    if (call.isByValArgument(number)) return violate(call);
    const Function* callee = cast<Function>(call.getCalledOperand()->stripPointerCasts());
    if (number < callee->arg_size()) taint(callee->getArg(number));
  }

  void violate(const Instruction& instruction) {
    std::string text = instruction.getFunction()->getName().str() + ": ";
    raw_string_ostream stream(text);
    instruction.print(stream);
    violations_.insert(text);
  }

  const Snapshot& snapshot_;
  std::set<const Value*> tainted_;
  std::set<const AllocaInst*> slots_;
  std::deque<const Value*> pending_;
  std::set<std::string> violations_;
};

} // namespace

std::set<std::string> unknownAddresses(const Snapshot& snapshot) { return Taint(snapshot).run(); }

} // namespace symbiosis::testing
