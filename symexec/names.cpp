// How a name is found: walk from the address back to something that has a name (a global, a local variable, an
// argument, a pointer loaded from a named place), collecting the byte offset on the way; then walk from that
// variable's type down to the member or element at the offset. Indices are printed with the values that they have.
#include "symexec/names.h"
#include "symexec/library_names.h"
#include "trace/symbolic_trace.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace symbiosis {

NameFinder::NameFinder(const Module& module) : layout_(module.getDataLayout()) {
  DebugInfoFinder finder;
  finder.processModule(module);
  for (DIType* type : finder.types())
    if (auto* composite = dyn_cast<DICompositeType>(type))
      if (!composite->isForwardDecl() && !composite->getIdentifier().empty())
        definitions_[composite->getIdentifier().str()] = composite;
}

DIType* NameFinder::strip(DIType* type) const {
  while (auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_member:
    case dwarf::DW_TAG_inheritance: type = derived->getBaseType(); break;
    default: return type;
    }
  }
  if (auto* composite = dyn_cast_or_null<DICompositeType>(type))
    if (composite->isForwardDecl())
      if (auto at = definitions_.find(composite->getIdentifier().str()); at != definitions_.end())
        return at->second;
  return type;
}

bool NameFinder::isPointer(DIType* type) const {
  auto* derived = dyn_cast_or_null<DIDerivedType>(strip(type));
  return derived &&
         (derived->getTag() == dwarf::DW_TAG_pointer_type || derived->getTag() == dwarf::DW_TAG_reference_type ||
          derived->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

uint64_t NameFinder::sizeOf(DIType* type) const {
  DIType* stripped = strip(type);
  return stripped ? stripped->getSizeInBits() / 8 : 0;
}

std::optional<NameFinder::Place> NameFinder::pointedToBy(std::string text, DIType* pointerType, int64_t offset) {
  auto* pointer = dyn_cast_or_null<DIDerivedType>(strip(pointerType));
  if (!pointer || !isPointer(pointer)) return std::nullopt;
  // What a lambda has captured is called in it what it is called around it.
  const auto* object = dyn_cast_or_null<DICompositeType>(strip(pointer->getBaseType()));
  if (text == "this" && object && object->getName().empty()) text.clear();
  const bool isReference = pointer->getTag() != dwarf::DW_TAG_pointer_type;
  return Place{std::move(text), pointer->getBaseType(), offset, !isReference};
}

std::string NameFinder::nameOfGlobal(const GlobalVariable& global) {
  SmallVector<DIGlobalVariableExpression*, 1> variables;
  global.getDebugInfo(variables);
  if (!variables.empty()) return variables[0]->getVariable()->getName().str();
  return global.hasPrivateLinkage() ? std::string() : demangle(global.getName());
}

// The optimiser may have replaced the declaration by what is known after each load: of the variables that got what
// was loaded from the slot, the one that most often did is the slot's own, or else the one that was there first.
static const DILocalVariable* loadedVariable(const AllocaInst& slot) {
  std::map<const DILocalVariable*, size_t> seen;
  for (const User* user : slot.users()) {
    const auto* load = dyn_cast<LoadInst>(user);
    if (!load || load->getType() != slot.getAllocatedType()) continue;
    SmallVector<DbgVariableIntrinsic*, 4> intrinsics;
    SmallVector<DbgVariableRecord*, 4> records;
    findDbgUsers(intrinsics, const_cast<LoadInst*>(load), &records);
    for (const DbgVariableRecord* record : records)
      if (record->getExpression()->getNumElements() == 0 && !record->getDebugLoc()->getInlinedAt())
        ++seen[record->getVariable()];
  }
  const DILocalVariable* best = nullptr;
  for (const auto& [variable, times] : seen)
    if (!best || std::pair(times, best->getLine()) > std::pair(seen[best], variable->getLine())) best = variable;
  return best;
}

static const DILocalVariable* declaredVariable(const AllocaInst& slot) {
  for (DbgVariableRecord* record : findDVRDeclares(const_cast<AllocaInst*>(&slot))) return record->getVariable();
  for (DbgDeclareInst* declare : findDbgDeclares(const_cast<AllocaInst*>(&slot))) return declare->getVariable();
  return loadedVariable(slot);
}

std::string NameFinder::nameOfSlot(const AllocaInst& slot) {
  const DILocalVariable* variable = declaredVariable(slot);
  return variable ? variable->getName().str() : slot.getName().str();
}

bool isLibraryCode(const DISubprogram* function) {
  return function &&
         (function->getFilename().starts_with("/usr/") || function->getDirectory().starts_with("/usr/") ||
          function->getLinkageName().starts_with("_ZN7testing8internal"));
}

// What a library calls its own variables (`this` of a member function, `__mutex`): whoever called it has a better
// name.
static bool isVague(const DILocalVariable* variable) {
  return variable && isLibraryCode(variable->getScope()->getSubprogram()) &&
         (variable->isArtificial() || isReservedName(variable->getName()));
}

// The variable that a debug record ties to this very value; records of the same (inlined) function are preferred.
std::optional<NameFinder::Place> NameFinder::fromDebugVariable(const Value* value, const Instruction* at) {
  if (isa<Constant>(value)) return std::nullopt;
  SmallVector<DbgVariableIntrinsic*, 4> intrinsics;
  SmallVector<DbgVariableRecord*, 4> records;
  findDbgUsers(intrinsics, const_cast<Value*>(value), &records);
  std::optional<Place> best;
  int bestScore = -1;
  auto consider = [&](const DILocalVariable* variable, const DIExpression* expression, const DILocation* location,
                      bool isDeclare) {
    if (variable->getName().empty()) return;
    const bool isDeref = expression->getNumElements() == 1 && expression->getElement(0) == dwarf::DW_OP_deref;
    if (expression->getNumElements() != 0 && !isDeref) return;
    int score = 0;
    if (at && at->getDebugLoc() && location) {
      score += at->getDebugLoc()->getScope()->getSubprogram() == variable->getScope()->getSubprogram() ? 2 : 0;
      score += at->getDebugLoc()->getInlinedAt() == location->getInlinedAt() ? 1 : 0;
    }
    std::optional<Place> place;
    if (isDeclare || isDeref)
      place = Place{variable->getName().str(), variable->getType(), 0, false};
    else
      place = pointedToBy(variable->getName().str(), variable->getType(), 0);
    if (!place) return;
    place->isVague = isVague(variable);
    score += place->isVague ? 0 : 4;
    if (score > bestScore) {
      best = place;
      bestScore = score;
    }
  };
  for (DbgVariableIntrinsic* intrinsic : intrinsics)
    if (!intrinsic->isKillLocation() && !isa<DbgAssignIntrinsic>(intrinsic))
      consider(intrinsic->getVariable(), intrinsic->getExpression(), intrinsic->getDebugLoc().get(),
               isa<DbgDeclareInst>(intrinsic));
  for (DbgVariableRecord* record : records)
    if (!record->isKillLocation() && record->getNumVariableLocationOps() == 1)
      consider(record->getVariable(), record->getExpression(), record->getDebugLoc().get(),
               record->isDbgDeclare());
  return best;
}

// What is stored in the slot, if that is done once.
static const StoreInst* onlyStoreTo(const AllocaInst& slot) {
  const StoreInst* only = nullptr;
  for (const User* user : slot.users()) {
    const auto* store = dyn_cast<StoreInst>(user);
    if (!store || store->getPointerOperand() != &slot) continue;
    if (only) return nullptr;
    only = store;
  }
  return only;
}

std::optional<NameFinder::Place> NameFinder::fromLoad(const LoadInst& load, const IndexValue& index, int depth) {
  if (const auto* slot = dyn_cast<AllocaInst>(load.getPointerOperand()); slot && isVague(declaredVariable(*slot)))
    if (const StoreInst* store = onlyStoreTo(*slot))
      if (std::optional<Place> stored = find(store->getValueOperand(), store, index, depth - 1)) return stored;
  std::optional<Place> holder = find(load.getPointerOperand(), &load, index, depth - 1);
  if (!holder || !descend(*holder, 8) || !isPointer(holder->type)) return std::nullopt;
  return pointedToBy(holder->throughPointer ? "*" + holder->text : holder->text, holder->type, 0);
}

std::optional<NameFinder::Place> NameFinder::fromArgument(const Argument& argument, const Instruction*) {
  const DISubprogram* function = argument.getParent()->getSubprogram();
  if (!function) return std::nullopt;
  for (const DINode* node : function->getRetainedNodes())
    if (const auto* variable = dyn_cast<DILocalVariable>(node))
      if (variable->getArg() == argument.getArgNo() + 1) {
        std::optional<Place> place = pointedToBy(variable->getName().str(), variable->getType(), 0);
        if (place) place->isVague = isVague(variable);
        return place;
      }
  return std::nullopt;
}

std::optional<NameFinder::Place> NameFinder::find(const Value* pointer, const Instruction* at,
                                                  const IndexValue& index, int depth) {
  if (depth < 0) return std::nullopt;
  pointer = pointer->stripPointerCastsSameRepresentation();
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(pointer))
    if (intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address) pointer = intrinsic->getArgOperand(0);
  if (const auto* global = dyn_cast<GlobalVariable>(pointer)) {
    std::string name = nameOfGlobal(*global);
    if (name.empty()) return std::nullopt;
    SmallVector<DIGlobalVariableExpression*, 1> variables;
    global->getDebugInfo(variables);
    if (variables.empty()) return Place{name, nullptr, 0, false};
    int64_t offset = 0; // a struct may have been split into several globals
    if (auto fragment = variables[0]->getExpression()->getFragmentInfo())
      offset = int64_t(fragment->OffsetInBits / 8);
    return Place{name, variables[0]->getVariable()->getType(), offset, false};
  }
  if (const auto* slot = dyn_cast<AllocaInst>(pointer))
    if (const DILocalVariable* variable = declaredVariable(*slot); variable && !isVague(variable))
      return Place{variable->getName().str(), variable->getType(), 0, false};
  std::optional<Place> named = fromDebugVariable(pointer, at);
  if (named && !named->isVague) return named;
  std::optional<Place> built = findByStructure(pointer, at, index, depth);
  return built ? built : named;
}

std::optional<NameFinder::Place> NameFinder::findByStructure(const Value* pointer, const Instruction* at,
                                                             const IndexValue& index, int depth) {
  if (const auto* gep = dyn_cast<GEPOperator>(pointer)) {
    APInt constant(64, 0);
    MapVector<Value*, APInt> variable;
    if (!gep->collectOffset(layout_, 64, variable, constant)) return std::nullopt;
    std::optional<Place> base = find(gep->getPointerOperand(), at, index, depth);
    if (!base) return std::nullopt;
    base->offset += constant.getSExtValue();
    for (auto& [value, scale] : variable) {
      std::optional<int64_t> now = index(value);
      if (!now) return std::nullopt;
      base->offset += *now * scale.getSExtValue();
    }
    return base;
  }
  if (const auto* load = dyn_cast<LoadInst>(pointer)) return fromLoad(*load, index, depth);
  if (const auto* argument = dyn_cast<Argument>(pointer)) return fromArgument(*argument, at);
  if (const auto* phi = dyn_cast<PHINode>(pointer)) {
    // The variable that was given one of the values (`n` of `n = n->next`); else only if all that is known agrees.
    std::optional<Place> variable, agreed;
    for (const Use& use : phi->incoming_values())
      if (std::optional<Place> place = fromDebugVariable(use.get(), at); place && !place->isVague) {
        if (variable && variable->text != place->text) return std::nullopt;
        variable = place;
      }
    if (variable) return variable;
    for (const Use& use : phi->incoming_values()) {
      if (use.get() == phi || isa<ConstantPointerNull>(use.get())) continue;
      std::optional<Place> place = find(use.get(), at, index, depth - 3);
      if (!place || (agreed && (agreed->text != place->text || agreed->offset != place->offset)))
        return std::nullopt;
      agreed = place;
    }
    return agreed;
  }
  return std::nullopt;
}

// Follows members and elements until the place is at offset 0 of a scalar (or of something of the size asked for);
// with a wanted type, until it is one of these.
bool NameFinder::descend(Place& place, uint64_t size, const DIType* wanted) {
  auto stepInto = [&](uint64_t element) {
    int64_t number = place.offset / int64_t(element);
    if (place.offset < 0 && place.offset % int64_t(element) != 0) --number;
    place.offset -= number * int64_t(element);
    place.text += "[" + std::to_string(number) + "]";
    place.throughPointer = false;
  };
  for (int depth = 0; depth < 32; ++depth) {
    DIType* type = strip(place.type);
    if (!type) return place.offset == 0 && !wanted;
    if (wanted && place.offset == 0 && type == wanted) return true;
    const uint64_t whole = sizeOf(type);
    const bool isBehind = whole && (place.offset < 0 || uint64_t(place.offset) >= whole);
    // Where a member function looks behind its object, that is part of one of a derived class.
    if (place.throughPointer && isBehind && place.text == "this") return false;
    // A pointer to the first of several: p[3].
    if (place.throughPointer && isBehind) stepInto(whole);
    auto* composite = dyn_cast<DICompositeType>(type);
    if (!composite || composite->getTag() == dwarf::DW_TAG_enumeration_type) return place.offset == 0 && !wanted;
    if (composite->getTag() == dwarf::DW_TAG_array_type) {
      const uint64_t element = sizeOf(composite->getBaseType());
      if (!element) return false;
      if (place.throughPointer) place.text = "(*" + place.text + ")";
      stepInto(element);
      place.type = composite->getBaseType();
      continue;
    }
    if (!wanted && place.offset == 0 && size >= whole && (whole > 8 || size == kWholeObject))
      return true; // the whole struct
    DIDerivedType* member = nullptr;
    for (DINode* node : composite->getElements()) {
      auto* candidate = dyn_cast_or_null<DIDerivedType>(node);
      if (!candidate || candidate->isStaticMember() ||
          (candidate->getTag() != dwarf::DW_TAG_member && candidate->getTag() != dwarf::DW_TAG_inheritance))
        continue;
      const int64_t begin = int64_t(candidate->getOffsetInBits() / 8);
      const int64_t length = std::max<int64_t>(1, int64_t(sizeOf(candidate->getBaseType())));
      if (place.offset >= begin && place.offset < begin + length) member = candidate;
    }
    if (!member) return place.offset == 0 && !wanted;
    place.offset -= int64_t(member->getOffsetInBits() / 8);
    if (member->getTag() == dwarf::DW_TAG_member && !member->getName().empty()) {
      if (!place.text.empty()) place.text += place.throughPointer ? "->" : ".";
      place.text += member->getName().str();
      place.throughPointer = false;
    }
    place.type = member->getBaseType();
  }
  return false;
}

std::string NameFinder::finish(std::optional<Place> place, uint64_t size) {
  if (!place || place->text.empty()) return {};
  if (!descend(*place, size)) return place->text;
  return withoutLibraryParts(place->throughPointer ? "*" + place->text : place->text);
}

std::string NameFinder::nameOf(const Value* pointer, const Instruction* at, uint64_t size,
                               const IndexValue& index) {
  return finish(find(pointer, at, index, 8), size);
}

NameFinder::Receiver NameFinder::receiverOf(const Function& function, const DILocation* place) {
  auto [known, isNew] = receivers_.try_emplace(&function);
  if (isNew) {
    auto note = [&](const auto& record) {
      const DILocalVariable* variable = record.getVariable();
      if (variable->getArg() != 1 || !variable->isArtificial() || record.isKillLocation() ||
          record.getExpression()->getNumElements() != 0 || record.getNumVariableLocationOps() != 1)
        return;
      known->second.try_emplace({variable->getScope()->getSubprogram(), record.getDebugLoc()->getInlinedAt()},
                                Receiver{record.getVariableLocationOp(0), variable->getType()});
    };
    for (const BasicBlock& block : function)
      for (const Instruction& instruction : block) {
        for (const DbgVariableRecord& record : filterDbgVars(instruction.getDbgRecordRange())) note(record);
        if (const auto* intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction)) note(*intrinsic);
      }
  }
  auto found = known->second.find({place->getScope()->getSubprogram(), place->getInlinedAt()});
  return found == known->second.end() ? Receiver{} : found->second;
}

// The member of the place that a pointer of this type points to: an object may begin with another one.
std::string NameFinder::finishAs(const Place& place, DIType* pointerType) {
  const auto* pointer = dyn_cast_or_null<DIDerivedType>(strip(pointerType));
  Place member = place;
  if (pointer && descend(member, kWholeObject, strip(pointer->getBaseType())) && !member.text.empty())
    return withoutLibraryParts(member.throughPointer ? "*" + member.text : member.text);
  return finish(place, kWholeObject);
}

std::string NameFinder::nameOfOwner(const Instruction* at, const IndexValue& index) {
  std::vector<const DILocation*> libraries; // around the instruction, innermost first
  for (const DILocation* place = at->getDebugLoc(); place; place = place->getInlinedAt()) {
    if (!isLibraryCode(place->getScope()->getSubprogram())) break;
    libraries.push_back(place);
  }
  for (size_t i = libraries.size(); i-- > 0;)
    if (const Receiver receiver = receiverOf(*at->getFunction(), libraries[i]); receiver.value) {
      std::optional<Place> place = find(receiver.value, at, index, 8);
      if (!place || place->isVague) continue;
      const std::string name = finishAs(*place, receiver.type);
      if (!name.empty() && !isLibraryName(name)) return name;
    }
  return {};
}

std::string NameFinder::nameOfReceiver(const Value* pointer, const Instruction* at, DIType* pointerType,
                                       const IndexValue& index) {
  const std::optional<Place> place = find(pointer, at, index, 8);
  return place ? finishAs(*place, pointerType) : std::string();
}

std::string NameFinder::nameInSlot(const AllocaInst& slot, uint64_t offset) {
  const DILocalVariable* variable = declaredVariable(slot);
  if (!variable) return {};
  return finish(Place{variable->getName().str(), variable->getType(), int64_t(offset), false}, 1);
}

std::string NameFinder::nameInGlobal(const GlobalVariable& global, uint64_t offset) {
  std::optional<Place> place = find(&global, nullptr, [](const Value*) { return std::nullopt; }, 1);
  if (place) place->offset += int64_t(offset);
  return finish(std::move(place), 1);
}

} // namespace symbiosis
