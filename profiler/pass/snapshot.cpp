#include "profiler/pass/snapshot.h"
#include "trace/format.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstring>

using namespace llvm;

namespace symbiosis {

// In a section of its own, kept by --gc-sections.
static GlobalVariable* keep(Module& module, Constant* content, const char* name, const char* section) {
  auto* global = new GlobalVariable(module, content->getType(), true, GlobalValue::PrivateLinkage, content, name);
  global->setSection(section);
  global->setAlignment(Align(8));
  appendToUsed(module, {global});
  return global;
}

void writeSnapshot(Module& module) {
  SmallVector<char, 0> bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  format::SnapshotHeader header = {};
  std::memcpy(header.magic, format::kSnapshotMagic, sizeof header.magic);
  header.version = format::kFormatVersion;
  header.size = bitcode.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(bitcode.data(), bitcode.size());
  keep(module, ConstantDataArray::getString(module.getContext(), bytes, false), "__symbiosis_snapshot",
       format::kSnapshotSection);
}

static Constant* addressOf(GlobalValue& global) {
  auto* null = ConstantPointerNull::get(PointerType::getUnqual(global.getContext()));
  if (global.isThreadLocal() || global.getName().starts_with("llvm.")) return null;
  if (auto* function = dyn_cast<Function>(&global)) {
    if (function->isIntrinsic()) return null;
    if (!function->hasAddressTaken() && (function->isDeclaration() || function->hasLocalLinkage())) return null;
  }
  return global.isDeclaration() && global.use_empty() ? static_cast<Constant*>(null) : &global;
}

void writeAddressTable(Module& module, const Numbering& numbering) {
  LLVMContext& context = module.getContext();
  auto* pointer = PointerType::getUnqual(context);
  auto* i64 = Type::getInt64Ty(context);
  SmallVector<Constant*, 0> addresses;
  for (Function* function : numbering.functions)
    addresses.push_back(function ? addressOf(*function) : ConstantPointerNull::get(pointer));
  for (GlobalVariable* global : numbering.globals) addresses.push_back(addressOf(*global));
  auto* type = ArrayType::get(pointer, addresses.size());
  auto* table = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage,
                                   ConstantArray::get(type, addresses), "__symbiosis_addresses");
  Constant* fields[] = {ConstantInt::get(i64, numbering.functions.size()),
                        ConstantInt::get(i64, numbering.globals.size()), table};
  keep(module, ConstantStruct::getAnon(context, fields), "__symbiosis_module", "symbiosis_modules");
}

} // namespace symbiosis
