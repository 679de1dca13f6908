// Before each point: `if (index >= stop) __symbiosis_point(address, kind, number); ++index;` with both numbers in
// TLS. The runtime sets `stop` to the next index at which it wants to be asked, so that a thread that may go on
// passes its points without a call.
#include "profiler/pass/control.h"
#include "profiler/pass/call_sites.h"
#include "profiler/pass/numbering.h"
#include "trace/event_kind.h"
#include "trace/format.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace symbiosis {
namespace {

struct Announcement {
  uint32_t kind;  // EventKind, perhaps with format::kAnyAccess, or a fence
  Value* address; // null: none
};

Announcement announcementOf(Instruction& point) {
  if (auto* load = dyn_cast<LoadInst>(&point)) return {uint32_t(EventKind::read), load->getPointerOperand()};
  if (auto* store = dyn_cast<StoreInst>(&point)) return {uint32_t(EventKind::write), store->getPointerOperand()};
  if (auto* rmw = dyn_cast<AtomicRMWInst>(&point)) return {uint32_t(EventKind::rmw), rmw->getPointerOperand()};
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&point))
    return {uint32_t(EventKind::rmw), exchange->getPointerOperand()};
  if (auto* fill = dyn_cast<MemSetInst>(&point)) return {uint32_t(EventKind::write), fill->getRawDest()};
  // Whether a copy counts as a read, a write or both depends on which side is shared.
  if (auto* copy = dyn_cast<MemTransferInst>(&point))
    return {uint32_t(EventKind::rmw) | format::kAnyAccess, copy->getRawDest()};
  // A function that looks at memory.
  if (auto* call = dyn_cast<CallBase>(&point)) return {uint32_t(EventKind::read), call->getArgOperand(0)};
  return {format::kFence, nullptr};
}

void controlPoint(Instruction& point, RuntimeInterface& runtime) {
  IRBuilder<> builder(&point);
  const Announcement announcement = announcementOf(point);
  Value* index = builder.CreateLoad(runtime.i64, runtime.pointIndexAddress(builder));
  Value* stop = builder.CreateLoad(runtime.i64, runtime.pointStopAddress(builder));
  builder.CreateStore(builder.CreateAdd(index, builder.getInt64(1)), runtime.pointIndexAddress(builder));
  Instruction* end = SplitBlockAndInsertIfThen(builder.CreateICmpUGE(index, stop), &point, false,
                                               MDBuilder(builder.getContext()).createBranchWeights(1, 1000));
  IRBuilder<> rare(end);
  auto* number = mdconst::extract<ConstantInt>(point.getMetadata(kPointMetadata)->getOperand(0));
  Value* address = announcement.address ? rare.CreateAddrSpaceCast(announcement.address, runtime.pointer)
                                        : static_cast<Value*>(ConstantPointerNull::get(runtime.pointer));
  rare.CreateCall(runtime.point, {address, rare.getInt32(announcement.kind), number});
}

} // namespace

void controlAccesses(ArrayRef<Instruction*> points, RuntimeInterface& runtime) {
  for (Instruction* point : points) {
    pinAccess(*point);
    controlPoint(*point, runtime);
  }
}

void controlPoints(Function& body, RuntimeInterface& runtime) {
  std::vector<CallBase*> calls;
  std::vector<Instruction*> points;
  for (Instruction& instruction : instructions(body)) {
    if (mayRecord(instruction)) calls.push_back(cast<CallBase>(&instruction));
    if (instruction.hasMetadata(kPointMetadata)) points.push_back(&instruction);
  }
  ownNormalDestinations(calls);
  announceAllocations(calls, runtime);
  controlAccesses(points, runtime);
}

} // namespace symbiosis
