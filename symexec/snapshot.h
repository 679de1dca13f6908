#pragma once
// The program as it was when it was instrumented: its module, with the numbers that the pass gave, and where the
// recorded process had put its functions and globals.
#include "support/result.h"
#include "trace/metadata.h"
#include "trace/recording.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <optional>
#include <vector>

namespace symbiosis {

class Snapshot {
public:
  static Result<std::unique_ptr<Snapshot>> load(const std::filesystem::path& program);

  llvm::Module& module() const { return *module_; }
  const llvm::DataLayout& layout() const { return module_->getDataLayout(); }
  const std::vector<llvm::Function*>& functions() const { return functions_; }
  const std::vector<llvm::GlobalVariable*>& globals() const { return globals_; }
  uint32_t blockNumber(const llvm::BasicBlock* block) const { return blocks_.lookup(block); }
  const llvm::BasicBlock* block(uint32_t number) const {
    return number < blockByNumber_.size() ? blockByNumber_[number] : nullptr;
  }
  // The call that leaves instrumented code at this site; null: there is none.
  const llvm::CallBase* callAt(uint32_t site) const { return site < sites_.size() ? sites_[site] : nullptr; }
  bool isInstrumented(const llvm::Function& function) const {
    return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
           !function.hasMetadata(kExcludedMetadata);
  }

private:
  Snapshot() = default;
  std::unique_ptr<llvm::LLVMContext> context_; // before module_: it must die last
  std::unique_ptr<llvm::Module> module_;
  std::vector<llvm::Function*> functions_;
  std::vector<llvm::GlobalVariable*> globals_;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> blocks_;
  std::vector<const llvm::BasicBlock*> blockByNumber_;
  std::vector<const llvm::CallBase*> sites_;
};

// Addresses of the recorded process.
class AddressMap {
public:
  AddressMap(const Snapshot& snapshot, const Recording& recording);

  uint64_t addressOf(const llvm::GlobalValue* global) const { return addresses_.lookup(global); } // 0: unknown
  const llvm::Function* functionAt(uint64_t address) const;
  // The global that contains the address.
  const llvm::GlobalVariable* globalAt(uint64_t address) const;
  // A global of the program itself: its first value is known. That of a library's is not.
  bool hasFirstValue(uint64_t address) const;

private:
  llvm::DenseMap<const llvm::GlobalValue*, uint64_t> addresses_;
  std::map<uint64_t, const llvm::Function*> functions_;
  std::map<uint64_t, const llvm::GlobalVariable*> globals_;
  const llvm::DataLayout& layout_;
};

std::optional<uint32_t> metadataNumber(const llvm::Instruction& instruction, const char* name);

} // namespace symbiosis
