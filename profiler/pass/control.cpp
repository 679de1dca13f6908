// Before each point a call of a gate (runtime/gates.cpp): `if (index++ >= stop) __symbiosis_point(…)`, with both
// numbers in TLS. The runtime sets `stop` to the next index at which it wants to be asked. The check is not
// inlined: in large functions it kept the register allocator busy for minutes, and the gate takes a nanosecond.
#include "profiler/pass/control.h"
#include "profiler/pass/call_sites.h"
#include "profiler/pass/numbering.h"
#include "profiler/pass/outside_calls.h"
#include "trace/control_protocol.h"
#include "trace/event_kind.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace symbiosis {
namespace {

struct Announcement {
  uint32_t kind;  // EventKind, perhaps with format::kAnyAccess, or a fence
  Value* address; // null: none
};

// pinAccess makes plain accesses monotonic.
uint32_t orderOf(AtomicOrdering ordering) {
  return isStrongerThanMonotonic(ordering) ? format::kOrderedAccess : 0;
}

Announcement announcementOf(Instruction& point) {
  if (auto* load = dyn_cast<LoadInst>(&point))
    return {uint32_t(EventKind::read) | orderOf(load->getOrdering()), load->getPointerOperand()};
  if (auto* store = dyn_cast<StoreInst>(&point))
    return {uint32_t(EventKind::write) | orderOf(store->getOrdering()), store->getPointerOperand()};
  if (auto* rmw = dyn_cast<AtomicRMWInst>(&point)) return {uint32_t(EventKind::rmw), rmw->getPointerOperand()};
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&point))
    return {uint32_t(EventKind::rmw), exchange->getPointerOperand()};
  if (auto* fill = dyn_cast<MemSetInst>(&point))
    return {uint32_t(EventKind::write) | format::kRangeAccess, fill->getRawDest()};
  // Whether a copy counts as a read, a write or both depends on which side is shared.
  if (auto* copy = dyn_cast<MemTransferInst>(&point))
    return {uint32_t(EventKind::rmw) | format::kAnyAccess | format::kRangeAccess, copy->getRawDest()};
  // What a function outside does with what it is given is not known: nothing, or anything.
  if (point.hasMetadata(kGivenMetadata))
    return {uint32_t(EventKind::rmw) | format::kAnyAccess | format::kRangeAccess, nullptr};
  // A function that looks at memory.
  if (auto* call = dyn_cast<CallBase>(&point)) return {uint32_t(EventKind::read), call->getArgOperand(0)};
  return {format::kFence, nullptr};
}

// What the gate does not look at: both sides of a copy, if there is anything to copy.
void touch(IRBuilder<>& builder, Value* address, Value* length, RuntimeInterface& runtime) {
  builder.CreateCall(runtime.touches, {builder.CreateAddrSpaceCast(address, runtime.pointer), length});
}

void controlPoint(Instruction& point, RuntimeInterface& runtime) {
  IRBuilder<> builder(&point);
  const Announcement announcement = announcementOf(point);
  Value* address = announcement.address ? builder.CreateAddrSpaceCast(announcement.address, runtime.pointer)
                                        : static_cast<Value*>(ConstantPointerNull::get(runtime.pointer));
  auto* number = mdconst::extract<ConstantInt>(point.getMetadata(kPointMetadata)->getOperand(0));
  runtime.passPoint(builder, address, uint64_t(announcement.kind) << 32 | number->getZExtValue());
  if (auto* range = dyn_cast<MemIntrinsic>(&point)) {
    Value* length = builder.CreateZExtOrTrunc(range->getLength(), runtime.i64);
    touch(builder, range->getRawDest(), length, runtime);
    if (auto* copy = dyn_cast<MemTransferInst>(&point)) touch(builder, copy->getRawSource(), length, runtime);
  }
  if (point.hasMetadata(kGivenMetadata))
    for (unsigned looked : argumentsLookedAt(cast<CallBase>(point)))
      touch(builder, cast<CallBase>(point).getArgOperand(looked), builder.getInt64(1), runtime);
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
