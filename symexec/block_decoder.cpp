// Decodes branch bits to blocks without executing anything: the walk of a thread's path through the control-flow
// graph. The executor follows the same cursor; this is what tests compare with an independent log, and what `dump`
// shows.
#include "symexec/path_cursor.h"
#include "symexec/snapshot.h"
#include "symexec/symexec.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace symbiosis {
namespace {

struct Frame {
  const BasicBlock* block;
  BasicBlock::const_iterator at; // next instruction
};

class BlockDecoder {
public:
  BlockDecoder(const Snapshot& snapshot, const ThreadLog& thread) : snapshot_(snapshot), cursor_(thread.path) {}

  std::vector<uint32_t> run() {
    while (!ended_ && (!frames_.empty() || enterByMarker())) step();
    return std::move(blocks_);
  }

private:
  void enterBlock(const BasicBlock* block) {
    blocks_.push_back(snapshot_.blockNumber(block));
    frames_.back() = {block, block->begin()};
  }
  void enterFunction(const Function* function) {
    frames_.push_back({});
    enterBlock(&function->getEntryBlock());
  }
  bool enterByMarker() {
    std::optional<uint64_t> marker = cursor_.marker();
    if (!marker || format::markerKind(*marker) != format::kEntryMarker) return false;
    const uint32_t number = format::markerTarget(*marker);
    if (number >= snapshot_.functions().size() || !snapshot_.isInstrumented(*snapshot_.functions()[number]))
      return false;
    cursor_.skipMarker();
    enterFunction(snapshot_.functions()[number]);
    return true;
  }
  // An exception that arrives at a pad unwinds to the frame that holds it.
  bool unwindByMarker() {
    std::optional<uint64_t> marker = cursor_.marker();
    if (!marker || format::markerKind(*marker) != format::kLandingMarker) return false;
    const BasicBlock* pad = snapshot_.block(format::markerTarget(*marker));
    if (!pad) return false;
    while (!frames_.empty() &&
           !(frames_.back().block->getParent() == pad->getParent() && unwindsTo(frames_.back(), pad)))
      frames_.pop_back();
    if (frames_.empty()) return false;
    cursor_.skipMarker();
    enterBlock(pad);
    return true;
  }
  static bool unwindsTo(const Frame& frame, const BasicBlock* pad) {
    const auto* invoke = dyn_cast<InvokeInst>(frame.block->getTerminator());
    return invoke && invoke->getUnwindDest() == pad;
  }

  void step() {
    Frame& frame = frames_.back();
    while (frame.at != frame.block->end()) {
      const Instruction& instruction = *frame.at;
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm()) {
        if (instruction.isTerminator()) return leaveBlock(instruction);
        ++frame.at;
        continue;
      }
      if (!instruction.hasMetadata(kSiteMetadata)) {
        ++frame.at;
        const auto* callee = cast<Function>(call->getCalledOperand()->stripPointerCasts());
        return enterFunction(callee);
      }
      // Out of instrumented code: callbacks first, each as often as it was entered from this site.
      if (siteMatches(instruction) && enterByMarker()) return;
      if (siteMatches(instruction) && unwindByMarker()) return;
      if (std::optional<uint64_t> marker = cursor_.marker();
          siteMatches(instruction) && format::markerKind(*marker) == format::kReturnMarker)
        if (!returnToSetjmp(format::markerTarget(*marker))) return end();
      // A longjmp may have left several frames; what follows is behind the setjmp.
      Frame& current = frames_.back();
      const Instruction& returned = *current.at;
      ++current.at;
      if (isa<InvokeInst>(returned)) return continueAfterInvoke(cast<InvokeInst>(returned));
      if (cursor_.atEnd() && cast<CallBase>(returned).doesNotReturn()) return end();
      return;
    }
    // An invoke of an instrumented function has returned.
    if (const auto* invoke = dyn_cast<InvokeInst>(frame.block->getTerminator()))
      return continueAfterInvoke(*invoke);
    end();
  }
  // setjmp returns, for the first time or after a longjmp: the innermost frame that contains its call goes on
  // there.
  bool returnToSetjmp(uint32_t site) {
    const CallBase* call = snapshot_.callAt(site);
    while (!frames_.empty() && !(call && frames_.back().block->getParent() == call->getFunction()))
      frames_.pop_back();
    if (frames_.empty()) return false;
    cursor_.skipMarker();
    frames_.back() = {call->getParent(), call->getIterator()};
    return true;
  }
  bool siteMatches(const Instruction& instruction) const {
    std::optional<uint64_t> marker = cursor_.marker();
    return marker && format::markerSite(*marker) == metadataNumber(instruction, kSiteMetadata);
  }
  void continueAfterInvoke(const InvokeInst& invoke) { enterBlock(invoke.getNormalDest()); }

  void leaveBlock(const Instruction& terminator) {
    if (isa<ReturnInst>(terminator)) {
      frames_.pop_back();
      return;
    }
    if (isa<ResumeInst>(terminator)) {
      if (!unwindByMarker()) frames_.pop_back();
      return;
    }
    if (isa<UnreachableInst>(terminator)) return end();
    if (const auto* choice = dyn_cast<SwitchInst>(&terminator)) return takeSwitch(*choice);
    const auto* branch = cast<BranchInst>(&terminator);
    if (branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return enterBlock(branch->getSuccessor(0));
    std::optional<bool> taken = cursor_.bit();
    if (!taken) return end();
    enterBlock(branch->getSuccessor(*taken ? 0 : 1));
  }
  void takeSwitch(const SwitchInst& choice) {
    SmallSetVector<const BasicBlock*, 8> targets;
    for (const BasicBlock* successor : successors(&choice)) targets.insert(successor);
    std::optional<uint32_t> index = cursor_.bits(Log2_32_Ceil(targets.size()));
    if (!index || *index >= targets.size()) return end();
    enterBlock(targets[*index]);
  }
  void end() { ended_ = true; }

  const Snapshot& snapshot_;
  PathCursor cursor_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> blocks_;
  bool ended_ = false;
};

} // namespace

Result<std::vector<uint32_t>> decodeBlocks(const Recording& recording, const ThreadLog& thread) {
  Result<std::unique_ptr<Snapshot>> snapshot = Snapshot::load(recording.program());
  if (!snapshot) return snapshot.error();
  return BlockDecoder(**snapshot, thread).run();
}

} // namespace symbiosis
