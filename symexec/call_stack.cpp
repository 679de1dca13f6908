#include "symexec/call_stack.h"
#include "symexec/library_names.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

Frame& CallStack::push(const Function& function, std::span<const Scalar> arguments, const Step* call) {
  constexpr size_t kDeepest = 100000;
  if (frames_.size() > kDeepest) fail("more than 100,000 nested calls", nullptr);
  Frame next;
  next.plan = &context_.planner.plan(function);
  if (!spareScalars_.empty()) {
    next.scalars = std::move(spareScalars_.back());
    spareScalars_.pop_back();
  }
  next.scalars.assign(next.plan->scalars, {});
  const size_t fixed = std::min<size_t>(next.plan->arguments, arguments.size());
  std::copy_n(arguments.begin(), fixed, next.scalars.begin());
  next.variadic.assign(arguments.begin() + ptrdiff_t(fixed), arguments.end());
  next.call = call;
  next.instance = ++instances_;
  frames_.push_back(std::move(next));
  return frames_.back();
}

Frame CallStack::pop() {
  Frame left = std::move(frames_.back());
  frames_.pop_back();
  spareScalars_.push_back(std::move(left.scalars));
  return left;
}

const Scalar* CallStack::valueIn(const Frame& frame, const Value* value) {
  auto known = frame.plan->scalarOf.find(value);
  return known == frame.plan->scalarOf.end() ? nullptr : scalarAt(frame, known->second);
}

const Function* CallStack::calleeOf(const CallBase& call) const {
  if (const Function* callee = call.getCalledFunction()) return callee;
  const Scalar* pointer = valueOf(call.getCalledOperand());
  return pointer && pointer->known ? context_.addresses.functionAt(pointer->bits) : nullptr;
}

std::vector<const Instruction*> CallStack::callers() const {
  std::vector<const Instruction*> calls;
  for (size_t i = 0; i + 1 < frames_.size(); ++i) calls.push_back(frames_[i].current().instruction);
  return calls;
}

std::vector<const Instruction*> CallStack::withCallers(const Instruction& at) const {
  std::vector<const Instruction*> chain{&at};
  for (size_t i = frames_.size(); i-- > 1;) chain.push_back(frames_[i - 1].current().instruction);
  return chain;
}

const DILocation* CallStack::statementOf(const Instruction* at, uint64_t* frame) const {
  for (size_t depth = frames_.size(); depth-- > 0;) {
    if (frame) *frame = frames_[depth].instance;
    for (const DILocation* place = at->getDebugLoc(); place; place = place->getInlinedAt())
      if (!isLibraryCode(place->getScope()->getSubprogram())) return place;
    if (depth > 0) at = frames_[depth - 1].current().instruction;
  }
  return nullptr;
}

std::string CallStack::lineOf(const Instruction* at) const {
  // The innermost place in the user's own code.
  for (const Instruction* instruction : withCallers(*at))
    for (const DILocation* place = instruction->getDebugLoc(); place; place = place->getInlinedAt())
      if (place->getLine() != 0 && !isLibraryCode(place->getScope()->getSubprogram()))
        return fmt::format("at {}:{}", place->getFilename().str(), place->getLine());
  const DebugLoc& location = at->getDebugLoc();
  if (!location) return fmt::format("in {} (compile with -g to see the line)", at->getFunction()->getName().str());
  return fmt::format("at {}:{}", location->getFilename().str(), location.getLine());
}

std::string CallStack::placeOf(const Instruction* at) {
  std::string text;
  if (const DebugLoc& location = at->getDebugLoc())
    text = fmt::format(" at {}:{}", location->getFilename().str(), location.getLine());
  std::string instruction;
  raw_string_ostream stream(instruction);
  at->print(stream);
  return text + fmt::format(" ({}:{})", at->getFunction()->getName().str(), instruction);
}

void CallStack::fail(const std::string& what, const Instruction* at) const {
  throw ExecutionError(fmt::format("thread {}: {}{}", logs_.id(), what, at ? placeOf(at) : ""));
}

// The type of `this`; null: it is no member function.
static DIType* typeOfThis(const Function& function) {
  for (const DINode* node : function.getSubprogram()->getRetainedNodes())
    if (const auto* variable = dyn_cast<DILocalVariable>(node); variable && variable->getArg() == 1)
      return variable->isArtificial() ? variable->getType() : nullptr;
  return nullptr;
}

// Of the object that the function in the frame at `depth` was called for, as its caller calls it; empty: unknown.
std::string CallStack::nameOfReceiver(size_t depth) const {
  const Frame& caller = frames_[depth - 1];
  const auto* call = dyn_cast<CallBase>(caller.current().instruction);
  DIType* type = typeOfThis(*frames_[depth].plan->function);
  if (!call || call->arg_empty() || !type) return {};
  return context_.names.nameOfReceiver(call->getArgOperand(0), call, type, indexIn(caller));
}

// In a member function of a library, `this` says nothing: its callers know what they called it for.
std::string CallStack::nameOf(const Value* pointer, const Instruction* at, uint64_t size) const {
  std::string name = nameIn(frames_.back(), pointer, at, size);
  for (size_t depth = frames_.size() - 1;
       depth > 0 && isLibraryCode(frames_[depth].plan->function->getSubprogram()); --depth) {
    const bool isItself = name == "this" || name == "*this";
    if (!isItself && !name.starts_with("this->")) break;
    std::string object = nameOfReceiver(depth);
    if (object.empty()) break;
    if (object == "*this") object = "this";
    name = isItself ? object
                    : object + (object == "this" ? "->" : ".") + name.substr(std::string_view("this->").size());
  }
  name = withoutLibraryParts(name);
  if (!name.empty() && !isLibraryName(name)) return name;
  const std::string owner = nameOfOwner(at);
  return owner.empty() ? name : owner;
}

std::string CallStack::nameOfOwner(const Instruction* at) const {
  for (size_t depth = frames_.size(); depth-- > 0;) {
    if (std::string owner = context_.names.nameOfOwner(at, indexIn(frames_[depth])); !owner.empty()) return owner;
    const DISubprogram* function = frames_[depth].plan->function->getSubprogram();
    if (depth == 0 || (function && !isLibraryCode(function))) return {};
    const std::string receiver = function ? nameOfReceiver(depth) : std::string();
    if (!receiver.empty() && receiver != "*this" && !isLibraryName(receiver)) return receiver;
    at = frames_[depth - 1].current().instruction;
  }
  return {};
}

IndexValue CallStack::indexIn(const Frame& frame) const {
  return [&frame](const Value* value) -> std::optional<int64_t> {
    const Scalar* scalar = valueIn(frame, value);
    if (!scalar || !scalar->known || !value->getType()->isIntegerTy() ||
        value->getType()->getIntegerBitWidth() > 64)
      return std::nullopt;
    return signExtend(scalar->bits, value->getType()->getIntegerBitWidth());
  };
}

std::string CallStack::nameIn(const Frame& frame, const Value* pointer, const Instruction* at,
                              uint64_t size) const {
  return context_.names.nameOf(pointer, at, size, indexIn(frame));
}

std::string CallStack::nameOfCallee(const CallBase& call) const {
  const Function* callee = calleeOf(call);
  if (!callee) return "a function called through a pointer " + lineOf(&call);
  const std::string name = demangle(callee->getName());
  return name.substr(0, name.find('('));
}

} // namespace symbiosis
