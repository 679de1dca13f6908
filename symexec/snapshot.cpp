#include "symexec/snapshot.h"
#include "support/files.h"
#include "symexec/symexec.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <fmt/format.h>
#include <set>

using namespace llvm;

namespace symbiosis {

static Error notInstrumented(const std::filesystem::path& program) {
  return badInput(
      fmt::format("{}: not built with 'symbiosis cc'. Build it with: symbiosis cc -g -O1 … (or CC=\"symbiosis "
                  "cc\" CXX=\"symbiosis c++\" make), then profile it again",
                  program.string()));
}

// The bitcode in the snapshot section.
static Result<std::string> extractBitcode(const std::filesystem::path& program) {
  Result<std::string> bytes = readFile(program);
  if (!bytes) return bytes.error();
  auto buffer = MemoryBuffer::getMemBuffer(*bytes, program.string(), false);
  auto object = object::ObjectFile::createObjectFile(buffer->getMemBufferRef());
  if (!object) {
    consumeError(object.takeError());
    return notInstrumented(program);
  }
  for (const object::SectionRef& section : (*object)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name || *name != format::kSnapshotSection) {
      if (!name) consumeError(name.takeError());
      continue;
    }
    Expected<StringRef> content = section.getContents();
    format::SnapshotHeader header;
    if (!content || content->size() < sizeof header) {
      if (!content) consumeError(content.takeError());
      return badInput(fmt::format("{}: its snapshot section is damaged; build it again", program.string()));
    }
    std::memcpy(&header, content->data(), sizeof header);
    if (std::memcmp(header.magic, format::kSnapshotMagic, sizeof header.magic) != 0 ||
        header.size > content->size() - sizeof header)
      return badInput(fmt::format("{}: its snapshot section is damaged; build it again", program.string()));
    if (header.version != format::kFormatVersion)
      return badInput(
          fmt::format("{}: built by a symbiosis with format version {}, this one reads {}; build it again",
                      program.string(), header.version, format::kFormatVersion));
    return content->substr(sizeof header, header.size).str();
  }
  return notInstrumented(program);
}

bool isInstrumentedProgram(const std::filesystem::path& program) { return extractBitcode(program).ok(); }

Result<std::unique_ptr<Snapshot>> Snapshot::load(const std::filesystem::path& program) {
  Result<std::string> bitcode = extractBitcode(program);
  if (!bitcode) return bitcode.error();
  std::unique_ptr<Snapshot> snapshot(new Snapshot);
  snapshot->context_ = std::make_unique<LLVMContext>();
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(*bitcode, program.string()), *snapshot->context_);
  if (!module)
    return badInput(fmt::format("{}: its snapshot cannot be read ({}); build it again", program.string(),
                                toString(module.takeError())));
  snapshot->module_ = std::move(*module);
  snapshot->blockByNumber_.push_back(nullptr);
  for (Function& function : *snapshot->module_) {
    snapshot->functions_.push_back(&function);
    if (!snapshot->isInstrumented(function)) continue;
    for (BasicBlock& block : function) {
      snapshot->blocks_[&block] = uint32_t(snapshot->blockByNumber_.size());
      snapshot->blockByNumber_.push_back(&block);
      for (Instruction& instruction : block)
        if (std::optional<uint32_t> site = metadataNumber(instruction, kSiteMetadata)) {
          if (*site >= snapshot->sites_.size()) snapshot->sites_.resize(*site + 1);
          snapshot->sites_[*site] = cast<CallBase>(&instruction);
        }
    }
  }
  for (GlobalVariable& global : snapshot->module_->globals()) snapshot->globals_.push_back(&global);
  return snapshot;
}

Result<std::vector<std::string>> sourceFilesOf(const std::filesystem::path& program) {
  Result<std::unique_ptr<Snapshot>> snapshot = Snapshot::load(program);
  if (!snapshot) return snapshot.error();
  std::set<std::string> files;
  auto add = [&](const DIFile* file) {
    if (!file) return;
    std::filesystem::path path = file->getFilename().str();
    if (path.is_relative()) path = std::filesystem::path(file->getDirectory().str()) / path;
    if (!path.string().starts_with("/usr/")) files.insert(path.lexically_normal().string());
  };
  DebugInfoFinder finder;
  finder.processModule((*snapshot)->module());
  for (const DISubprogram* function : finder.subprograms()) add(function->getFile());
  for (const DICompileUnit* unit : finder.compile_units()) add(unit->getFile());
  return std::vector<std::string>(files.begin(), files.end());
}

AddressMap::AddressMap(const Snapshot& snapshot, const Recording& recording) : layout_(snapshot.layout()) {
  auto place = [&](const auto& all, const std::vector<uint64_t>& addresses, auto& index) {
    for (size_t i = 0; i < all.size() && i < addresses.size(); ++i)
      if (addresses[i]) {
        addresses_[all[i]] = addresses[i];
        index[addresses[i]] = all[i];
      }
  };
  place(snapshot.functions(), recording.functionAddresses, functions_);
  place(snapshot.globals(), recording.globalAddresses, globals_);
}

const Function* AddressMap::functionAt(uint64_t address) const {
  auto at = functions_.find(address);
  return at == functions_.end() ? nullptr : at->second;
}

const GlobalVariable* AddressMap::globalAt(uint64_t address) const {
  auto at = globals_.upper_bound(address);
  if (at == globals_.begin()) return nullptr;
  --at;
  const uint64_t size = layout_.getTypeAllocSize(at->second->getValueType());
  return address - at->first < std::max<uint64_t>(size, 1) ? at->second : nullptr;
}

bool AddressMap::hasFirstValue(uint64_t address) const {
  const GlobalVariable* global = globalAt(address);
  return global && global->hasInitializer();
}

std::optional<uint32_t> metadataNumber(const Instruction& instruction, const char* name) {
  const MDNode* node = instruction.getMetadata(name);
  if (!node || node->getNumOperands() == 0) return std::nullopt;
  return uint32_t(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue());
}

} // namespace symbiosis
