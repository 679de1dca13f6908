#include "profiler/pass/bodies.h"
#include "profiler/pass/call_sites.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace symbiosis {
namespace {

using BodyOf = DenseMap<Function*, Function*>; // original -> body in one mode

bool needsDoor(const Function& function) { return !function.hasLocalLinkage() || function.hasAddressTaken(); }

void selectFast(Function& body) {
  for (Attribute::AttrKind other : {Attribute::AlwaysInline, Attribute::OptimizeForSize, Attribute::MinSize})
    body.removeFnAttr(other);
  body.addFnAttr(Attribute::NoInline);
  body.addFnAttr(Attribute::OptimizeNone);
}

Function* cloneBody(Function& original, const Body& like, ValueToValueMapTy& map) {
  Function* body = CloneFunction(&original, map);
  body->setName(original.getName() + ".symbiosis." + like.suffix);
  if (like.care == BodyCare::fastBuilt) selectFast(*body);
  body->setLinkage(GlobalValue::InternalLinkage);
  body->setVisibility(GlobalValue::DefaultVisibility);
  body->setComdat(nullptr);
  body->setDSOLocal(true);
  return body;
}

// Calls of instrumented functions stay inside the mode.
void redirectCalls(Function& body, const BodyOf& bodyOf) {
  for (BasicBlock& block : body)
    for (Instruction& instruction : block)
      if (auto* call = dyn_cast<CallBase>(&instruction); call && !leavesInstrumentedCode(*call))
        if (auto* callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts()))
          if (auto at = bodyOf.find(callee); at != bodyOf.end()) {
            call->setCalledOperand(at->second);
            call->removeFnAttr(Attribute::Memory); // the body writes logs
          }
}

void jumpTo(IRBuilder<>& builder, Function& door, Function& body) {
  SmallVector<Value*, 8> arguments;
  for (Argument& argument : door.args()) arguments.push_back(&argument);
  CallInst* call = builder.CreateCall(&body, arguments);
  call->setCallingConv(body.getCallingConv());
  call->setAttributes(door.getAttributes().removeFnAttributes(door.getContext()));
  call->setTailCallKind(CallInst::TCK_MustTail);
  if (door.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

void makeDoor(Function& door, uint32_t number, GlobalVariable* mode, const std::vector<Body>& bodies,
              const std::vector<BodyOf>& bodyOf) {
  door.deleteBody(); // also forgets linkage
  LLVMContext& context = door.getContext();
  auto* entry = BasicBlock::Create(context, "", &door);
  IRBuilder<> builder(entry);
  auto* choice =
      builder.CreateSwitch(builder.CreateLoad(builder.getInt32Ty(), mode), entry, unsigned(bodies.size()));
  for (size_t i = 0; i < bodies.size(); ++i) {
    auto* block = BasicBlock::Create(context, bodies[i].suffix, &door);
    if (i == 0)
      choice->setDefaultDest(block);
    else
      choice->addCase(builder.getInt32(uint32_t(bodies[i].mode)), block);
    IRBuilder<> inside(block);
    if (bodies[i].enter) bodies[i].enter(inside, door, number);
    jumpTo(inside, door, *bodyOf[i].lookup(&door));
  }
}

} // namespace

void makeBodies(Numbering& numbering, GlobalVariable* mode, const std::vector<Body>& bodies) {
  std::vector<BodyOf> bodyOf(bodies.size());
  std::vector<std::pair<Function*, uint32_t>> originals;
  std::vector<DenseMap<const BasicBlock*, uint32_t>> blocksOf(bodies.size());
  for (uint32_t number = 0; number < numbering.functions.size(); ++number) {
    Function* original = numbering.functions[number];
    if (!isInstrumented(*original)) continue;
    originals.push_back({original, number});
    auto clone = [&](size_t i) {
      ValueToValueMapTy map;
      bodyOf[i][original] = cloneBody(*original, bodies[i], map);
      // So that the runtime knows whether a fault came from instrumented code.
      if (bodies[i].instrument) bodyOf[i][original]->setSection(format::kBodiesSection);
      for (const BasicBlock& block : *original)
        blocksOf[i][cast<BasicBlock>(map.lookup(&block))] = numbering.blocks.lookup(&block);
    };
    for (size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].care == BodyCare::whole) clone(i);
    stripDebugInfo(*original);
    for (size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].care != BodyCare::whole) clone(i);
  }
  for (size_t i = 0; i < bodies.size(); ++i)
    for (auto& [original, body] : bodyOf[i]) redirectCalls(*body, bodyOf[i]);
  for (auto& [original, number] : originals) {
    const GlobalValue::LinkageTypes linkage = original->getLinkage();
    Comdat* comdat = original->getComdat();
    Constant* personality = original->hasPersonalityFn() ? original->getPersonalityFn() : nullptr;
    makeDoor(*original, number, mode, bodies, bodyOf);
    original->setLinkage(linkage);
    original->setComdat(comdat);
    if (personality) original->setPersonalityFn(nullptr);
    // The door only jumps; attributes that promised something about memory or inlining no longer hold.
    original->removeFnAttr(Attribute::AlwaysInline);
    original->removeFnAttr(Attribute::Memory);
    original->addFnAttr(Attribute::NoInline);
    original->removeFnAttr(Attribute::OptimizeNone);
  }
  for (size_t i = 0; i < bodies.size(); ++i)
    for (auto& [original, body] : bodyOf[i]) {
      body->removeFnAttr(Attribute::Memory);
      if (!bodies[i].instrument) continue;
      pinDivisions(*body);
      bodies[i].instrument(*body, blocksOf[i]);
    }
  // Functions that are only called directly have no more callers: every call was redirected.
  for (auto& [original, number] : originals)
    if (!needsDoor(*original) && original->use_empty()) {
      numbering.functions[number] = nullptr;
      original->eraseFromParent();
    }
}

} // namespace symbiosis
