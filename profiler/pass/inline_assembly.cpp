// One statement of inline assembly is text with operands, `lock; cmpxchg $3, $1`, and a constraint for each
// operand: first what it returns, then what it is given. An operand is a result (`=r`), a value (`r`), the same
// register as a result (`0`), or memory (`*m`, an address). Here the text is cut into instructions; the first must
// be one that we know, on one memory operand, and what may follow is only the question how its flags are (`sete
// $0`). Whatever does not fit is left as it is.
#include "profiler/pass/inline_assembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <set>

using namespace llvm;

namespace symbiosis {
namespace {

// What an operand of the text stands for.
struct Operand {
  int result = -1;          // number of the result that is there afterwards
  Value* value = nullptr;   // that is there before
  Value* address = nullptr; // of memory
  Type* type = nullptr;     // of the memory or of the value
  std::string code;         // "{ax}", "r", "{@ccz}"
};

struct Assembly {
  bool locked = false;
  StringRef name;
  SmallVector<StringRef, 2> operands;
};

std::vector<Operand> operandsOf(const CallInst& call) {
  const auto* text = cast<InlineAsm>(call.getCalledOperand());
  std::vector<Operand> operands;
  unsigned argument = 0;
  int result = 0;
  for (const InlineAsm::ConstraintInfo& info : text->ParseConstraints()) {
    if (info.Type == InlineAsm::isClobber || info.Type == InlineAsm::isLabel) continue;
    Operand operand;
    operand.code = info.Codes.empty() ? "" : info.Codes[0];
    if (info.isIndirect) {
      operand.address = call.getArgOperand(argument);
      operand.type = call.getParamElementType(argument++);
    } else if (info.Type == InlineAsm::isOutput) {
      operand.result = result++;
    } else {
      operand.value = call.getArgOperand(argument++);
      operand.type = operand.value->getType();
      // Tied: what is there before is what the result's register has before.
      if (unsigned tied; !StringRef(operand.code).getAsInteger(10, tied) && tied < operands.size()) {
        operands[tied].value = operand.value;
        operands[tied].type = operand.type;
        operand.result = operands[tied].result;
        operand.code = operands[tied].code;
      }
    }
    operands.push_back(operand);
  }
  return operands;
}

// "lock; cmpxchgl $3, $1\n sete $0" in pieces.
std::vector<Assembly> instructionsOf(StringRef text) {
  std::vector<Assembly> all;
  SmallVector<StringRef, 4> lines;
  SplitString(text, lines, ";\n");
  bool locked = false;
  for (StringRef line : lines) {
    line = line.trim();
    if (line.consume_front("lock")) locked = true;
    line = line.trim();
    if (line.empty()) continue;
    Assembly next{locked, {}, {}};
    locked = false;
    std::tie(next.name, line) =
        line.split(line.find_first_of(" \t") == StringRef::npos ? '\0' : line[line.find_first_of(" \t")]);
    SmallVector<StringRef, 2> operands;
    if (!line.trim().empty()) line.split(operands, ',');
    for (StringRef operand : operands) next.operands.push_back(operand.trim());
    all.push_back(next);
  }
  return all;
}

// Which bit of the flags a text or a constraint asks for; empty: none that we know.
StringRef conditionOf(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Cases("e", "z", "z")
      .Cases("ne", "nz", "nz")
      .Case("c", "c")
      .Case("s", "s")
      .Default("");
}

class Speller {
public:
  explicit Speller(CallInst& call) : call_(call), builder_(&call), operands_(operandsOf(call)) {
    results_.resize(call.getType()->isVoidTy()     ? 0
                    : call.getType()->isStructTy() ? call.getType()->getStructNumElements()
                                                   : 1);
  }

  // False: it is something else, and stays.
  bool run() {
    Instruction* before = call_.getPrevNode();
    if (spell()) return true;
    while (call_.getPrevNode() != before) call_.getPrevNode()->eraseFromParent();
    return false;
  }

private:
  bool spell() {
    const std::vector<Assembly> text = instructionsOf(cast<InlineAsm>(call_.getCalledOperand())->getAsmString());
    if (text.empty()) return false;
    if (isPause(text)) return replace();
    if (!perform(text[0])) return false;
    for (size_t i = 1; i < text.size(); ++i)
      if (!takeFlag(text[i])) return false;
    for (const Operand& operand : operands_)
      if (StringRef code = operand.code;
          operand.result >= 0 && code.consume_front("{@cc") && code.consume_back("}"))
        if (!setFlag(operand.result, conditionOf(code))) return false;
    return replace();
  }

  static bool isPause(const std::vector<Assembly>& text) {
    return text[0].name == "pause" || (text[0].name == "rep" && text.back().name.ends_with("nop"));
  }

  // `$3`, `${3:k}`, `($3)`.
  Operand* operandNamed(StringRef text) {
    bool isAddress = text.consume_front("(") && text.consume_back(")");
    if (!text.consume_front("$")) return nullptr;
    if (text.consume_front("{")) text = text.split(':').first.rtrim('}');
    unsigned number;
    if (text.getAsInteger(10, number) || number >= operands_.size()) return nullptr;
    Operand* operand = &operands_[number];
    if (!isAddress) return operand;
    if (!operand->value || !operand->value->getType()->isPointerTy()) return nullptr;
    pointed_ = *operand;
    pointed_.address = operand->value;
    pointed_.type = nullptr;
    return &pointed_;
  }

  // `$$5`, or an operand that has a value.
  Value* valueNamed(StringRef text, Type* type) {
    if (text.consume_front("$$")) {
      int64_t number;
      return text.getAsInteger(0, number) ? nullptr : ConstantInt::get(type, uint64_t(number), true);
    }
    const Operand* operand = operandNamed(text);
    if (!operand || !operand->value || operand->address) return nullptr;
    return converted(operand->value, type);
  }

  Value* converted(Value* value, Type* type) {
    if (value->getType() == type) return value;
    if (value->getType()->isPointerTy() && type->isIntegerTy()) return builder_.CreatePtrToInt(value, type);
    if (value->getType()->isIntegerTy() && type->isPointerTy()) return builder_.CreateIntToPtr(value, type);
    return value->getType()->isIntegerTy() && type->isIntegerTy() ? builder_.CreateZExtOrTrunc(value, type)
                                                                  : nullptr;
  }

  Type* typeOfResult(int number) const {
    return call_.getType()->isStructTy() ? call_.getType()->getStructElementType(unsigned(number))
                                         : call_.getType();
  }

  bool give(int number, Value* value) {
    Value* fits = number >= 0 ? converted(value, typeOfResult(number)) : nullptr;
    if (!fits) return false;
    results_[size_t(number)] = fits;
    return true;
  }

  // The operand that stands for the register.
  Operand* inRegister(StringRef code, bool asResult) {
    for (Operand& operand : operands_)
      if (operand.code == code && !operand.address && (asResult ? operand.result >= 0 : operand.value != nullptr))
        return &operand;
    return nullptr;
  }

  // The type that the memory has, as an integer: by the suffix, or by what C says of it.
  Type* widthOf(StringRef suffix, const Operand& memory) {
    const unsigned bits =
        StringSwitch<unsigned>(suffix).Case("b", 8).Case("w", 16).Case("l", 32).Case("q", 64).Default(0);
    if (bits) return builder_.getIntNTy(bits);
    if (!memory.type || !memory.type->isSized()) return nullptr;
    const uint64_t size = call_.getDataLayout().getTypeSizeInBits(memory.type);
    return size == 8 || size == 16 || size == 32 || size == 64 ? builder_.getIntNTy(unsigned(size)) : nullptr;
  }

  bool perform(const Assembly& instruction) {
    if (instruction.operands.empty()) return performFence(instruction.name);
    static constexpr StringRef names[] = {"cmpxchg", "xadd", "xchg", "inc", "dec", "add", "sub",
                                          "or",      "and",  "xor",  "bts", "btr", "btc"};
    for (StringRef name : names) {
      StringRef suffix = instruction.name;
      if (!suffix.consume_front(name) || suffix.size() > 1) continue;
      Operand* memory = operandNamed(instruction.operands.back());
      StringRef source = instruction.operands.size() > 1 ? instruction.operands[0] : "";
      if (name == "xchg" && memory && !memory->address) { // either operand may be the memory
        std::swap(source, const_cast<StringRef&>(instruction.operands.back()));
        memory = operandNamed(instruction.operands[0]);
      }
      if (!memory || !memory->address || (!instruction.locked && name != "xchg")) return false;
      Type* type = widthOf(suffix, *memory);
      return type && performOn(name, memory->address, source, type);
    }
    return false;
  }

  bool performFence(StringRef name) {
    const auto order = StringSwitch<std::optional<AtomicOrdering>>(name)
                           .Case("mfence", AtomicOrdering::SequentiallyConsistent)
                           .Case("lfence", AtomicOrdering::Acquire)
                           .Case("sfence", AtomicOrdering::Release)
                           .Default(std::nullopt);
    if (order) builder_.CreateFence(*order);
    return order.has_value();
  }

  bool performOn(StringRef name, Value* address, StringRef source, Type* type) {
    if (name == "cmpxchg") return compareExchange(address, source, type);
    if (name.starts_with("bt")) return changeBit(name, address, source, type);
    Value* argument = name == "inc" || name == "dec" ? ConstantInt::get(type, 1) : valueNamed(source, type);
    if (!argument) return false;
    const auto operation = StringSwitch<AtomicRMWInst::BinOp>(name)
                               .Cases("xadd", "inc", "add", AtomicRMWInst::Add)
                               .Cases("dec", "sub", AtomicRMWInst::Sub)
                               .Case("or", AtomicRMWInst::Or)
                               .Case("and", AtomicRMWInst::And)
                               .Case("xor", AtomicRMWInst::Xor)
                               .Default(AtomicRMWInst::Xchg);
    Value* old = change(operation, address, argument);
    if (name == "xchg" || name == "xadd") {
      const Operand* both = operandNamed(source);
      if (both && both->result >= 0 && !give(both->result, old)) return false;
    }
    if (name == "xchg") return true;
    static constexpr struct {
      AtomicRMWInst::BinOp change;
      Instruction::BinaryOps compute;
    } computed[] = {{AtomicRMWInst::Add, Instruction::Add},
                    {AtomicRMWInst::Sub, Instruction::Sub},
                    {AtomicRMWInst::Or, Instruction::Or},
                    {AtomicRMWInst::And, Instruction::And},
                    {AtomicRMWInst::Xor, Instruction::Xor}};
    for (const auto& entry : computed)
      if (entry.change == operation) {
        Value* now = builder_.CreateBinOp(entry.compute, old, argument);
        zero_ = builder_.CreateIsNull(now);
        sign_ = builder_.CreateICmpSLT(now, ConstantInt::get(type, 0));
      }
    return true;
  }

  Value* change(AtomicRMWInst::BinOp operation, Value* address, Value* argument) {
    return builder_.CreateAtomicRMW(operation, address, argument, MaybeAlign(),
                                    AtomicOrdering::SequentiallyConsistent);
  }

  bool compareExchange(Value* address, StringRef source, Type* type) {
    const Operand *expected = inRegister("{ax}", false), *found = inRegister("{ax}", true);
    if (!expected) expected = inRegister("{rax}", false), found = inRegister("{rax}", true);
    Value *wanted = expected ? converted(expected->value, type) : nullptr, *desired = valueNamed(source, type);
    if (!wanted || !desired) return false;
    Value* both = builder_.CreateAtomicCmpXchg(address, wanted, desired, MaybeAlign(),
                                               AtomicOrdering::SequentiallyConsistent,
                                               AtomicOrdering::SequentiallyConsistent);
    zero_ = builder_.CreateExtractValue(both, 1);
    return !found || give(found->result, builder_.CreateExtractValue(both, 0));
  }

  // The number of a bit in a register may lie outside of the operand: the memory goes on.
  bool changeBit(StringRef name, Value* address, StringRef source, Type* type) {
    Value* number = valueNamed(source, builder_.getInt64Ty());
    const unsigned bits = type->getIntegerBitWidth();
    if (!number || bits < 16) return false;
    Value* word = builder_.CreateAShr(number, bits == 64 ? 6 : bits == 32 ? 5 : 4);
    Value* at = builder_.CreateGEP(type, address, word);
    Value* mask = builder_.CreateShl(ConstantInt::get(type, 1),
                                     builder_.CreateZExtOrTrunc(builder_.CreateAnd(number, bits - 1), type));
    const auto operation = name == "bts"   ? AtomicRMWInst::Or
                           : name == "btr" ? AtomicRMWInst::And
                                           : AtomicRMWInst::Xor;
    Value* old = change(operation, at, name == "btr" ? builder_.CreateNot(mask) : mask);
    carry_ = builder_.CreateIsNotNull(builder_.CreateAnd(old, mask));
    return true;
  }

  // `sete $0`, and `sbb $0, $0`, which makes all ones of the carry.
  bool takeFlag(const Assembly& instruction) {
    StringRef name = instruction.name;
    if (name.starts_with("sbb") && instruction.operands.size() == 2 && carry_) {
      const Operand* to = operandNamed(instruction.operands[0]);
      return to && to->result >= 0 && instruction.operands[0] == instruction.operands[1] &&
             give(to->result, builder_.CreateSExt(carry_, typeOfResult(to->result)));
    }
    if (!name.consume_front("set") || instruction.operands.size() != 1) return false;
    const Operand* to = operandNamed(instruction.operands[0]);
    return to && setFlag(to->result, conditionOf(name));
  }

  bool setFlag(int result, StringRef condition) {
    Value* flag = condition == "z"             ? zero_
                  : condition == "nz" && zero_ ? builder_.CreateNot(zero_)
                  : condition == "c"           ? carry_
                  : condition == "s"           ? sign_
                                               : nullptr;
    return flag && give(result, flag);
  }

  bool replace() {
    if (any_of(results_, [](const Value* value) { return !value; })) return false;
    if (call_.getType()->isStructTy()) {
      Value* all = PoisonValue::get(call_.getType());
      for (unsigned i = 0; i < results_.size(); ++i) all = builder_.CreateInsertValue(all, results_[i], i);
      call_.replaceAllUsesWith(all);
    } else if (!results_.empty()) {
      call_.replaceAllUsesWith(results_[0]);
    }
    call_.eraseFromParent();
    return true;
  }

  CallInst& call_;
  IRBuilder<> builder_;
  std::vector<Operand> operands_;
  Operand pointed_;
  std::vector<Value*> results_;
  Value *zero_ = nullptr, *carry_ = nullptr, *sign_ = nullptr; // flags behind the operation; null: not known
};

// It may read or write what other threads see, for all that it says.
bool touchesMemory(const CallInst& call) {
  const auto* text = cast<InlineAsm>(call.getCalledOperand());
  return any_of(text->ParseConstraints(), [](const InlineAsm::ConstraintInfo& info) {
    return info.isIndirect || is_contained(info.Codes, "{memory}");
  });
}

void sayUnseen(const CallInst& call, std::set<std::string>& said) {
  const auto* text = cast<InlineAsm>(call.getCalledOperand());
  const std::vector<Assembly> instructions = instructionsOf(text->getAsmString());
  if (instructions.empty() || !touchesMemory(call)) return;
  std::string place = "in " + call.getFunction()->getName().str();
  if (const DebugLoc& at = call.getDebugLoc())
    place = ("at " + at->getFilename() + ":" + Twine(at.getLine())).str();
  if (said.insert(place).second)
    errs() << "symbiosis: inline assembly " << place << " is not seen (" << instructions[0].name
           << "): what it does to memory is no event\n";
}

} // namespace

void spellOutAssembly(Module& module) {
  std::vector<CallInst*> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm()) calls.push_back(call);
  std::set<std::string> said;
  for (CallInst* call : calls)
    if (!Speller(*call).run()) sayUnseen(*call, said);
}

} // namespace symbiosis
