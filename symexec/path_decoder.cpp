// Decodes branch bits to blocks without executing anything: the walk of a thread's path through the control-flow
// graph. The executor follows the same cursor.
#include "symexec/path_decoder.h"
#include "symexec/path_cursor.h"
#include "symexec/snapshot.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {
namespace {

struct Frame {
  const BasicBlock* block;
  BasicBlock::const_iterator at; // next instruction
};

class Walk {
public:
  Walk(const Snapshot& snapshot, const ThreadLog& thread, bool wantsPositions)
      : snapshot_(snapshot), cursor_(thread.path), wantsPositions_(wantsPositions) {}

  Result<DecodedPath> run(const ThreadLog& thread) {
    while (!ended_ && (!frames_.empty() || enterByMarker())) step();
    if (!cursor_.atEnd())
      return gaveUp(fmt::format("thread {}: after {} blocks its path (word {} of {}) does not fit the program",
                                thread.id, decoded_.blocks.size(), cursor_.wordOffset() / 8, thread.path.size()));
    return std::move(decoded_);
  }

private:
  void enterBlock(const BasicBlock* block) {
    decoded_.blocks.push_back(snapshot_.blockNumber(block));
    if (wantsPositions_) decoded_.positions.push_back(cursor_.position());
    frames_.back() = {block, block->begin()};
  }
  void enterFunction(const Function* function) {
    frames_.push_back({});
    enterBlock(&function->getEntryBlock());
  }
  bool enterByMarker() {
    std::optional<uint64_t> marker = cursor_.marker();
    while (marker && frames_.empty() && format::markerKind(*marker) == format::kInterruptionMarker) {
      decoded_.interruptions.push_back({decoded_.blocks.size(), *marker & ~format::kInterruptionMarker});
      cursor_.skipMarker();
      marker = cursor_.marker();
    }
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
  void continueAfterInvoke(const InvokeInst& invoke) { jump(invoke, invoke.getNormalDest()); }
  void jump(const Instruction& from, const BasicBlock* to) {
    if (from.hasMetadata(kRoundMetadata) && !cursor_.bit()) return end();
    enterBlock(to);
  }

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
      return jump(terminator, branch->getSuccessor(0));
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
  const bool wantsPositions_;
  DecodedPath decoded_;
  bool ended_ = false;
};

} // namespace

Result<PathDecoder> PathDecoder::open(const Recording& recording) {
  Result<std::unique_ptr<Snapshot>> snapshot = Snapshot::load(recording.program());
  if (!snapshot) return snapshot.error();
  return PathDecoder(std::move(*snapshot));
}

Result<DecodedPath> PathDecoder::decode(const ThreadLog& thread, bool wantsPositions) const {
  return Walk(*snapshot_, thread, wantsPositions).run(thread);
}

// Where the user would look: the outermost place that the code was inlined to.
static std::string placeOf(const Instruction& instruction) {
  const std::string function = demangle(instruction.getFunction()->getName());
  const std::string name = function.substr(0, function.find('('));
  const DILocation* at = instruction.getDebugLoc();
  while (at && at->getInlinedAt()) at = at->getInlinedAt();
  if (!at || at->getLine() == 0) return name;
  return fmt::format("{}:{} {}", std::filesystem::path(at->getFilename().str()).filename().string(), at->getLine(),
                     name);
}

std::string PathDecoder::placeOfBlock(uint32_t number) const {
  const BasicBlock* block = snapshot_->block(number);
  if (!block) return {};
  for (const Instruction& instruction : *block)
    if (instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0) return placeOf(instruction);
  return placeOf(*block->getTerminator());
}

std::string PathDecoder::placeOfSite(uint32_t site) const {
  const CallBase* call = snapshot_->callAt(site);
  return call ? placeOf(*call) : std::string();
}

} // namespace symbiosis
